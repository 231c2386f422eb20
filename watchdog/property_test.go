package watchdog_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

func TestLaw1Pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawMaybeOff(t), false, watcher{step: func(before watchdog.State, r run) {
			again, d := r.k.Step(before, r.obs, r.now)
			other, od := newKernel(t, r.k.Config()).Step(before, r.obs, r.now)
			if again != r.s || d != r.d || other != again || od != d {
				t.Fatalf("the same step gave %+v, %+v and %+v", r.d, d, od)
			}
		}})
	})
}

// TestLaw2Total takes any state that the decoder takes, any configuration and any time.
func TestLaw2Total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawMaybeOff(t)
		for i := range cfg.Sources {
			cfg.Sources[i].Budget = time.Duration(rapid.Int64Range(1000, 1<<63-1).Draw(t, "any budget"))
		}
		cfg.MaxGap = time.Duration(rapid.Int64().Draw(t, "any gap"))
		k, s := newKernel(t, cfg), drawState(t)
		now := time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "now"), 0)
		obs := drawBeat(t, k)
		if rapid.Bool().Draw(t, "any source") {
			obs.Source = rapid.Uint64().Draw(t, "source")
		}
		s, d := k.Step(s, obs, now)
		checkValid(t, d, now)
		out := watchdog.Outcome{Action: watchdog.Action(rapid.Uint8().Draw(t, "attempt")), OK: rapid.Bool().Draw(t, "ok")}
		s = k.Record(s, out, time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "then"), 0))
		checkKept(t, s)
		_ = k.Explain(s, d)
	})
}

// checker is a test or a rapid check.
type checker interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkValid wants what every decision keeps.
func checkValid(t checker, d watchdog.Decision, now time.Time) {
	t.Helper()
	withheld, waits := d.Reason == watchdog.ReasonWithheld, d.Reason == watchdog.ReasonNoBeat || d.Reason == watchdog.ReasonRecent
	switch {
	case d.Action > ping || d.Reason == 0 || d.Reason > watchdog.ReasonBeat || d.Overdue < 0:
		t.Fatalf("not a decision: %+v", d)
	case (d.Action == ping) != (d.Reason == watchdog.ReasonBeat):
		t.Fatalf("not a reason for this action: %+v", d)
	case withheld != (d.Late != "") || !withheld && d.Overdue != 0:
		t.Fatalf("only a ping that is withheld names who is late: %+v", d)
	case d.Action == ping && !d.Next.Equal(now), waits == d.Next.IsZero() && d.Action != ping, waits && d.Next.Before(now):
		t.Fatalf("at %v: not a next for this decision: %+v", now, d)
	}
}

// checkKept wants a state to survive its own encoding.
func checkKept(t checker, s watchdog.State) {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatalf("%+v can't be written: %v", s, err)
	}
	var back watchdog.State
	if err := json.Unmarshal(text, &back); err != nil || back != s {
		t.Fatalf("%s came back as %+v: %v", text, back, err)
	}
}

// TestRoundTrip keeps a state in JSON between any two steps.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawMaybeOff(t), false, watcher{
			step:   func(_ watchdog.State, r run) { checkKept(t, r.s) },
			record: func(r run, _ watchdog.Outcome) { checkKept(t, r.s) },
		})
	})
}

// TestLaw3EvidenceAndDeedsAreApart does not act, and is told the same again; and acts, which is no beat.
func TestLaw3EvidenceAndDeedsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawMaybeOff(t), false, watcher{step: func(_ watchdog.State, r run) {
			if s, d := r.k.Step(r.s, r.obs, r.now); s != r.s || d != r.d {
				t.Fatalf("not acting changed the decision from %+v to %+v", r.d, d)
			}
			out := watchdog.Outcome{Action: watchdog.Action(rapid.IntRange(0, 1).Draw(t, "action")), OK: rapid.Bool().Draw(t, "ok")}
			s := r.k.Record(r.s, out, r.now)
			for i := range r.k.Config().Sources {
				if s.Silence(i) != r.s.Silence(i) {
					t.Fatalf("%+v changed a silence from %v to %v", out, r.s.Silence(i), s.Silence(i))
				}
			}
			if out.Action == none && s != r.s {
				t.Fatalf("an outcome of nothing changed %+v to %+v", r.s, s)
			}
		}})
	})
}

func TestLaw4NextIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), false, watcher{})
		s, d := r.k.Step(r.s, r.obs, r.now)
		if d.Action == ping {
			return // that its next is now is checked with law 2
		}
		stride := r.k.Config().MaxGap
		if stride < 0 {
			stride = 40 * time.Second
		}
		for range 40 {
			now := r.now.Add(time.Duration(rapid.Int64Range(1, int64(stride)).Draw(t, "wait")))
			due := !d.Next.IsZero() && !now.Before(d.Next)
			if due {
				now = d.Next
			}
			var then watchdog.Decision
			s, then = r.k.Step(s, r.obs, now)
			if changed := then.Action != d.Action || then.Reason != d.Reason; changed != due {
				t.Fatalf("at %v, next %v: %+v became %+v", now, d.Next, d, then)
			}
			if due {
				return
			}
			if !then.Next.Equal(d.Next) || then.Late != d.Late {
				t.Fatalf("%+v became %+v without news", d, then)
			}
			r.now = now
		}
	})
}

