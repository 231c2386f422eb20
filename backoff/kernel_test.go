package backoff_test

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// record is how an attempt ended at a time after the start.
type record struct {
	at  time.Duration
	out backoff.Outcome
}

func fail(at float64) record { return record{at: secs(at)} }

func ok(at float64) record { return record{secs(at), backoff.Outcome{OK: true}} }

// told is an attempt whose other side asked for a wait.
func told(at float64, ok bool, after time.Duration) record {
	return record{secs(at), backoff.Outcome{OK: ok, RetryAfter: after}}
}

// later is r some nanoseconds later.
func (r record) later(d time.Duration) record {
	r.at += d
	return r
}

// fails is n failures, one at each period from a second on.
func fails(n int, from, period float64) []record {
	all := make([]record, n)
	for i := range all {
		all[i] = fail(from + float64(i)*period)
	}
	return all
}

// play records a history into a fresh state.
func play(k *backoff.Kernel, history []record) backoff.State {
	var s backoff.State
	for _, r := range history {
		s = k.Record(s, r.out, start.Add(r.at))
	}
	return s
}

// row is a history and what the schedule makes of it.
type row struct {
	name     string
	cfg      backoff.Config
	history  []record
	reason   backoff.Reason
	failures uint32
	delay    time.Duration
}

// check plays the rows. A state is exhausted for two reasons only, and it is explained with its reason.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			k := newKernel(t, row.cfg)
			s := play(k, row.history)
			if s.Reason() != row.reason || s.Failures() != row.failures || s.Delay() != row.delay {
				t.Errorf("got %v, %d failures, %v; want %v, %d failures, %v",
					s.Reason(), s.Failures(), s.Delay(), row.reason, row.failures, row.delay)
			}
			exhausted := row.reason == backoff.ReasonMaxRetries || row.reason == backoff.ReasonMaxElapsed
			if s.Exhausted() != exhausted {
				t.Errorf("exhausted is %v because of %v", s.Exhausted(), row.reason)
			}
			if why := k.Explain(s); !strings.HasPrefix(why, row.reason.String()+": ") || strings.Contains(why, "%!") {
				t.Errorf("explained as %q", why)
			}
		})
	}
}

func TestStreak(t *testing.T) {
	check(t, []row{
		{"nothing tried", backoff.Config{}, nil, backoff.ReasonFresh, 0, 0},
		{"a success waits for nothing", backoff.Config{}, []record{ok(0)}, backoff.ReasonOK, 0, 0},
		{"the first failure", backoff.Config{}, fails(1, 0, 1), backoff.ReasonBackoff, 1, time.Second},
		{"the second", backoff.Config{}, fails(2, 0, 1), backoff.ReasonBackoff, 2, 2 * time.Second},
		{"the sixth is the last below the cap", backoff.Config{}, fails(6, 0, 1), backoff.ReasonBackoff, 6, 32 * time.Second},
		{"the seventh waits the cap", backoff.Config{}, fails(7, 0, 1), backoff.ReasonBackoff, 7, time.Minute},
		{"the cap does not end the retries", backoff.Config{}, fails(100, 0, 60), backoff.ReasonBackoff, 100, time.Minute},
		{"a success ends the streak", backoff.Config{}, append(fails(9, 0, 1), ok(10)), backoff.ReasonOK, 0, 0},
		{"the next failure is a first one", backoff.Config{}, append(fails(9, 0, 1), ok(10), fail(11)), backoff.ReasonBackoff, 1, time.Second},
		{"a record at the same time counts", backoff.Config{}, fails(3, 0, 0), backoff.ReasonBackoff, 3, 4 * time.Second},
		{"the Unix epoch is a time", backoff.Config{}, []record{{-start.Sub(time.Unix(0, 0)), backoff.Outcome{}}}, backoff.ReasonBackoff, 1, time.Second},
	})
}

