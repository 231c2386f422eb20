package supervise_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/supervise"
)

func TestLaw1Pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawLife(t, drawConfig(t), watcher{
			step: func(before supervise.State, l life) {
				again, d := l.k.Step(before, l.obs, l.now)
				other, od := newKernel(t, l.k.Config()).Step(before, l.obs, l.now)
				if again != l.s || d != l.d || other != again || od != d {
					t.Fatalf("the same step gave %+v, %+v and %+v", l.d, d, od)
				}
			},
			record: func(before supervise.State, l life, out supervise.Outcome) {
				if again := l.k.Record(before, out, l.now); again != l.s {
					t.Fatalf("the same record gave %+v and %+v", l.s, again)
				}
			},
		})
	})
}

// TestLaw2Total takes any state that the decoder takes, any configuration and any time.
func TestLaw2Total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		for i, limit := range []*time.Duration{&cfg.Pause, &cfg.ResetAfter, &cfg.Window, &cfg.MaxGap} {
			if rapid.Bool().Draw(t, "any limit") {
				*limit = time.Duration(rapid.Int64Range([]int64{1, 1, int64(cfg.Window), int64(cfg.SweepInterval)}[i], 1<<63-1).Draw(t, "limit"))
			}
		}
		k, s := newKernel(t, cfg), drawState(t)
		obs := supervise.Observation{
			Status: supervise.Status(rapid.Uint8().Draw(t, "status")), Guard: supervise.Guard(rapid.Uint8().Draw(t, "guard")),
			Run: rapid.Uint64().Draw(t, "run"), Generation: rapid.Uint64().Draw(t, "generation"),
		}
		if rapid.Bool().Draw(t, "a usual look") {
			obs = drawObservation(t)
		}
		now := time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "now"), 0)
		s, d := k.Step(s, obs, now)
		checkValid(t, k, d, now)
		_ = k.Explain(s, d)
		checkKept(t, s)
		out := supervise.Outcome{Action: supervise.Action(rapid.Uint8Range(0, 4).Draw(t, "attempt")), OK: rapid.Bool().Draw(t, "ok")}
		s = k.Record(s, out, time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "then"), 0))
		checkKept(t, s)
	})
}

// checkValid wants what every decision keeps.
func checkValid(t checker, k *supervise.Kernel, d supervise.Decision, now time.Time) {
	t.Helper()
	acts := map[supervise.Reason]supervise.Action{supervise.ReasonDown: restart, supervise.ReasonCrashLoop: giveUp}
	waits := d.Reason == supervise.ReasonRecovering || d.Reason == supervise.ReasonConfirming || d.Reason == supervise.ReasonPaused
	switch {
	case d.Reason == 0 || d.Reason > supervise.ReasonDown || d.Action != acts[d.Reason]:
		t.Fatalf("not a decision: %+v", d)
	case d.Sightings < 0 || d.Restarts < 0 || d.Restarts > supervise.MostRestarts:
		t.Fatalf("not a count: %+v", d)
	case (d.Action == giveUp) != (acting(d) && d.Restarts >= k.Config().MaxRestarts):
		t.Fatalf("giving up and the limit differ: %+v", d)
	case acting(d) && !d.Next.Equal(now):
		t.Fatalf("at %v: the next of an action is now: %+v", now, d)
	case !acting(d) && waits == d.Next.IsZero(), d.Next.Before(now) && !d.Next.IsZero():
		t.Fatalf("at %v: not a next for this decision: %+v", now, d)
	}
}

// checkKept wants a state to survive its own encoding.
func checkKept(t checker, s supervise.State) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%+v can't be written: %v", s, err)
	}
	var back supervise.State
	if err := json.Unmarshal(text, &back); err != nil || back != s {
		t.Fatalf("%s came back as %+v: %v", text, back, err)
	}
}

// TestRoundTrip keeps a state in JSON between any two steps.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawLife(t, drawConfig(t), watcher{
			step:   func(_ supervise.State, l life) { checkKept(t, l.s) },
			record: func(_ supervise.State, l life, _ supervise.Outcome) { checkKept(t, l.s) },
		})
	})
}

