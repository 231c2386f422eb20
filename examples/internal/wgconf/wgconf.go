// Package wgconf keeps the configuration file of a WireGuard interface and makes the interface what the file says, as
// seldom as possible: what is as it should be is not touched.
package wgconf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/register"
)

// Text is the configuration of a guest's interface in the form that wg-quick reads. A zero keepalive sends none.
func Text(key wgtypes.Key, lease register.Lease, keepalive time.Duration) string {
	var b strings.Builder
	own, gateway := register.Host(lease.Address), register.Host(lease.GatewayAddress)
	fmt.Fprintf(&b, "[Interface]\nPrivateKey = %s\nAddress = %s\n\n", key, own.String())
	fmt.Fprintf(&b, "[Peer]\nPublicKey = %s\nEndpoint = %s\nAllowedIPs = %s\n", lease.GatewayKey, lease.Endpoint, gateway.String())
	if keepalive > 0 {
		fmt.Fprintf(&b, "PersistentKeepalive = %d\n", int(keepalive.Seconds()))
	}
	return b.String()
}

// File is the configuration file of one interface, and how it is applied.
type File struct {
	// Path is the file. It is written whole or not at all, with mode 0600.
	Path string
	// Applied is a file that tells which text the interface runs on. It must not outlive the interface, so it belongs
	// under /run: a file that was written but not applied, because that failed or the machine went down, must not be
	// taken for unchanged.
	Applied string
	// Apply makes the interface what the file says, whatever it was before.
	Apply func(ctx context.Context) error
}

// Ensure makes the file hold text and the interface run on it. Where both are so already and no rebuild is asked for,
// nothing is touched, and it says so.
func (f File) Ensure(ctx context.Context, text string, rebuild bool) (touched bool, err error) {
	held, applied, err := f.state()
	if err != nil {
		return false, err
	}
	if held == text && applied && !rebuild {
		return false, nil
	}
	if held != text || f.open() {
		if err := f.write(text); err != nil {
			return false, err
		}
	}
	return true, f.apply(ctx, text)
}

// write replaces the file. The mode of the one before, which the replacement takes over, may be too open for a key.
func (f File) write(text string) error {
	if f.open() {
		if err := os.Chmod(f.Path, 0o600); err != nil {
			return err
		}
	}
	return maybe.WriteFile(f.Path, []byte(text), 0o600)
}

// Running says whether there is a text and the interface runs on it.
func (f File) Running() (bool, error) {
	held, applied, err := f.state()
	return held != "" && applied, err
}

// Resume makes the interface run on the text that an earlier run, or an earlier boot, left. Where there is none, or the
// interface runs on it, nothing is touched.
func (f File) Resume(ctx context.Context) error {
	held, applied, err := f.state()
	if err != nil || held == "" || applied {
		return err
	}
	return f.apply(ctx, held)
}

// state is what the file holds, and whether the interface runs on it.
func (f File) state() (held string, applied bool, err error) {
	held, err = read(f.Path)
	if err != nil {
		return "", false, err
	}
	mark, err := read(f.Applied)
	return held, mark == fingerprint(held), err
}

// apply makes the interface run on text. Until it does, it is not known to run on anything.
func (f File) apply(ctx context.Context, text string) error {
	if err := os.Remove(f.Applied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.Apply(ctx); err != nil {
		return fmt.Errorf("applying %s: %w", f.Path, err)
	}
	return maybe.WriteFile(f.Applied, []byte(fingerprint(text)), 0o600)
}

// open says that others may read the file, which holds a private key. Windows has no such modes.
func (f File) open() bool {
	info, err := os.Stat(f.Path)
	return err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows"
}

// read is what a file holds, empty where there is none.
func read(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// fingerprint stands for a text without giving away its key.
func fingerprint(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
