package gateway_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// pair is key material as a program would have it.
type pair struct {
	Public  string
	Private []byte
}

func newStore(t *testing.T) gateway.FileStore[pair] {
	return gateway.FileStore[pair]{Path: filepath.Join(t.TempDir(), "keys.json")}
}

func save(t *testing.T, store gateway.FileStore[pair]) pair {
	t.Helper()
	p := pair{Public: "<public>", Private: []byte{1, 2, 3}}
	if err := store.Save(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return p
}

// files lists what lies beside the store's file.
func files(t *testing.T, store gateway.FileStore[pair]) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(store.Path))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestFileStoreKeepsMaterial(t *testing.T) {
	store := newStore(t)
	if _, err := store.Load(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("an empty store says %v", err)
	}
	for range 2 { // the second time over the first
		want := save(t, store)
		got, err := store.Load(t.Context())
		if err != nil || got.Public != want.Public || !slices.Equal(got.Private, want.Private) {
			t.Fatalf("got %+v, %v; want %+v", got, err, want)
		}
	}
	if names := files(t, store); len(names) != 1 {
		t.Errorf("left %v", names)
	}
	info, err := os.Stat(store.Path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestFileStorePutsABadFileAside(t *testing.T) {
	for _, row := range []struct {
		name string
		spot func(t *testing.T, path string)
		want string
	}{
		{"that others can read", func(t *testing.T, path string) { chmod(t, path, 0o640) }, "mode 0640 lets others read it, want 0600"},
		{"that is cut short", edit(func(text string) string { return text[:len(text)/2] }), "cut short or not a key file"},
		{"that holds a bare secret", edit(func(string) string { return `"c2VjcmV0"` }), "not a JSON object"},
		{"that is empty", edit(func(string) string { return "" }), "cut short or not a key file"},
		{"whose bits turned", edit(func(text string) string { return strings.Replace(text, "AQID", "AQIE", 1) }), "sha256: the file says"},
		{"with something behind it", edit(func(text string) string { return text + "{}" }), "after top-level value"},
	} {
		t.Run("a file "+row.name, func(t *testing.T) {
			store := newStore(t)
			save(t, store)
			row.spot(t, store.Path)
			bad, err := os.ReadFile(store.Path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = store.Load(t.Context())
			if !errors.Is(err, gateway.ErrCorrupt) || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), store.Path) {
				t.Fatalf("got %v, want ErrCorrupt that says %q", err, row.want)
			}
			if strings.Contains(err.Error(), "c2VjcmV0") {
				t.Errorf("the secret is told: %v", err)
			}
			if kept, err := os.ReadFile(store.Path + ".bad1"); err != nil || string(kept) != string(bad) {
				t.Errorf("kept %q, %v; want %q", kept, err, bad)
			}
			if _, err := store.Load(t.Context()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("then the store says %v", err)
			}
		})
	}
}

// TestFileStoreKeepsItsHandsOffALaterVersion: an agent that is downgraded must not burn the credential.
func TestFileStoreKeepsItsHandsOffALaterVersion(t *testing.T) {
	store := newStore(t)
	save(t, store)
	edit(func(text string) string { return strings.Replace(text, `"version":1`, `"version":2`, 1) })(t, store.Path)
	if _, err := store.Load(t.Context()); err == nil || errors.Is(err, gateway.ErrCorrupt) || !strings.Contains(err.Error(), "unknown version: 2, want 1") {
		t.Errorf("got %v", err)
	}
	if names := files(t, store); len(names) != 1 {
		t.Errorf("left %v", names)
	}
}

func TestFileStoreKeepsEveryBadFile(t *testing.T) {
	store := newStore(t)
	for range 3 {
		save(t, store)
		chmod(t, store.Path, 0o644)
		if _, err := store.Load(t.Context()); !errors.Is(err, gateway.ErrCorrupt) {
			t.Fatal(err)
		}
	}
	if names := files(t, store); !slices.Equal(names, []string{"keys.json.bad1", "keys.json.bad2", "keys.json.bad3"}) {
		t.Errorf("found %v", names)
	}
	if info, err := os.Stat(store.Path + ".bad1"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret stays open to others: %v, %v", info.Mode(), err)
	}
}

// TestFileStoreSaysWhatItCannotDo: none of these is corrupt material, so none may lead to minting.
func TestFileStoreSaysWhatItCannotDo(t *testing.T) {
	dir := gateway.FileStore[pair]{Path: t.TempDir()}
	if _, err := dir.Load(t.Context()); err == nil || errors.Is(err, gateway.ErrCorrupt) || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("loading a directory: %v", err)
	}
	missing := gateway.FileStore[pair]{Path: filepath.Join(t.TempDir(), "no", "keys.json")}
	if err := missing.Save(t.Context(), pair{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("saving into no directory: %v", err)
	}
	unfit := gateway.FileStore[func()]{Path: newStore(t).Path}
	var bad *json.UnsupportedTypeError
	if err := unfit.Save(t.Context(), func() {}); !errors.As(err, &bad) {
		t.Errorf("saving what JSON can't hold: %v", err)
	}
}

// TestAFailedSaveLeavesNothingBehind replaces the file by a directory, onto which nothing can be renamed.
func TestAFailedSaveLeavesNothingBehind(t *testing.T) {
	store := newStore(t)
	if err := os.MkdirAll(filepath.Join(store.Path, "taken"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := store.Save(t.Context(), pair{}); err == nil {
		t.Error("saved onto a directory")
	}
	if names := files(t, store); !slices.Equal(names, []string{"keys.json"}) {
		t.Errorf("left %v", names)
	}
}

func chmod(t *testing.T, path string, mode fs.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func edit(change func(text string) string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(change(string(text))), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