// TestLaw5UnknownIsNotBadNews looks without a beat, at any time: nothing comes of it but that time has passed.
func TestLaw5UnknownIsNotBadNews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), false, watcher{})
		for _, unknown := range []watchdog.Observation{nobody, by("stranger")} {
			between := r.now.Add(drawSpan(t, "until the look", 0, 30))
			s, d := r.k.Step(r.s, unknown, between)
			if d.Action != none {
				t.Fatalf("a look without a beat caused %+v", d)
			}
			if r.k.Config().MaxGap > 0 {
				between = r.now // each gap forgives its own excess, which a look between divides
				s, _ = r.k.Step(r.s, unknown, between)
			}
			later := between.Add(drawSpan(t, "until the beat", 0, 30))
			_, with := r.k.Step(s, r.obs, later)
			if _, without := r.k.Step(r.s, r.obs, later); with != without {
				t.Fatalf("a look without a beat changed %+v to %+v", without, with)
			}
		}
	})
}

// TestLaw6UnwatchedTimeIsNoEvidence leaves the largest gap, and more than that.
func TestLaw6UnwatchedTimeIsNoEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), false, watcher{})
		gap := r.k.Config().MaxGap
		if gap < 0 {
			return
		}
		s, _ := r.k.Step(r.s, r.obs, r.now)
		watched, wd := r.k.Step(s, nobody, r.now.Add(gap))
		excess := drawSpan(t, "excess", 0, 100_000)
		hung, hd := r.k.Step(s, nobody, r.now.Add(gap+excess))
		for i := range r.k.Config().Sources {
			if watched.Silence(i) != hung.Silence(i) {
				t.Fatalf("silent for %v after the largest gap, %v after more", watched.Silence(i), hung.Silence(i))
			}
		}
		if !same(wd, r.now.Add(gap), hd, r.now.Add(gap+excess)) {
			t.Fatalf("decided %+v after the largest gap, %+v after more", wd, hd)
		}
	})
}

func TestLaw7TheClockMayStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), false, watcher{})
		s, d := r.k.Step(r.s, r.obs, r.now)
		back := r.now.Add(-drawSpan(t, "back", 1, 1e9))
		moved, then := r.k.Step(s, r.obs, back)
		if !same(d, r.now, then, back) {
			t.Fatalf("a step back changed %+v at %v to %+v at %v", d, r.now, then, back)
		}
		later := drawSpan(t, "later", 0, 100)
		_, then = r.k.Step(moved, r.obs, back.Add(later))
		_, d = r.k.Step(s, r.obs, r.now.Add(later))
		if !same(d, r.now.Add(later), then, back.Add(later)) {
			t.Fatalf("%v after the step back: %+v, without it: %+v", later, then, d)
		}
	})
}

// TestLaw8ExpiryIsInclusive comes to each limit exactly, and a nanosecond before.
func TestLaw8ExpiryIsInclusive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := watchdog.Config{
			Timeout: 8 * drawSpan(t, "timeout", 1, 10), MaxGap: -1,
			Sources: []watchdog.Source{{Name: "a", Budget: drawSpan(t, "budget", 1, 90)}, {Name: "b", Budget: time.Hour}},
		}
		k := newKernel(t, cfg)
		s, _ := k.Step(watchdog.State{}, by("a"), start)
		sent := k.Record(s, watchdog.Outcome{Action: ping, OK: true}, start)
		failed := k.Record(s, watchdog.Outcome{Action: ping}, start)
		for _, limit := range []struct {
			s             watchdog.State
			obs           watchdog.Observation
			after         time.Duration
			before, there watchdog.Reason
		}{
			{s, nobody, cfg.Sources[0].Budget, watchdog.ReasonNoBeat, watchdog.ReasonWithheld},
			{sent, by("a"), cfg.Timeout / 4, watchdog.ReasonRecent, watchdog.ReasonBeat},
			{failed, by("a"), cfg.Timeout / 8, watchdog.ReasonRecent, watchdog.ReasonBeat},
		} {
			_, before := k.Step(limit.s, limit.obs, start.Add(limit.after-1))
			_, there := k.Step(limit.s, limit.obs, start.Add(limit.after))
			if before.Reason != limit.before || there.Reason != limit.there {
				t.Fatalf("just before %v: %+v; at it: %+v", limit.after, before, there)
			}
		}
	})
}

// TestLaw9ADeadEndHasAnExit lets those beat that are late, one after the other.
func TestLaw9ADeadEndHasAnExit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawConfig(t), false, watcher{step: func(_ watchdog.State, r run) {
			for range r.k.Config().Sources {
				if r.d.Reason == watchdog.ReasonWithheld {
					r.s, r.d = r.k.Step(r.s, watchdog.Observation{Source: watchdog.ID(r.d.Late)}, r.now)
				}
			}
			if r.d.Reason == watchdog.ReasonWithheld {
				t.Fatalf("everyone late has beaten, and still %+v", r.d)
			}
		}})
	})
}
