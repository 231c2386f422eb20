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
	// Apply makes the interface what the file says; rebuild asks for a new one whatever is there.
	Apply func(ctx context.Context, rebuild bool) error
}

// Ensure makes the file hold text and the interface run on it. Where both are so already and no rebuild is asked for,
// nothing is touched, and it says so.
func (f File) Ensure(ctx context.Context, text string, rebuild bool) (touched bool, err error) {
	held, err := read(f.Path)
	if err != nil {
		return false, err
	}
	applied, err := read(f.Applied)
	if err != nil {
		return false, err
	}
	if held == text && applied == fingerprint(text) && !rebuild {
		return false, nil
	}
	// From here on the interface is not known to run on anything, until it is.
	if err := os.Remove(f.Applied); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if held != text {
		if err := maybe.WriteFile(f.Path, []byte(text), 0o600); err != nil {
			return false, err
		}
	}
	if err := f.Apply(ctx, rebuild || applied == ""); err != nil {
		return true, fmt.Errorf("applying %s: %w", f.Path, err)
	}
	return true, maybe.WriteFile(f.Applied, []byte(fingerprint(text)), 0o600)
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
