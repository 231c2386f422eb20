package watchdog_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// TestInvariants10And11 watches random lives for pings that nobody may send.
func TestInvariants10And11(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawMaybeOff(t), false, watcher{step: func(_ watchdog.State, r run) {
			checkValid(t, r.d, r.now)
			if r.d.Action != ping {
				return
			}
			beating := false
			for i, source := range r.k.Config().Sources {
				beating = beating || r.obs == by(source.Name)
				if r.s.Silence(i) >= source.Budget {
					t.Fatalf("11: a ping, though %s is silent for %v, budget %v", source.Name, r.s.Silence(i), source.Budget)
				}
			}
			if !beating {
				t.Fatalf("10: a ping without a beat: %+v", r.obs)
			}
		}})
	})
}

// TestInvariant12PingsAreApart watches random lives whose clock runs forward.
func TestInvariant12PingsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var good, failed time.Time
		drawRun(t, drawConfig(t), true, watcher{
			step: func(_ watchdog.State, r run) {
				timeout := r.k.Config().Timeout
				switch {
				case r.d.Action != ping:
				case !good.IsZero() && r.now.Sub(good) < timeout/4:
					t.Fatalf("a ping %v after a good one, timeout %v", r.now.Sub(good), timeout)
				case !failed.IsZero() && r.now.Sub(failed) < timeout/8:
					t.Fatalf("a ping %v after one that failed, timeout %v", r.now.Sub(failed), timeout)
				}
			},
			record: func(r run, out watchdog.Outcome) {
				if out.OK {
					good = r.now
				} else {
					failed = r.now
				}
			},
		})
	})
}

// TestInvariant13ALoopThatWorksIsPingedFor lets each loop beat at its own pace, which is as slow as it may be or faster,
// and wants no pause between pings that comes near the timeout, whatever the largest gap.
func TestInvariant13ALoopThatWorksIsPingedFor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newKernel(t, drawConfig(t))
		cfg := k.Config()
		due := make([]time.Time, len(cfg.Sources)) // of each loop's next beat
		for i := range due {
			due[i] = start
		}
		var s watchdog.State
		last, now := start, start
		for now.Before(start.Add(5 * cfg.Timeout)) {
			i := soonest(due)
			now = due[i]
			slowest := min(cfg.Timeout, cfg.Sources[i].Budget) / 2
			due[i] = now.Add(time.Duration(rapid.OneOf(rapid.Just(int64(slowest)), rapid.Int64Range(int64(slowest)/8, int64(slowest))).Draw(t, "pause")))
			var d watchdog.Decision
			s, d = k.Step(s, by(cfg.Sources[i].Name), now)
			if d.Reason == watchdog.ReasonWithheld {
				t.Fatalf("everyone works, and still %+v", d)
			}
			if d.Action == ping {
				s, last = k.Record(s, watchdog.Outcome{Action: ping, OK: true}, now), now
			}
			if now.Sub(last) >= cfg.Timeout*3/4 {
				t.Fatalf("no ping for %v, timeout %v", now.Sub(last), cfg.Timeout)
			}
		}
	})
}

// soonest is the index of the first of the earliest times.
func soonest(times []time.Time) (first int) {
	for i, at := range times {
		if at.Before(times[first]) {
			first = i
		}
	}
	return first
}