// TestLaw3EvidenceAndDeedsAreApart does not act, and is told the same again; and notes deeds, which are no sightings.
func TestLaw3EvidenceAndDeedsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawLife(t, drawConfig(t), watcher{step: func(before supervise.State, l life) {
			if s, d := l.k.Step(l.s, l.obs, l.now); s != l.s || d != l.d {
				t.Fatalf("not acting changed the decision from %+v to %+v", l.d, d)
			}
			if l.s.LastRestart() != before.LastRestart() || l.s.LastFailedRestart() != before.LastFailedRestart() || l.s.LastCrashLoop() != before.LastCrashLoop() {
				t.Fatalf("a look noted a deed: %+v became %+v", before, l.s)
			}
			if s := l.k.Record(l.s, supervise.Outcome{OK: true}, l.now); s != l.s {
				t.Fatalf("an outcome of nothing changed %+v to %+v", l.s, s)
			}
			ok, failed := l.k.Record(l.s, supervise.Outcome{Action: restart, OK: true}, l.now), l.k.Record(l.s, supervise.Outcome{Action: restart}, l.now)
			_, d := l.k.Step(ok, l.obs, l.now)
			if _, fd := l.k.Step(failed, l.obs, l.now); d != fd || d.Sightings > 0 {
				t.Fatalf("after a restart %+v, after one that failed %+v", d, fd)
			}
		}})
	})
}

// TestLaw4NextIsExact sleeps for any part of the time until Next.
func TestLaw4NextIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t, drawConfig(t), watcher{})
		s, d := l.k.Step(l.s, l.obs, l.now)
		stride := l.k.Config().MaxGap
		if stride < 0 {
			stride = 40 * time.Second
		}
		for range 60 {
			if acting(d) {
				return // that its next is now is checked with law 2
			}
			now := l.now.Add(time.Duration(rapid.OneOf(rapid.Int64Range(1, int64(stride)), rapid.Just(int64(stride))).Draw(t, "wait")))
			due := !d.Next.IsZero() && !now.Before(d.Next)
			if due {
				now = d.Next
			}
			var then supervise.Decision
			s, then = l.k.Step(s, l.obs, now)
			if changed(d, then) != due {
				t.Fatalf("at %v, next %v: %+v became %+v", now, d.Next, d, then)
			}
			if !due && !then.Next.Equal(d.Next) {
				t.Fatalf("%+v became %+v without news", d, then)
			}
			l.now, d = now, then
		}
	})
}

// changed says that a decision says something else. How often a target was seen is the verdict while it is confirmed, and
// else beside the point.
func changed(a, b supervise.Decision) bool {
	return a.Action != b.Action || a.Reason != b.Reason || a.Reason == supervise.ReasonConfirming && a.Sightings != b.Sightings
}

// TestLaw5UnknownIsNotBadNews looks without seeing anything: nothing comes of it, and what comes after counts from one.
func TestLaw5UnknownIsNotBadNews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t, drawConfig(t), watcher{})
		l.obs.Guard = supervise.GuardNone
		wait := drawWait(t, l.k.Config())
		s, d := l.k.Step(l.s, blind, l.now)
		if acting(d) || d.Reason != supervise.ReasonUnknown {
			t.Fatalf("the unknown caused %+v", d)
		}
		_, after := l.k.Step(s, l.obs, l.now.Add(wait))
		_, without := l.k.Step(l.s, l.obs, l.now.Add(wait))
		if after.Sightings > 1 || after.Sightings > without.Sightings {
			t.Fatalf("a look that saw nothing made %+v of %+v", after, without)
		}
		if acting(after) && (!acting(without) || l.k.Config().Confirm > 1) {
			t.Fatalf("a look that saw nothing brought %+v instead of %+v", after, without)
		}
	})
}

