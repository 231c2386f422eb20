package wgtunnel_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/gateway/wgtunnel"
)

// fake is a client whose answers a test sets.
type fake struct {
	peers []wgtypes.Peer
	err   error
	hang  chan struct{} // not nil: reads block until it is closed
	reads atomic.Int32
}

func (f *fake) Device(name string) (*wgtypes.Device, error) {
	f.reads.Add(1)
	if f.hang != nil {
		<-f.hang
	}
	if f.err != nil {
		return nil, f.err
	}
	return &wgtypes.Device{Name: name, Peers: f.peers}, nil
}

var (
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a, b  = wgtypes.Key{1}, wgtypes.Key{2}
)

func at(second int) time.Time { return start.Add(time.Duration(second) * time.Second) }

// peer is one whose last handshake was at this second; a negative one never had any.
func peer(key wgtypes.Key, handshake int, received int64) wgtypes.Peer {
	p := wgtypes.Peer{PublicKey: key, ReceiveBytes: received}
	if handshake >= 0 {
		p.LastHandshakeTime = at(handshake)
	}
	return p
}

func present(context.Context) (bool, error) { return true, nil }

func newObserver(client wgtunnel.Client) *wgtunnel.Observer {
	return &wgtunnel.Observer{Client: client, Interface: "wg0", Config: present}
}

// What looks find.
const (
	unknown = -2
	never   = -1
)

// wantLook looks and wants a handshake at this second, or never, or unknown together with an error that says failure.
func wantLook(t *testing.T, o *wgtunnel.Observer, handshake int, failure string) {
	t.Helper()
	obs, err := o.Observe(t.Context())
	want := gateway.Observation{Config: gateway.ConfigPresent}
	switch handshake {
	case unknown:
	case never:
		want.Handshake = gateway.HandshakeNever
	default:
		want.Handshake, want.Stamp = gateway.HandshakeSeen, at(handshake).UnixNano()
	}
	if obs != want || (err != nil) != (failure != "") || err != nil && !strings.Contains(err.Error(), failure) {
		t.Fatalf("got %+v, %v; want %+v, %q", obs, err, want, failure)
	}
}

func TestTheStalestPeerDecides(t *testing.T) {
	f := &fake{}
	o := newObserver(f)
	for _, row := range []struct{ a, b, want int }{{10, 20, 10}, {30, 20, 20}, {30, 20, 20}, {40, 50, 40}} {
		f.peers = []wgtypes.Peer{peer(a, row.a, 0), peer(b, row.b, 0)}
		wantLook(t, o, row.want, "")
	}
}

func TestAPeerWithoutAHandshakeIsTheStalest(t *testing.T) {
	f := &fake{peers: []wgtypes.Peer{peer(a, 10, 0), peer(b, -1, 0)}}
	wantLook(t, newObserver(f), never, "")
	f.peers[1].LastHandshakeTime = time.Unix(0, 0) // how a device that keeps seconds says never
	wantLook(t, newObserver(f), never, "")
}

func TestPeersThatAreNotNeededDoNotCount(t *testing.T) {
	f := &fake{peers: []wgtypes.Peer{peer(a, 10, 50), peer(b, -1, 50)}}
	o := newObserver(f)
	o.Peers = []wgtypes.Key{a}
	wantLook(t, o, 10, "")
	f.peers = []wgtypes.Peer{peer(a, 20, 60)} // nor does it matter that b goes
	wantLook(t, o, 20, "")
}

func TestBadNewsCountsWhenItIsReadTwice(t *testing.T) {
	good := []wgtypes.Peer{peer(a, 10, 1000), peer(b, 20, 1000)}
	for _, row := range []struct {
		name    string
		bad     []wgtypes.Peer
		err     error
		needed  []wgtypes.Key
		failure string
		then    int
	}{
		{name: "a needed peer is missing", bad: good[:1], needed: []wgtypes.Key{a, b}, failure: b.String() + ": vanished", then: never},
		{name: "one of all peers vanished", bad: good[:1], failure: b.String() + ": vanished", then: 10},
		{name: "no peers", bad: nil, failure: "no peers", then: never},
		{name: "no interface", err: fmt.Errorf("wg0: %w", fs.ErrNotExist), failure: "no peers", then: never},
		{name: "received bytes went back", bad: []wgtypes.Peer{good[0], peer(b, 20, 10)}, failure: "received bytes went back from 1000", then: 10},
		{name: "a handshake went back", bad: []wgtypes.Peer{good[0], peer(b, 1, 1000)}, failure: "handshake went back from", then: 1},
		{name: "a handshake is gone", bad: []wgtypes.Peer{good[0], peer(b, -1, 1000)}, failure: "handshake went back from", then: never},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := &fake{peers: good}
			o := newObserver(f)
			o.Peers = row.needed
			wantLook(t, o, 10, "")
			f.peers, f.err = row.bad, row.err
			wantLook(t, o, unknown, row.failure)
			f.peers, f.err = good, nil // it was half an answer
			wantLook(t, o, 10, "")
			f.peers, f.err = row.bad, row.err
			wantLook(t, o, unknown, row.failure)
			for range 3 { // what is believed is no news any more
				wantLook(t, o, row.then, "")
			}
		})
	}
}

// TestTwoDifferentHalvesAreNotTheSameNews: each peer is missing from one dump only.
func TestTwoDifferentHalvesAreNotTheSameNews(t *testing.T) {
	good := []wgtypes.Peer{peer(a, 10, 0), peer(b, 20, 0)}
	f := &fake{peers: good}
	o := newObserver(f)
	wantLook(t, o, 10, "")
	f.peers = good[:1]
	wantLook(t, o, unknown, b.String()+": vanished")
	f.peers = good[1:]
	wantLook(t, o, unknown, a.String()+": vanished")
	f.err = errors.New("no answer")
	wantLook(t, o, unknown, "no answer")
	f.err = nil
	wantLook(t, o, unknown, a.String()+": vanished") // a failed look in between: not twice running
	f.peers = good
	wantLook(t, o, 10, "")
}

