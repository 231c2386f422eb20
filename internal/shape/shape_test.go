package shape_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the module's directory, seen from this one.
const root = "../.."

// shell lists the files of kernel packages that are no rules: loops, stores and what talks to the world.
var shell = []string{"runner.go", "handle.go", "retry.go", "enroller.go", "filestore.go"}

// kernels lists the kernel packages that exist.
func kernels(t *testing.T) []string {
	t.Helper()
	var found []string
	for _, name := range []string{"backoff", "gateway", "liveness", "supervise", "watchdog"} {
		if _, err := os.Stat(filepath.Join(root, name)); err == nil {
			found = append(found, name)
		}
	}
	if len(found) < 2 {
		t.Fatalf("found only %v", found)
	}
	return found
}

// sources parses the Go files of a directory that are no tests, by name.
func sources(t *testing.T, dir string) (*token.FileSet, map[string]*ast.File) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set, files := token.NewFileSet(), map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(path)] = file
	}
	return set, files
}

// packages lists the directories of this module that hold Go files beside tests.
func packages(t *testing.T) []string {
	t.Helper()
	dirs := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && (isModule(path) || strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			dir, err := filepath.Rel(root, filepath.Dir(path))
			dirs[dir] = true
			return err
		}
		return nil
	})
	if err != nil || len(dirs) < 8 {
		t.Fatalf("found %v: %v", dirs, err)
	}
	var list []string
	for dir := range dirs {
		list = append(list, dir)
	}
	return list
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func TestEveryKernelHasTheSameFiles(t *testing.T) {
	for _, name := range kernels(t) {
		_, files := sources(t, name)
		want := []string{"doc.go", "config.go", "kernel.go", "text.go", "json.go", "runner.go"}
		if name == "backoff" { // a schedule, not a loop
			want = slices.DeleteFunc(want, func(file string) bool { return file == "runner.go" })
		}
		for _, file := range want {
			if files[file] == nil {
				t.Errorf("%s has no %s", name, file)
			}
		}
		for _, file := range []string{"kernel_test.go", "property_test.go", "walk_test.go", "fuzz_test.go", "example_test.go", "bench_test.go"} {
			if _, err := os.Stat(filepath.Join(root, name, file)); err != nil {
				t.Errorf("%s has no %s", name, file)
			}
		}
	}
}

// allowedImports is what the rules may use: nothing that reads a clock, a file, a network or another process.
var allowedImports = []string{
	"cmp", "encoding/json", "errors", "fmt", "log/slog", "maps", "math", "math/bits", "net/netip", "slices", "strings", "time",
	"/backoff", "/internal/enum", "/internal/ident", "/internal/instant", "/internal/settings",
}

// forbiddenCalls are the impure parts of allowed packages.
var forbiddenCalls = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"},
	"fmt":  {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"slog": {"Debug", "Info", "Warn", "Error", "Log", "LogAttrs", "Default", "SetDefault"},
}

func TestTheRulesArePure(t *testing.T) {
	module := modulePath(t)
	for _, name := range kernels(t) {
		set, files := sources(t, name)
		for file, tree := range files {
			if slices.Contains(shell, file) {
				continue
			}
			for _, spec := range tree.Imports {
				path, _ := strconv.Unquote(spec.Path.Value)
				if !slices.Contains(allowedImports, strings.TrimPrefix(path, module)) {
					t.Errorf("%s: rules must not import %s", set.Position(spec.Pos()), path)
				}
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				if impure(n) {
					t.Errorf("%s: rules have no clock, no output and no goroutine", set.Position(n.Pos()))
				}
				return true
			})
		}
	}
}

func impure(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GoStmt:
		return true
	case *ast.SelectorExpr:
		pkg, ok := n.X.(*ast.Ident)
		return ok && slices.Contains(forbiddenCalls[pkg.Name], n.Sel.Name)
	}
	return false
}

// modulePath is the module's path, which may have been renamed.
func modulePath(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(first, "module ")
}

// mayRequire are the modules that the library may require; everything else goes into examples.
var mayRequire = []string{
	"github.com/benbjohnson/clock", "golang.zx2c4.com/wireguard/wgctrl", "github.com/coreos/go-systemd/v22", "pgregory.net/rapid",
}

func TestTheLibraryRequiresWhatItMay(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(words) < 2 || !strings.HasPrefix(words[1], "v") || strings.Contains(line, "// indirect") {
			continue
		}
		found++
		if !slices.Contains(mayRequire, words[0]) {
			t.Errorf("%s: not one of %v", words[0], mayRequire)
		}
	}
	if found == 0 {
		t.Error("no requirement found: the test reads go.mod wrong")
	}
}

// TestFunctionsReadInOneBreath bounds their length.
func TestFunctionsReadInOneBreath(t *testing.T) {
	const longest = 60
	for _, dir := range packages(t) {
		set, files := sources(t, dir)
		for _, tree := range files {
			for _, decl := range tree.Decls {
				if f, ok := decl.(*ast.FuncDecl); ok {
					if lines := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; lines > longest {
						t.Errorf("%s: %s has %d lines, above %d", set.Position(f.Pos()), f.Name.Name, lines, longest)
					}
				}
			}
		}
	}
}