// TestLaw6UnwatchedTimeIsNoEvidence leaves a longer gap than the largest: it is worth a look that saw nothing.
func TestLaw6UnwatchedTimeIsNoEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t, drawConfig(t), watcher{})
		gap := l.k.Config().MaxGap
		if gap < 0 {
			return
		}
		now := l.now.Add(gap + 1 + drawSpan(t, "excess", 0, 1000))
		hung, hd := l.k.Step(l.s, l.obs, now)
		s, _ := l.k.Step(l.s, blind, now)
		if watched, wd := l.k.Step(s, l.obs, now); watched != hung || wd != hd {
			t.Fatalf("decided %+v after a look that saw nothing, %+v after a gap", wd, hd)
		}
	})
}

func TestLaw7TheClockMayStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t, drawConfig(t), watcher{})
		s, d := l.k.Step(l.s, l.obs, l.now)
		back := l.now.Add(-drawSpan(t, "back", 1, 1e9))
		moved, then := l.k.Step(s, l.obs, back)
		if !same(d, l.now, then, back) {
			t.Fatalf("a step back changed %+v at %v to %+v at %v", d, l.now, then, back)
		}
		if loops(moved) != loops(s) || moved.LastRestart() != s.LastRestart() || moved.LastFailedRestart() != s.LastFailedRestart() {
			t.Fatalf("a step back moved what is reported: %+v became %+v", s, moved)
		}
		later := drawWait(t, l.k.Config())
		_, then = l.k.Step(moved, l.obs, back.Add(later))
		_, d = l.k.Step(s, l.obs, l.now.Add(later))
		if !same(d, l.now.Add(later), then, back.Add(later)) {
			t.Fatalf("%v after the step back: %+v, without it: %+v", later, then, d)
		}
	})
}

// TestLaw8ExpiryIsInclusive comes to each limit exactly, and a nanosecond before; the window alone ends after its limit.
func TestLaw8ExpiryIsInclusive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.Confirm, cfg.MaxRestarts, cfg.MaxGap = 1, 1, -1
		k := newKernel(t, cfg)
		s := k.Record(supervise.State{}, supervise.Outcome{Action: restart}, start)
		saw, _ := k.Step(s, running, start)
		for _, limit := range []struct {
			s             supervise.State
			obs           supervise.Observation
			after         time.Duration
			before, there supervise.Reason
		}{
			{s, down, cfg.SweepInterval * 9 / 10, supervise.ReasonConfirming, supervise.ReasonCrashLoop},
			{s, down, cfg.Window + 1, supervise.ReasonCrashLoop, supervise.ReasonDown},
			{saw, running, cfg.ResetAfter, supervise.ReasonRecovering, supervise.ReasonRunning},
			{k.Record(supervise.State{}, supervise.Outcome{Action: giveUp}, start), down, cfg.Pause, supervise.ReasonPaused, supervise.ReasonDown},
		} {
			_, before := k.Step(limit.s, limit.obs, start.Add(limit.after-1))
			_, there := k.Step(limit.s, limit.obs, start.Add(limit.after))
			if before.Reason != limit.before || there.Reason != limit.there {
				t.Fatalf("just before %v: %+v; at it: %+v", limit.after, before, there)
			}
		}
	})
}

// TestLaw9ADeadEndHasAnExit sleeps from deadline to deadline: a target that stays down and free is acted on in the end,
// and one that runs is cleared.
func TestLaw9ADeadEndHasAnExit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t, drawConfig(t), watcher{})
		cfg := l.k.Config()
		l.obs = rapid.SampledFrom([]supervise.Observation{down, running}).Draw(t, "for good")
		begin, longest := l.now, cfg.Pause+cfg.ResetAfter+time.Duration(cfg.Confirm+1)*cfg.SweepInterval
		for {
			l.s, l.d = l.k.Step(l.s, l.obs, l.now)
			if acting(l.d) || l.d.Reason == supervise.ReasonRunning {
				return
			}
			if l.d.Next.IsZero() || l.now.Sub(begin) > longest {
				t.Fatalf("%v into it, there is no way out of %+v", l.now.Sub(begin), l.d)
			}
			l.now = l.now.Add(min(l.d.Next.Sub(l.now), max(cfg.MaxGap, cfg.SweepInterval)))
		}
	})
}
