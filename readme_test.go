package evenkeel_test

import (
	"os"
	"strings"
	"testing"
)

// TestTheReadmeShowsTheExample compares the README's program with Example, which is compiled and run, and its output.
func TestTheReadmeShowsTheExample(t *testing.T) {
	readme, example := read(t, "README.md"), read(t, "example_test.go")
	body := between(t, example, "func Example() {\n", "\t// Output:")
	if !strings.Contains(readme, "func main() {\n"+body+"}\n") {
		t.Errorf("the README's program is not the body of Example:\n%s", body)
	}
	output := strings.ReplaceAll(between(t, example, "// Output:\n", "}\n"), "\t// ", "")
	if !strings.Contains(readme, output) {
		t.Errorf("the README does not show the output:\n%s", output)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

func between(t *testing.T, text, from, to string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, from)
	part, _, ended := strings.Cut(rest, to)
	if !found || !ended {
		t.Fatalf("no text between %q and %q", from, to)
	}
	return part
}
