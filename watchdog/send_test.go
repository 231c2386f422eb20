package watchdog_test

import (
	"errors"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// errDown is how a send fails in these tests.
var errDown = errors.New("nobody listens")

// TestFailedPingsAreTriedAgainSoon loses the service manager for a while: it is tried each eighth of the timeout, and
// the log says when that began and when it ended.
func TestFailedPingsAreTriedAgainSoon(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 16 * time.Second}, func(t *testing.T, b *bubble) {
		b.manager.ping = func(second float64, _ time.Duration) error {
			if second >= 6 && second < 13 {
				return errDown
			}
			return nil
		}
		workFor(t, b.handle(t, "main"), 24900*time.Millisecond, 500*time.Millisecond, idle)
		b.wantPings(t, 0, 4, 8, 10, 12, 14, 18, 22)
		b.wantLines(t, map[string]int{
			`level=WARN msg="ping not sent" error="nobody listens"`: 1,
			`level=INFO msg="pings are sent again"`:                 1,
			"level=":                                                2,
		})
	})
}

// TestASlowNotifierIsWaitedForWithinItsLimit has a service manager that does not read: each send takes all that it may,
// and the loop goes on.
func TestASlowNotifierIsWaitedForWithinItsLimit(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 16 * time.Second}, func(t *testing.T, b *bubble) {
		b.manager.ping = func(_ float64, limit time.Duration) error {
			time.Sleep(limit)
			return errDown
		}
		passes := 0
		workFor(t, b.handle(t, "main"), 19500*time.Millisecond, time.Second, func() { passes++ })
		b.wantPings(t, 0, 4, 8, 12, 16) // 2 s each, and 2 s from the end of one to the next
		if passes != 10 {
			t.Errorf("%d passes, want two in each four seconds, two of which a send took", passes)
		}
		b.wantLines(t, map[string]int{`msg="ping not sent"`: 1})
	})
}

func TestSendsAreBoundedByAnEighthOfTheTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]time.Duration{
		80 * time.Second:     10 * time.Second,
		8 * time.Microsecond: time.Microsecond,
		time.Microsecond:     time.Microsecond, // none at all would fail each time
	} {
		inBubble(t, watchdog.Config{Timeout: timeout}, func(t *testing.T, b *bubble) {
			h := b.handle(t, "main")
			h.Beat()
			h.Stage("looking")
			if got := b.manager.limits; len(got) != 2 || got[0] != want || got[1] != want {
				t.Errorf("timeout %v: limits %v, want %v", timeout, got, want)
			}
		})
	}
}

func TestAStatusThatCannotBeSentIsNoHarm(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		b.manager.status = func(float64, time.Duration) error { return errDown }
		h := b.handle(t, "main")
		workFor(t, h, 59*time.Second, 20*time.Second, func() { h.Stage("looking") })
		b.wantPings(t, 0, 20, 40)
		b.wantLines(t, map[string]int{`msg="ping not sent"`: 0, `msg="status not sent"`: 1})
	})
}

// TestAFullQueueCostsALoopOneSend has a loop with many stages and a service manager that does not read: after a send that
// took all of its time, the next ones are not tried, or a pass would take that time for each stage.
func TestAFullQueueCostsALoopOneSend(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 16 * time.Second}, func(t *testing.T, b *bubble) {
		full := func(_ float64, limit time.Duration) error {
			time.Sleep(limit)
			return errDown
		}
		b.manager.ping, b.manager.status = full, full
		h := b.handle(t, "main")
		began := time.Now()
		h.Beat()
		for range 8 {
			h.Stage("looking")
		}
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("a pass took %v, want the one ping's 2 s", took)
		}
		time.Sleep(2 * time.Second)
		h.Stage("looking")
		if n := len(b.manager.statuses); n != 1 {
			t.Errorf("%d statuses were tried, want the one after the pause", n)
		}
	})
}

// TestASendIsShorterThanAnyBudget: while one loop sends, the others wait for their beat.
func TestASendIsShorterThanAnyBudget(t *testing.T) {
	sources := []watchdog.Source{{Name: "fast", Budget: 4 * time.Second}, {Name: "slow"}}
	inBubble(t, watchdog.Config{Timeout: time.Minute, Sources: sources}, func(t *testing.T, b *bubble) {
		b.handle(t, "slow").Beat()
		if got := b.manager.limits; len(got) != 1 || got[0] != 2*time.Second {
			t.Errorf("limits %v, want half of the shortest budget", got)
		}
	})
}

// TestABusyLoopFloodsNobody beats each 2 ms for 10 s: the service manager hears of it each quarter of its timeout.
func TestABusyLoopFloodsNobody(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 2 * time.Second}, func(t *testing.T, b *bubble) {
		workFor(t, b.handle(t, "main"), 10*time.Second-1, 2*time.Millisecond, idle)
		if n := len(b.manager.pings); len(b.steps) != 5000 || n > 1+10*4/2 || n < 10 {
			t.Errorf("%d pings for %d beats", n, len(b.steps))
		}
		b.wantAlive(t)
		for i, at := range b.manager.pings[1:] {
			if pause := at - b.manager.pings[i]; pause > 1 {
				t.Errorf("no ping for %v s, half of the timeout is 1 s", pause)
			}
		}
	})
}
