package gateway

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// FileStore keeps key material in a file that only its owner can read, as JSON. A file that others can read, that is cut
// short or altered is put aside under the same name with ".bad" and a number, and Load says ErrCorrupt.
type FileStore[K any] struct {
	// Path is the file. Its directory must exist.
	Path string
}

// fileVersion is the version of the envelope, which holds the material with its checksum: a file that lost its end or
// a bit is told from a good one whatever the material looks like.
const fileVersion = 1

type envelope struct {
	Version  int             `json:"version"`
	SHA256   string          `json:"sha256"`
	Material json.RawMessage `json:"material"`
}

// Load reads the material.
func (f FileStore[K]) Load(context.Context) (k K, err error) {
	info, err := os.Lstat(f.Path)
	if err != nil {
		return k, err
	}
	if !info.Mode().IsRegular() {
		return k, fmt.Errorf("%s: is %v, not a regular file", f.Path, info.Mode().Type())
	}
	text, err := os.ReadFile(f.Path)
	if err != nil {
		return k, err
	}
	err = errors.Join(private(info.Mode()), decode(text, &k))
	switch {
	case errors.Is(err, errVersion): // written by a later version, of which it may be good material
		return *new(K), fmt.Errorf("%s: %w", f.Path, err)
	case err != nil:
		return *new(K), f.putAside(err)
	}
	return k, nil
}

// errVersion says that a file is of a version that is not known here.
var errVersion = errors.New("unknown version")

// private refuses a mode that lets others in. Windows has no such modes.
func private(mode fs.FileMode) error {
	if perm := mode.Perm(); perm&0o077 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("mode %04o lets others read it, want 0600", perm)
	}
	return nil
}

func decode(text []byte, k any) error {
	var in envelope
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) { // no error may show what could be a bare key
		return errors.New("cut short or not a key file: not a JSON object")
	}
	if err := settings.Unmarshal(text, &in); err != nil {
		return fmt.Errorf("cut short or not a key file: %w", err)
	}
	if in.Version != fileVersion {
		return fmt.Errorf("%w: %d, want %d", errVersion, in.Version, fileVersion)
	}
	if sum := checksum(in.Material); sum != in.SHA256 {
		return fmt.Errorf("sha256: the file says %q, its material has %q", in.SHA256, sum)
	}
	if err := json.Unmarshal(in.Material, k); err != nil {
		return fmt.Errorf("material: %w", err)
	}
	return nil
}

func checksum(material []byte) string {
	sum := sha256.Sum256(material)
	return hex.EncodeToString(sum[:])
}

// putAside renames a bad file to a name that is free, so that nothing is lost, and closes it to others.
func (f FileStore[K]) putAside(why error) error {
	for n := 1; ; n++ {
		aside := fmt.Sprintf("%s.bad%d", f.Path, n)
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		if err := os.Rename(f.Path, aside); err != nil {
			return fmt.Errorf("%s: %w, and can't be put aside: %w", f.Path, why, err)
		}
		err := os.Chmod(aside, 0o600)
		return errors.Join(fmt.Errorf("%s: %w: %w; kept as %s", f.Path, ErrCorrupt, why, aside), err)
	}
}

// Save writes the material beside the file and renames it into place, so that a crash leaves the old or the new one.
func (f FileStore[K]) Save(_ context.Context, k K) (err error) {
	material, err := json.Marshal(k)
	if err != nil {
		return err
	}
	text, err := json.Marshal(envelope{fileVersion, checksum(material), material})
	if err != nil {
		return err
	}
	dir := filepath.Dir(f.Path)
	file, err := os.CreateTemp(dir, filepath.Base(f.Path)+".new*") // with mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name()) // what failed is told already
		}
	}()
	_, err = file.Write(append(text, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), f.Path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a rename last. Where a directory can't be opened or synced as a file, there is no way to.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
