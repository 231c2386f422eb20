package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"os"
	"sync"
	"time"

	"github.com/google/renameio/v2/maybe"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/examples/internal/wglab"
)

const (
	interfaceName = "wg0"

	// guestKeepalive is the guest's own, which sends the first packet. It must be far slower than the gateway's: every
	// packet received puts off the next keepalive of the other side, so that at a like pace each would silence the other,
	// and a healthy tunnel would look dead.
	guestKeepalive = 25 * time.Second
)

// tunnel is the guest's WireGuard interface, which comes and goes, and the file with its configuration, which stays.
type tunnel struct {
	path string // of the configuration

	mu     sync.Mutex
	end    *wglab.End     // nil: no interface
	lease  register.Lease // that end was built from
	builds int
}

// load reads the configuration that was kept; fs.ErrNotExist says that there is none.
func (t *tunnel) load() (kept register.Lease, err error) {
	text, err := os.ReadFile(t.path)
	if err != nil {
		return register.Lease{}, err
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		return register.Lease{}, err
	}
	return kept, kept.Validate()
}

// keep writes the configuration, whole or not at all.
func (t *tunnel) keep(granted register.Lease) error {
	text, err := json.Marshal(granted)
	if err != nil {
		return err
	}
	return maybe.WriteFile(t.path, text, 0o600)
}

// apply makes the interface what granted says and tells whether it had to be built for that: one that is as it should
// be is left alone, unless it is to be rebuilt whatever comes.
func (t *tunnel) apply(key wgtypes.Key, granted register.Lease, rebuild bool) (built bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.end != nil && t.lease == granted && !rebuild {
		return false, nil
	}
	peer, err := granted.Peer(guestKeepalive)
	if err != nil {
		return false, err
	}
	t.closeLocked()
	t.end, err = wglab.Open(interfaceName, granted.Address, wgtypes.Config{PrivateKey: &key, Peers: []wgtypes.PeerConfig{peer}})
	if err != nil {
		return false, err
	}
	t.lease = granted
	t.builds++
	return true, nil
}

// current is the interface, or an error that wraps fs.ErrNotExist.
func (t *tunnel) current() (*wglab.End, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.end == nil {
		return nil, fmt.Errorf("%s: %w", interfaceName, fs.ErrNotExist)
	}
	return t.end, nil
}

// Device reads the interface, whichever it is at the time: a wgtunnel.Client.
func (t *tunnel) Device(name string) (*wgtypes.Device, error) {
	end, err := t.current()
	if err != nil {
		return nil, err
	}
	return end.Device(name)
}

// DialContext connects through the interface, whichever it is at the time.
func (t *tunnel) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	end, err := t.current()
	if err != nil {
		return nil, err
	}
	return end.DialContext(ctx, network, address)
}

// built is how often the interface was built.
func (t *tunnel) built() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.builds
}

func (t *tunnel) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closeLocked()
}

func (t *tunnel) closeLocked() {
	if t.end != nil {
		t.end.Close()
	}
	t.end = nil
}
