package wgconf_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/examples/internal/wgconf"
)

// recorder notes how often an interface was made, and how.
type recorder struct {
	applied int
	err     error
}

func (r *recorder) apply(context.Context) error {
	r.applied++
	return r.err
}

func newFile(t *testing.T) (wgconf.File, *recorder) {
	dir, r := t.TempDir(), &recorder{}
	return wgconf.File{Path: filepath.Join(dir, "wg0.conf"), Applied: filepath.Join(dir, "applied"), Apply: r.apply}, r
}

// ensure wants the file to be made this text, and the interface to have been made so often in all.
func ensure(t *testing.T, f wgconf.File, r *recorder, text string, rebuild bool, applied int) {
	t.Helper()
	before := r.applied
	touched, err := f.Ensure(t.Context(), text, rebuild)
	if !errors.Is(err, r.err) || touched != (r.applied > before) || r.applied != applied {
		t.Fatalf("touched %v, %v; applied %d times, want %d", touched, err, r.applied, applied)
	}
	if held, err := os.ReadFile(f.Path); err != nil || string(held) != text {
		t.Fatalf("the file holds %q, %v", held, err)
	}
}

func TestAnUnchangedConfigurationTouchesNothing(t *testing.T) {
	f, r := newFile(t)
	ensure(t, f, r, "a", false, 1)
	before, err := os.Stat(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	ensure(t, f, r, "a", false, 1)
	if after, err := os.Stat(f.Path); err != nil || !os.SameFile(before, after) || before.Mode().Perm() != 0o600 {
		t.Errorf("the file was written again, mode %v, %v", before.Mode(), err)
	}
	ensure(t, f, r, "b", false, 2)
	ensure(t, f, r, "b", true, 3)
}

// TestAnApplyThatFailedIsNotTakenForUnchanged is the failure behind Applied: the file was right, the interface was not.
func TestAnApplyThatFailedIsNotTakenForUnchanged(t *testing.T) {
	f, r := newFile(t)
	r.err = errors.New("no such device")
	ensure(t, f, r, "a", false, 1)
	ensure(t, f, r, "a", false, 2)
	r.err = nil
	ensure(t, f, r, "a", false, 3)
	ensure(t, f, r, "a", false, 3)
	r.err = errors.New("no such device")
	ensure(t, f, r, "a", true, 4) // a rebuild that fails is not forgotten either
	r.err = nil
	ensure(t, f, r, "a", false, 5)
}

// TestAMachineThatRebootedIsMadeAnew loses what lies under /run, as the interface does.
func TestAMachineThatRebootedIsMadeAnew(t *testing.T) {
	f, r := newFile(t)
	ensure(t, f, r, "a", false, 1)
	if err := os.Remove(f.Applied); err != nil {
		t.Fatal(err)
	}
	ensure(t, f, r, "a", false, 2)
}

// TestWhatWasLeftIsResumed boots with a file, with and without a trace of the interface.
func TestWhatWasLeftIsResumed(t *testing.T) {
	f, r := newFile(t)
	running := func(want bool, applied int) {
		t.Helper()
		if got, err := f.Running(); got != want || err != nil || r.applied != applied {
			t.Fatalf("running %v, %v after %d times, want %v after %d", got, err, r.applied, want, applied)
		}
	}
	resume := func() {
		t.Helper()
		if err := f.Resume(t.Context()); !errors.Is(err, r.err) {
			t.Fatal(err)
		}
	}
	resume() // nothing was left
	running(false, 0)
	if err := os.WriteFile(f.Path, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	running(false, 0) // a file alone is no interface
	r.err = errors.New("no such device")
	resume()
	running(false, 1)
	r.err = nil
	resume()
	running(true, 2)
	resume()
	running(true, 2)
}

// TestAFileThatOthersCanReadIsClosed holds a private key.
func TestAFileThatOthersCanReadIsClosed(t *testing.T) {
	f, r := newFile(t)
	ensure(t, f, r, "a", false, 1)
	if err := os.Chmod(f.Path, 0o644); err != nil {
		t.Fatal(err)
	}
	ensure(t, f, r, "a", true, 2)
	if info, err := os.Stat(f.Path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAFileThatCannotBeReadIsNotOverwritten(t *testing.T) {
	f, r := newFile(t)
	if err := os.Mkdir(f.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if touched, err := f.Ensure(t.Context(), "a", false); touched || err == nil || r.applied != 0 {
		t.Errorf("touched %v, %v", touched, err)
	}
}

func TestText(t *testing.T) {
	lease := register.Lease{
		Address: netip.MustParseAddr("10.80.0.2"), GatewayAddress: netip.MustParseAddr("fd00::1"),
		GatewayKey: wgtypes.Key{1}.String(), Endpoint: netip.MustParseAddrPort("127.0.0.1:51820"),
	}
	want := `[Interface]
PrivateKey = ` + wgtypes.Key{2}.String() + `
Address = 10.80.0.2/32

[Peer]
PublicKey = ` + wgtypes.Key{1}.String() + `
Endpoint = 127.0.0.1:51820
AllowedIPs = fd00::1/128
PersistentKeepalive = 25
`
	if got := wgconf.Text(wgtypes.Key{2}, lease, 25*time.Second); got != want {
		t.Errorf("got:\n%s", got)
	}
}