func TestRetryAfter(t *testing.T) {
	bound, off := backoff.Config{MaxRetryAfter: 90 * time.Second}, backoff.Config{MaxRetryAfter: -1}
	check(t, []row{
		{"just below the schedule's delay", backoff.Config{}, []record{told(0, false, time.Second-tick)}, backoff.ReasonBackoff, 1, time.Second},
		{"as long as the schedule's delay", backoff.Config{}, []record{told(0, false, time.Second)}, backoff.ReasonBackoff, 1, time.Second},
		{"just above", backoff.Config{}, []record{told(0, false, time.Second+tick)}, backoff.ReasonRetryAfter, 1, time.Second + tick},
		{"none", backoff.Config{}, []record{told(0, false, 0)}, backoff.ReasonBackoff, 1, time.Second},
		{"a negative one is ignored", backoff.Config{}, []record{told(0, false, -time.Hour)}, backoff.ReasonBackoff, 1, time.Second},
		{"so is the smallest of all", backoff.Config{}, []record{told(0, false, math.MinInt64)}, backoff.ReasonBackoff, 1, time.Second},
		{"it may be longer than the cap", backoff.Config{}, []record{told(0, false, 2*time.Minute)}, backoff.ReasonRetryAfter, 1, 2 * time.Minute},
		{"just below its bound", bound, []record{told(0, false, 90*time.Second-tick)}, backoff.ReasonRetryAfter, 1, 90*time.Second - tick},
		{"at its bound", bound, []record{told(0, false, 90*time.Second)}, backoff.ReasonRetryAfter, 1, 90 * time.Second},
		{"just above its bound", bound, []record{told(0, false, 90*time.Second+tick)}, backoff.ReasonRetryAfter, 1, 90 * time.Second},
		{"the longest of all is bounded by the default", backoff.Config{}, []record{told(0, false, math.MaxInt64)}, backoff.ReasonRetryAfter, 1, 5 * time.Minute},
		{"it can be switched off", off, []record{told(0, false, time.Minute)}, backoff.ReasonBackoff, 1, time.Second},
		{"it holds for one wait", backoff.Config{}, []record{told(0, false, 100*time.Second), fail(100)}, backoff.ReasonBackoff, 2, 2 * time.Second},
		{"it does not reset the streak", backoff.Config{}, []record{fail(0), fail(1), told(2, false, time.Minute), fail(3)}, backoff.ReasonBackoff, 4, 8 * time.Second},
		{"a success may ask for it too", backoff.Config{}, []record{fail(0), told(1, true, time.Minute)}, backoff.ReasonRetryAfter, 0, time.Minute},
		{"and the failure after that is a first one", backoff.Config{}, []record{fail(0), told(1, true, time.Minute), fail(61)}, backoff.ReasonBackoff, 1, time.Second},
		{"it does not lift exhaustion", backoff.Config{MaxRetries: 1}, []record{fail(0), told(1, false, time.Minute)}, backoff.ReasonMaxRetries, 2, 0},
	})
}

func TestRemaining(t *testing.T) {
	s := play(newKernel(t, backoff.Config{Initial: 10 * time.Second}), []record{fail(1000)})
	if !s.Due().Equal(at(1010)) {
		t.Errorf("due at %v, want %v", s.Due(), at(1010))
	}
	for _, row := range []struct {
		name string
		now  time.Time
		want time.Duration
	}{
		{"at the failure", at(1000), 10 * time.Second},
		{"just after", at(1000).Add(tick), 10*time.Second - tick},
		{"just before it is due", at(1010).Add(-tick), tick},
		{"when it is due", at(1010), 0},
		{"just after it was due", at(1010).Add(tick), 0},
		{"in the far future", time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 0},
		{"the clock went back a little", at(1000).Add(-tick), 10 * time.Second},
		{"the clock went back a lot", at(400), 10 * time.Second},
		{"the clock went back to year 1", time.Time{}, 10 * time.Second},
	} {
		if got := s.Remaining(row.now); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

func TestNothingIsDueWithoutAWait(t *testing.T) {
	k := newKernel(t, backoff.Config{MaxRetries: 1})
	for name, history := range map[string][]record{
		"fresh": nil, "after a success": {ok(0)}, "exhausted": fails(2, 0, 1),
	} {
		s := play(k, history)
		if !s.Due().IsZero() || s.Remaining(at(0)) != 0 || s.Remaining(time.Time{}) != 0 {
			t.Errorf("%s: due at %v, %v remain", name, s.Due(), s.Remaining(at(0)))
		}
	}
}

func TestOneKernelServesAFleetByKeys(t *testing.T) {
	cfg := backoff.Config{Jitter: backoff.JitterFull, Key: "a"}
	a := newKernel(t, cfg)
	b := a.Keyed("b")
	cfg.Key = "b"
	own := newKernel(t, cfg)
	if a.Config().Key != "a" || b.Config().Key != "b" || b.Config() != own.Config() {
		t.Errorf("got keys %q and %q", a.Config().Key, b.Config().Key)
	}
	for n := uint32(1); n < 20; n++ {
		history := fails(int(n), 0, 1)
		shared, alone, first := play(b, history), play(own, history), play(a, history)
		if shared != alone || shared.Delay() != a.Delay(n, backoff.Key("b")) || first.Delay() == shared.Delay() {
			t.Errorf("after %d failures b waits %v, alone %v, a %v", n, shared.Delay(), alone.Delay(), first.Delay())
		}
	}
}

// TestManyGoroutinesShareAKernel is for the race detector.
func TestManyGoroutinesShareAKernel(t *testing.T) {
	k := newKernel(t, backoff.Config{Jitter: backoff.JitterEqual})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if s := play(k.Keyed("x"), fails(40, 0, 1)); s.Failures() != 40 {
				t.Errorf("got %d failures", s.Failures())
			}
		})
	}
	all.Wait()
}
