package shape_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestAKernelLinksNothingElse: importing one brings in the standard library and this module alone.
func TestAKernelLinksNothingElse(t *testing.T) {
	module := modulePath(t)
	for _, name := range kernels(t) {
		list := exec.Command("go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", "./"+name)
		list.Dir = root
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		for path := range strings.FieldsSeq(string(out)) {
			if path != module && !strings.HasPrefix(path, module+"/") {
				t.Errorf("%s links in %s", name, path)
			}
		}
	}
}
