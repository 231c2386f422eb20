package sdnotify_test

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/testenv"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// fill sends pings that nobody reads, until none can be sent any more. It gives how many were. One that fails alone may
// have met a busy machine, not a full queue.
func (s *socket) fill(t *testing.T, n *sdnotify.Notifier) (pings int) {
	t.Helper()
	if runtime.GOOS != "linux" {
		testenv.Skip(t, "elsewhere than on Linux a full queue is an error at once")
	}
	inTime(t, func() {
		for failed := 0; failed < 2; failed++ {
			for ; n.Ping(50*time.Millisecond) == nil; failed = 0 {
				pings++
			}
		}
	})
	return pings
}

// drain reads so many pings.
func (s *socket) drain(t *testing.T, pings int) {
	t.Helper()
	for range pings {
		if got := s.next(t); got != "WATCHDOG=1" {
			t.Fatalf("got %q among the pings", got)
		}
	}
}

// TestAFullQueueHangsNobody has a service manager that does not read for a while: each send ends, at its limit or at
// that of those that have none, and all is well afterwards.
func TestAFullQueueHangsNobody(t *testing.T) {
	s := listen(t, path(t))
	n := s.notifier()
	must(t, n.Ready())
	if got := s.next(t); got != "READY=1" {
		t.Fatalf("got %q", got)
	}
	pings := s.fill(t, n)
	for name, send := range map[string]func() error{
		"Ping":      func() error { return n.Ping(10 * time.Millisecond) },
		"Status":    func() error { return n.Status("looking", 10*time.Millisecond) },
		"Reloading": n.Reloading,
		"Reloaded":  func() error { return n.Reloaded(nil) },
		"Stopping":  n.Stopping,
	} {
		inTime(t, func() {
			if err := send(); !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("%s: got %v, want the end of its limit", name, err)
			}
		})
	}
	s.drain(t, pings)
	must(t, n.Ping(patience))
	s.want(t, "WATCHDOG=1")
}

// TestASendWaitsForItsLimit drains the queue while a ping waits: it was no error to wait.
func TestASendWaitsForItsLimit(t *testing.T) {
	s := listen(t, path(t))
	n := s.notifier()
	must(t, n.Ready())
	if got := s.next(t); got != "READY=1" {
		t.Fatalf("got %q", got)
	}
	pings := s.fill(t, n)
	done := make(chan error, 1)
	go func() { done <- n.Ping(patience) }()
	s.drain(t, pings)
	must(t, <-done)
	s.want(t, "WATCHDOG=1")
}

// TestReadyMeetsAFullQueue fills it with the pings of another.
func TestReadyMeetsAFullQueue(t *testing.T) {
	s := listen(t, path(t))
	other, n := s.notifier(), s.notifier()
	must(t, other.Ready())
	if got := s.next(t); got != "READY=1" {
		t.Fatalf("got %q", got)
	}
	pings := s.fill(t, other)
	inTime(t, func() {
		if err := n.Ready(); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("got %v, want the end of the limit", err)
		}
	})
	s.drain(t, pings)
	must(t, n.Ping(patience))
	s.want(t, "READY=1", "WATCHDOG=1")
}

// TestALimitHoldsWhileAnotherSends has a message that waits on a full queue when a ping with less time comes: the ping
// does not wait for the other one's turn to end.
func TestALimitHoldsWhileAnotherSends(t *testing.T) {
	s := listen(t, path(t))
	n := s.notifier()
	must(t, n.Ready())
	if got := s.next(t); got != "READY=1" {
		t.Fatalf("got %q", got)
	}
	pings := s.fill(t, n)
	slow := make(chan error, 1)
	go func() { slow <- n.Ping(patience) }()
	inTime(t, func() {
		for { // until the other one has its turn
			if err := n.Ping(10 * time.Millisecond); err != nil && strings.Contains(err.Error(), "waiting for another send") {
				return
			}
		}
	})
	s.drain(t, pings+1)
	must(t, <-slow)
}
