package testenv_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/testenv"
)

// child tells TestInChild that it is the process that TestSkip started, the only one in which it does anything: a skip
// and a failure can be seen as such only from outside.
const child = "EVENKEEL_TESTENV_CHILD"

func TestInChild(t *testing.T) {
	if os.Getenv(child) == "" {
		return
	}
	testenv.Skip(t, "no device %d", 7)
	t.Error("the test went on")
}

func TestSkip(t *testing.T) {
	for _, tt := range []struct {
		name, require string
		fails         bool
		want          string
	}{
		{"a test that can't run skips with its reason", "", false, "--- SKIP: TestInChild"},
		{"it fails where the checks are required", "1", true, "--- FAIL: TestInChild"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(self, "-test.run=^TestInChild$", "-test.v")
			cmd.Env = append(os.Environ(), child+"=1", testenv.Require+"="+tt.require)
			out, err := cmd.CombinedOutput()
			if failed := err != nil; failed != tt.fails {
				t.Errorf("failed: %v, want %v (%v)", failed, tt.fails, err)
			}
			for _, want := range []string{tt.want, "no device 7"} {
				if !strings.Contains(string(out), want) {
					t.Errorf("no %q in the output", want)
				}
			}
			if strings.Contains(string(out), "went on") {
				t.Error("Skip did not end the test")
			}
		})
	}
}
