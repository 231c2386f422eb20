package wglab_test

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/wglab"
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/gateway/wgtunnel"
	"github.com/evenkeel-go/evenkeel/internal/testenv"
)

// daemonVariable turns this test binary into a WireGuard daemon for the interface that it names.
const daemonVariable = "WGLAB_DAEMON"

func TestMain(m *testing.M) {
	if name := os.Getenv(daemonVariable); name != "" {
		if err := daemon(name); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// daemon serves an end that has one peer, until it is killed.
func daemon(name string) error {
	end, err := wglab.Open(name, netip.MustParseAddr("10.80.0.1"), wgtypes.Config{Peers: []wgtypes.PeerConfig{{PublicKey: wgtypes.Key{1}}}})
	if err != nil {
		return err
	}
	if _, err := end.Serve(); err != nil {
		return err
	}
	fmt.Println("serving")
	select {}
}

// startDaemon starts one and gives its process and the name of its interface.
func startDaemon(t *testing.T) (*os.Process, string) {
	t.Helper()
	if os.Geteuid() != 0 {
		testenv.Skip(t, "the sockets of wgctrl need root")
	}
	name := fmt.Sprintf("lab%x", os.Getpid())
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), daemonVariable+"="+name)
	out, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = child.Process.Kill()
		_ = child.Wait()
		_ = os.Remove("/var/run/wireguard/" + name + ".sock") // a daemon that is killed leaves it behind
	})
	said := make([]byte, 200)
	n, err := out.Read(said)
	if err != nil || !strings.HasPrefix(string(said[:n]), "serving") {
		t.Fatalf("the daemon says %q, %v", said[:n], err)
	}
	return child.Process, name
}

// TestADaemonThatIsStoppedOrKilledIsUnknown observes a real daemon through the real wgctrl.
func TestADaemonThatIsStoppedOrKilledIsUnknown(t *testing.T) {
	process, name := startDaemon(t)
	client, err := wgctrl.New()
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	o := &wgtunnel.Observer{
		Client: client, Interface: name, Timeout: time.Second,
		Config: func(context.Context) (bool, error) { return true, nil },
	}
	look := func(want gateway.HandshakeStatus, failure string) {
		t.Helper()
		began := time.Now()
		obs, err := o.Observe(t.Context())
		if obs.Handshake != want || obs.Config != gateway.ConfigPresent || (err != nil) != (failure != "") || err != nil && !strings.Contains(err.Error(), failure) {
			t.Fatalf("got %+v, %v; want %v, %q", obs, err, want, failure)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("a look took %v", took)
		}
	}
	signal := func(s syscall.Signal) {
		t.Helper()
		if err := process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}

	look(gateway.HandshakeNever, "")
	signal(syscall.SIGSTOP)
	untilStopped(t, process.Pid)
	look(gateway.HandshakeUnknown, "deadline exceeded")
	look(gateway.HandshakeUnknown, "the read before has not come back")
	signal(syscall.SIGCONT)
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if obs, err := o.Observe(t.Context()); err == nil && obs.Handshake == gateway.HandshakeNever {
			break
		} else if time.Now().After(end) {
			t.Fatalf("after it goes on: %+v, %v", obs, err)
		}
	}
	signal(syscall.SIGKILL)
	if _, err := process.Wait(); err != nil {
		t.Fatal(err)
	}
	for range 3 { // its socket stays, and nobody listens: however often that is read, it proves nothing
		look(gateway.HandshakeUnknown, "connection refused")
	}
	if err := os.Remove("/var/run/wireguard/" + name + ".sock"); err != nil {
		t.Fatal(err)
	}
	look(gateway.HandshakeUnknown, "no peers") // no interface at all is an answer, which counts when it is read twice
	look(gateway.HandshakeNever, "")
}

// untilStopped waits until every thread of a process has stopped: the signal only asks for it.
func untilStopped(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stats, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil || len(stats) == 0 {
			t.Fatalf("found %v, %v", stats, err)
		}
		running := slices.ContainsFunc(stats, func(path string) bool {
			text, err := os.ReadFile(path)
			_, state, _ := strings.Cut(string(text), ") ")
			return err == nil && !strings.HasPrefix(state, "T")
		})
		if !running {
			return
		}
	}
	t.Fatal("the process does not stop")
}
