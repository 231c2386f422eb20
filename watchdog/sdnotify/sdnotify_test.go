package sdnotify_test

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/evenkeel-go/evenkeel/internal/testenv"
	"github.com/evenkeel-go/evenkeel/watchdog"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// A Notifier is what the runner of package watchdog pings through.
var _ watchdog.Notifier = (*sdnotify.Notifier)(nil)

// methods is everything that a Notifier can say, but READY and the reload, of which the time is part.
var methods = []struct {
	name string
	send func(n *sdnotify.Notifier) error
	want string
}{
	{"Ping", func(n *sdnotify.Notifier) error { return n.Ping(patience) }, "WATCHDOG=1"},
	{"Status", func(n *sdnotify.Notifier) error { return n.Status("main: looking", patience) }, "STATUS=main: looking"},
	{"Status of nothing", func(n *sdnotify.Notifier) error { return n.Status("", patience) }, "STATUS="},
	{"Reloaded", func(n *sdnotify.Notifier) error { return n.Reloaded(nil) }, "READY=1"},
	{"Reloaded in vain", func(n *sdnotify.Notifier) error { return n.Reloaded(errors.New("line 3:\nno such key")) }, "READY=1\nSTATUS=reload failed: line 3: no such key"},
	{"Stopping", func(n *sdnotify.Notifier) error { return n.Stopping() }, "STOPPING=1"},
}

// TestWhatIsSent has the bytes of each message, on both kinds of socket.
func TestWhatIsSent(t *testing.T) {
	for _, method := range methods {
		t.Run(method.name, func(t *testing.T) {
			s := listen(t, path(t))
			n := s.notifier()
			must(t, n.Ready())
			must(t, method.send(n))
			s.want(t, "READY=1", method.want)
		})
	}
	t.Run("to an abstract address", func(t *testing.T) {
		if runtime.GOOS != "linux" {
			testenv.Skip(t, "no abstract addresses but on Linux")
		}
		s := listen(t, fmt.Sprint("@evenkeel-sdnotify-", os.Getpid()))
		n := s.notifier()
		must(t, n.Ready())
		for _, method := range methods[:2] {
			must(t, method.send(n))
		}
		s.want(t, "READY=1", "WATCHDOG=1", "STATUS=main: looking")
	})
}

// TestReloadingCarriesTheTime wants both lines in one datagram: systemd takes RELOADING alone for a mistake.
func TestReloadingCarriesTheTime(t *testing.T) {
	if daemon.SdNotifyMonotonicUsec() == "" {
		testenv.Skip(t, "no monotonic clock here")
	}
	s := listen(t, path(t))
	n := s.notifier()
	must(t, n.Ready())
	before := monotonic(t, daemon.SdNotifyMonotonicUsec())
	must(t, n.Reloading())
	after := monotonic(t, daemon.SdNotifyMonotonicUsec())
	got := s.all(t)
	if len(got) != 2 || !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=[0-9]+$`).MatchString(got[1]) {
		t.Fatalf("got %q", got)
	}
	if at := monotonic(t, got[1]); at < before || at > after {
		t.Errorf("the reload began at %d, between %d and %d", at, before, after)
	}
}

// monotonic is the time that a message carries.
func monotonic(t *testing.T, message string) uint64 {
	t.Helper()
	_, digits, _ := strings.Cut(message, "MONOTONIC_USEC=")
	usec, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return usec
}

// TestTheBytesAreThoseOfGoSystemd sends the same through both.
func TestTheBytesAreThoseOfGoSystemd(t *testing.T) {
	s := listen(t, path(t))
	t.Setenv("NOTIFY_SOCKET", s.addr)
	n := s.notifier()
	for _, row := range []struct {
		send  func() error
		state string
	}{
		{n.Ready, daemon.SdNotifyReady},
		{func() error { return n.Ping(patience) }, daemon.SdNotifyWatchdog},
		{n.Stopping, daemon.SdNotifyStopping},
	} {
		must(t, row.send())
		if sent, err := daemon.SdNotify(false, row.state); !sent || err != nil {
			t.Fatalf("go-systemd sent: %v, %v", sent, err)
		}
		if ours, theirs := s.next(t), s.next(t); ours != theirs {
			t.Errorf("ours is %q, theirs is %q", ours, theirs)
		}
	}
}

// TestAnInertNotifierSendsNothing has those that nobody asked for any message, while the environment says otherwise: it
// was taken at the start, and what it says later does not count.
func TestAnInertNotifierSendsNothing(t *testing.T) {
	s := listen(t, path(t))
	t.Setenv("NOTIFY_SOCKET", s.addr)
	for name, n := range map[string]*sdnotify.Notifier{
		"the zero Notifier":       {},
		"of no environment":       sdnotify.New(sdnotify.Environment{}),
		"of a socket that is bad": sdnotify.New(sdnotify.Parse(environment("NOTIFY_SOCKET", "vsock:2:1234"), 1)),
	} {
		for _, ready := range []bool{false, true} {
			if ready {
				must(t, n.Ready())
			}
			for _, method := range methods {
				if err := method.send(n); err != nil {
					t.Errorf("%s, ready %v: %s is %v", name, ready, method.name, err)
				}
			}
			must(t, n.Reloading())
		}
	}
	s.want(t)
}

// TestAnUnsetEnvironmentIsNoSilence unsets the variable after READY, as other parts of a program may.
func TestAnUnsetEnvironmentIsNoSilence(t *testing.T) {
	s := listen(t, path(t))
	t.Setenv("NOTIFY_SOCKET", s.addr)
	n := sdnotify.New(sdnotify.Parse(os.LookupEnv, os.Getpid()))
	must(t, n.Ready())
	must(t, os.Unsetenv("NOTIFY_SOCKET"))
	for range 3 {
		must(t, n.Ping(patience))
	}
	s.want(t, "READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1")
}

// TestGoroutinesShareANotifier has each of them say that the program is ready.
func TestGoroutinesShareANotifier(t *testing.T) {
	s := listen(t, path(t))
	n := s.notifier()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := errors.Join(n.Ready(), n.Ping(patience), n.Status("at work", patience)); err != nil {
				t.Error(err)
			}
		})
	}
	inTime(t, all.Wait)
	count := map[string]int{}
	got := s.all(t)
	for _, message := range got {
		count[message]++
	}
	if len(got) != 9 || got[0] != "READY=1" || count["READY=1"] != 1 || count["WATCHDOG=1"] != 4 {
		t.Errorf("got %q", got)
	}
}
