package sdnotify_test

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// TestNothingIsSentBeforeReady tries everything, and then once more.
func TestNothingIsSentBeforeReady(t *testing.T) {
	s := listen(t, path(t))
	n := s.notifier()
	for _, method := range methods {
		if err := method.send(n); !errors.Is(err, sdnotify.ErrNotReady) {
			t.Errorf("%s: got %v, want that it is not ready", method.name, err)
		}
	}
	if err := n.Reloading(); !errors.Is(err, sdnotify.ErrNotReady) {
		t.Errorf("Reloading: got %v, want that it is not ready", err)
	}
	must(t, n.Ready())
	must(t, n.Ping(patience))
	s.want(t, "READY=1", "WATCHDOG=1")
}

func TestReadyIsSentOnce(t *testing.T) {
	s := listen(t, path(t))
	n := s.notifier()
	for range 3 {
		must(t, n.Ready())
	}
	must(t, n.Ping(patience))
	must(t, n.Ready())
	s.want(t, "READY=1", "WATCHDOG=1")
}

// TestReadyThatIsLostGoesAheadOfTheNextMessage has a service manager whose socket is not there yet, or not any more.
func TestReadyThatIsLostGoesAheadOfTheNextMessage(t *testing.T) {
	refused := func(t *testing.T, addr string) {
		t.Helper()
		must(t, listen(t, addr).conn.Close()) // its file stays
	}
	for _, row := range []struct {
		name    string
		prepare func(t *testing.T, addr string)
		cause   error
		said    string // what is said once the socket is there
	}{
		{"not there yet, then a ping", nil, fs.ErrNotExist, "Ping"},
		{"not there yet, then a status", nil, fs.ErrNotExist, "Status"},
		{"not there yet, then the end", nil, fs.ErrNotExist, "Stopping"},
		{"nobody listens, then a ping", refused, syscall.ECONNREFUSED, "Ping"},
	} {
		t.Run(row.name, func(t *testing.T) {
			addr := path(t)
			if row.prepare != nil {
				row.prepare(t, addr)
			}
			n := sdnotify.New(sdnotify.Environment{Socket: addr})
			for _, send := range []func() error{n.Ready, func() error { return n.Ping(patience) }, n.Ready} {
				if err := send(); !errors.Is(err, row.cause) {
					t.Errorf("got %v, want %v", err, row.cause)
				}
			}
			if err := os.Remove(addr); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			s := listen(t, addr)
			for _, method := range methods {
				if method.name == row.said {
					must(t, method.send(n))
					must(t, n.Ready())
					s.want(t, "READY=1", method.want)
				}
			}
		})
	}
}

// TestReadyThatIsLostMayBeSaidAgain says it once more instead of something else.
func TestReadyThatIsLostMayBeSaidAgain(t *testing.T) {
	addr := path(t)
	n := sdnotify.New(sdnotify.Environment{Socket: addr})
	if err := n.Ready(); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("got %v", err)
	}
	s := listen(t, addr)
	must(t, n.Ready())
	must(t, n.Ready())
	s.want(t, "READY=1")
}

// TestAServiceManagerThatIsExecutedAnewIsFound opens a new socket at the same path.
func TestAServiceManagerThatIsExecutedAnewIsFound(t *testing.T) {
	addr := path(t)
	first := listen(t, addr)
	n := first.notifier()
	must(t, n.Ready())
	first.want(t, "READY=1")
	must(t, first.conn.Close())
	if err := n.Ping(patience); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("got %v while nobody listens", err)
	}
	must(t, os.Remove(addr))
	second := listen(t, addr)
	must(t, n.Ping(patience))
	second.want(t, "WATCHDOG=1")
}