// TestALivePeerHidesADeadOneForOneHandshake has two peers, one of which dies at 310 s: alone it would be forced 180 s
// later. The other one's next handshake, at most 120 s later, puts that off once.
func TestALivePeerHidesADeadOneForOneHandshake(t *testing.T) {
	f := &fake{}
	o := newObserver(f)
	kernel, err := gateway.New(gateway.Config{RefreshInterval: -1})
	if err != nil {
		t.Fatal(err)
	}
	var s gateway.State
	for second := 200; second <= 700; second += 10 {
		f.peers = []wgtypes.Peer{peer(a, (second-60)/120*120+60, 0), peer(b, min(second, 310), 0)} // a: 180, 300, 420, ...
		obs, err := o.Observe(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var d gateway.Decision
		if s, d = kernel.Step(s, obs, at(second)); d.Action == gateway.ActionForceRefresh {
			if second < 490 || second > 490+120 {
				t.Errorf("forced at %d s, want 490 and up to 120 s more", second)
			}
			return
		}
	}
	t.Error("never forced")
}

func TestAPeerThatIsGoneMayComeBack(t *testing.T) {
	f := &fake{peers: []wgtypes.Peer{peer(a, 10, 1000)}}
	o := newObserver(f)
	wantLook(t, o, 10, "")
	f.peers = nil
	wantLook(t, o, unknown, "no peers")
	wantLook(t, o, never, "")
	f.peers = []wgtypes.Peer{peer(a, 50, 10)}
	wantLook(t, o, 50, "")
}

func TestAReadThatFailsIsUnknownHoweverOften(t *testing.T) {
	f := &fake{err: errors.New("connection refused")}
	o := newObserver(f)
	for range 5 {
		wantLook(t, o, unknown, "reading wg0: connection refused")
	}
}

func TestReceivedBytesProveLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{}
		o := newObserver(f)
		o.ReceivedBytes = true
		began := time.Now()
		look := func(received int64, want time.Duration, why string) {
			t.Helper()
			time.Sleep(time.Second)
			f.peers = []wgtypes.Peer{{PublicKey: a, LastHandshakeTime: began, ReceiveBytes: received}}
			obs, err := o.Observe(t.Context())
			if got := time.Duration(obs.Stamp - began.UnixNano()); err != nil || got != want {
				t.Fatalf("%s: heard at %v, %v; want %v", why, got, err, want)
			}
		}
		look(5000, 0, "counters outlive us: a first look proves nothing")
		look(5000, 0, "nothing was received")
		look(5032, 3*time.Second, "a keepalive")
		look(5180, 3*time.Second, "an initiation is a knock, not an answer")
		look(5180+3*148, 3*time.Second, "nor are three")
		look(5180+3*148+149, 6*time.Second, "but more than that is")
	})
}

func TestReceivedBytesThatBeginAnewProveNothing(t *testing.T) {
	f := &fake{peers: []wgtypes.Peer{peer(a, -1, 500)}}
	o := newObserver(f)
	o.ReceivedBytes = true
	wantLook(t, o, never, "")
	f.peers = []wgtypes.Peer{peer(a, -1, 100)}
	wantLook(t, o, unknown, "received bytes went back from 500")
	wantLook(t, o, never, "")
	wantLook(t, o, never, "")
}

// TestAReadThatHangsHoldsUpNothing stops the daemon under the interface, as a SIGSTOP would.
func TestAReadThatHangsHoldsUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{peers: []wgtypes.Peer{peer(a, 10, 0)}, hang: make(chan struct{})}
		o := newObserver(f)
		began := time.Now()
		wantLook(t, o, unknown, "deadline exceeded")
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("the read was given up after %v, want 5 s", took)
		}
		wantLook(t, o, unknown, "the read before has not come back")
		if took := time.Since(began); took != 5*time.Second || f.reads.Load() != 1 {
			t.Errorf("%d reads began, the second look ended after %v", f.reads.Load(), took)
		}
		close(f.hang)
		synctest.Wait()
		wantLook(t, o, 10, "")
	})
}

func TestALookEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{hang: make(chan struct{})}
		defer close(f.hang)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if _, err := newObserver(f).Observe(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
	})
}

func TestWithoutAConfigurationTheTunnelIsNotRead(t *testing.T) {
	f := &fake{}
	o := newObserver(f)
	there, failure := false, error(nil)
	o.Config = func(context.Context) (bool, error) { return there, failure }
	if obs, err := o.Observe(t.Context()); err != nil || obs != (gateway.Observation{Config: gateway.ConfigAbsent}) {
		t.Errorf("got %+v, %v", obs, err)
	}
	failure = errors.New("no such disk")
	if obs, err := o.Observe(t.Context()); !errors.Is(err, failure) || obs != (gateway.Observation{}) {
		t.Errorf("got %+v, %v", obs, err)
	}
	if n := f.reads.Load(); n != 0 {
		t.Errorf("%d reads", n)
	}
}

func TestConfigFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wg0.conf")
	check := func(want bool) {
		t.Helper()
		if got, err := wgtunnel.ConfigFile(path)(t.Context()); got != want || err != nil {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	check(false)
	for content, want := range map[string]bool{"": false, "[Interface]": true} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		check(want)
	}
	if there, err := wgtunnel.ConfigFile(filepath.Join(path, "below a file"))(t.Context()); there || err == nil {
		t.Errorf("what can't be read is %v, %v", there, err)
	}
}
