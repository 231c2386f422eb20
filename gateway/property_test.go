package gateway_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
)

// drawSpan draws a duration in whole seconds, so that boundaries are met often.
func drawSpan(t *rapid.T, name string, low, high int) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Second
}

// drawConfig draws what Validate accepts.
func drawConfig(t *rapid.T) gateway.Config {
	cfg := gateway.Config{
		PollInterval:     drawSpan(t, "poll", 1, 20),
		RefreshInterval:  drawSpan(t, "refresh", 1, 200),
		HandshakeTimeout: drawSpan(t, "timeout", 1, 200),
		ForceInterval:    drawSpan(t, "force", 1, 200),
		Retry:            backoff.Config{Initial: drawSpan(t, "initial", 1, 40), Max: drawSpan(t, "max", 40, 120), Jitter: backoff.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter"))},
	}
	cfg.MaxGap = cfg.PollInterval + drawSpan(t, "gap", 0, 60)
	for i, field := range []*time.Duration{&cfg.RefreshInterval, &cfg.HandshakeTimeout, &cfg.MaxGap} {
		if rapid.IntRange(0, 9).Draw(t, fmt.Sprint("off ", i)) == 0 {
			*field = -1
		}
	}
	if err := cfg.Validate(); err != nil {
		t.Fatalf("the generator made a bad config: %v", err)
	}
	return cfg
}

// drawObservation draws a look at now.
func drawObservation(t *rapid.T, now time.Time) gateway.Observation {
	obs := gateway.Observation{
		Disabled:  rapid.IntRange(0, 29).Draw(t, "disabled") == 0,
		Problem:   rapid.IntRange(0, 29).Draw(t, "problem") == 0,
		Config:    gateway.ConfigStatus(rapid.SampledFrom([]int{0, 1, 2, 2, 2, 2}).Draw(t, "config")),
		Handshake: gateway.HandshakeStatus(rapid.IntRange(0, 2).Draw(t, "handshake")),
	}
	if obs.Handshake == gateway.HandshakeSeen {
		obs.Stamp = now.Add(-drawSpan(t, "age", -5, 300)).UnixNano()
	}
	return obs
}

// run is a random life of a kernel: looks and attempts, and what it ends with.
type run struct {
	k   *gateway.Kernel
	s   gateway.State
	d   gateway.Decision
	obs gateway.Observation
	now time.Time
}

// drawRun draws a life. check, if there is one, sees each step: the state before it, and the run after it.
func drawRun(t *rapid.T, forward bool, check func(before gateway.State, r run)) run {
	r := run{k: newKernel2(t, drawConfig(t)), now: start}
	low := -100
	if forward {
		low = 0
	}
	for range rapid.IntRange(1, 30).Draw(t, "steps") {
		r.now = r.now.Add(drawSpan(t, "pause", low, 100))
		if rapid.Bool().Draw(t, "news") {
			r.obs = drawObservation(t, r.now)
		}
		before := r.s
		r.s, r.d = r.k.Step(r.s, r.obs, r.now)
		if check != nil {
			check(before, r)
		}
		if acting(r.d) && rapid.IntRange(0, 3).Draw(t, "acts") > 0 {
			r.now = r.now.Add(drawSpan(t, "takes", 0, 90))
			r.s = r.k.Record(r.s, gateway.Outcome{Action: r.d.Action, OK: rapid.Bool().Draw(t, "ok"), RetryAfter: drawSpan(t, "after", -1, 30)}, r.now)
		}
	}
	return r
}

func newKernel2(t *rapid.T, cfg gateway.Config) *gateway.Kernel {
	k, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// same compares decisions made at different times by what they say relative to now.
func same(a gateway.Decision, at time.Time, b gateway.Decision, bt time.Time) bool {
	if a.Next.IsZero() != b.Next.IsZero() || !a.Next.IsZero() && a.Next.Sub(at) != b.Next.Sub(bt) {
		return false
	}
	a.Next, b.Next = time.Time{}, time.Time{}
	return a == b
}

func TestLaw1Pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, false, func(before gateway.State, r run) {
			again, d := r.k.Step(before, r.obs, r.now)
			if other, od := newKernel2(t, r.k.Config()).Step(before, r.obs, r.now); again != r.s || d != r.d || other != again || od != d {
				t.Fatalf("the same step gave %v, %v and %v", r.d, d, od)
			}
		})
	})
}

// drawState draws any state that the decoder takes, with instants from all of the range.
func drawState(t *rapid.T) gateway.State {
	nanos := func(name string, high int64) int64 {
		return rapid.OneOf(rapid.Int64Range(math.MinInt64+1, high), rapid.Just(high), rapid.Just(int64(math.MinInt64+1))).Draw(t, name)
	}
	fields := map[string]any{"version": 1}
	put := func(name string, ns int64) { fields[name] = time.Unix(0, ns).UTC() }
	some := func(name string) bool { return rapid.Bool().Draw(t, name+" is set") }
	last := nanos("last", math.MaxInt64)
	put("last", last)
	if some("attempt") {
		attempt := nanos("attempt", last)
		put("attempt", attempt)
		fields["failures"] = rapid.Uint32().Draw(t, "failures")
		if some("forced") {
			put("forced", nanos("forced", attempt))
		}
		if some("floor") {
			put("floor", rapid.Int64Range(attempt, math.MaxInt64).Draw(t, "floor"))
		}
	} else if some("adopted") {
		put("adopted", nanos("adopted", last))
	}
	if some("heard") {
		put("heard", nanos("heard", last))
		fields["stamp"] = rapid.Int64().Draw(t, "stamp")
	} else if some("never") {
		put("never", nanos("never", last))
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var s gateway.State
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestLaw2Total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, s := newKernel2(t, drawConfig(t)), drawState(t)
		obs := gateway.Observation{
			Disabled: rapid.Bool().Draw(t, "disabled"), Problem: rapid.Bool().Draw(t, "problem"),
			Config: gateway.ConfigStatus(rapid.Uint8().Draw(t, "config")), Handshake: gateway.HandshakeStatus(rapid.Uint8().Draw(t, "handshake")),
			Stamp: rapid.Int64().Draw(t, "stamp"),
		}
		now := time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "now"), 0)
		s, d := k.Step(s, obs, now)
		if d.Action > gateway.ActionStop || d.Reason == 0 || d.Reason > gateway.ReasonHandshakeUnknown || d.Silence < 0 {
			t.Fatalf("not a decision: %+v", d)
		}
		if !d.Next.IsZero() && d.Next.Before(now) {
			t.Fatalf("next %v lies before now, %v", d.Next, now)
		}
		out := gateway.Outcome{Action: gateway.Action(rapid.Uint8().Draw(t, "attempt")), RetryAfter: time.Duration(rapid.Int64().Draw(t, "after"))}
		s = k.Record(s, out, time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "then"), 0))
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("a state that a step made is refused: %v", err)
		}
		_ = k.Explain(s, d)
	})
}

func TestLaw3EvidenceAndDeedsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, false, func(_ gateway.State, r run) {
			s, d := r.k.Step(r.s, r.obs, r.now)
			if s != r.s || d != r.d {
				t.Fatalf("not acting changed the decision from %+v to %+v", r.d, d)
			}
		})
	})
}

// stride is how far a caller may sleep at once.
func stride(k *gateway.Kernel) time.Duration {
	if gap := k.Config().MaxGap; gap > 0 {
		return gap
	}
	return 100 * time.Second
}

func TestLaw4NextIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
		s, d := r.k.Step(r.s, r.obs, r.now)
		switch {
		case d.Action == gateway.ActionStop:
			if !d.Next.IsZero() {
				t.Fatalf("a stop has a next: %v", d.Next)
			}
			return
		case acting(d):
			if !d.Next.Equal(r.now) {
				t.Fatalf("an action's next is %v, now is %v", d.Next, r.now)
			}
			return
		}
		for range 40 {
			wait := time.Duration(rapid.Int64Range(1, int64(stride(r.k))).Draw(t, "wait"))
			now := r.now.Add(wait)
			due := !d.Next.IsZero() && !now.Before(d.Next)
			if due {
				now = d.Next
			}
			var then gateway.Decision
			s, then = r.k.Step(s, r.obs, now)
			changed := then.Action != d.Action || then.Reason != d.Reason
			if changed != due {
				t.Fatalf("at %v, next %v: %v (%v) became %v (%v)", now, d.Next, d.Action, d.Reason, then.Action, then.Reason)
			}
			if due {
				return
			}
			if !then.Next.Equal(d.Next) {
				t.Fatalf("next moved from %v to %v without news", d.Next, then.Next)
			}
			r.now = now
		}
	})
}

func TestLaw5UnknownIsNotBadNews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
		r.s, r.d = r.k.Step(r.s, r.obs, r.now)
		for _, unknown := range []gateway.Observation{blind, opaque} {
			s, d := r.k.Step(r.s, unknown, r.now)
			if d.Action == gateway.ActionForceRefresh || unknown == blind && d.Action != gateway.ActionNone {
				t.Fatalf("the unknown caused %v", d.Action)
			}
			if after, known := r.k.Step(s, r.obs, r.now); known != r.d && unknown.Config == r.obs.Config {
				t.Fatalf("an unknown look changed %+v to %+v, state %+v", r.d, known, after)
			}
		}
	})
}

func TestLaw6UnwatchedTimeIsNoEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
		gap := r.k.Config().MaxGap
		if gap < 0 {
			return
		}
		s, _ := r.k.Step(r.s, r.obs, r.now)
		_, watched := r.k.Step(s, r.obs, r.now.Add(gap))
		_, hung := r.k.Step(s, r.obs, r.now.Add(gap+drawSpan(t, "excess", 0, 100_000)))
		if watched.Silence != hung.Silence {
			t.Fatalf("silence %v after the largest gap, %v after more", watched.Silence, hung.Silence)
		}
	})
}

func TestLaw7TheClockMayStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
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

// TestLaw8ExpiryIsInclusive steps to the very nanosecond of a deadline, and to the one before.
func TestLaw8ExpiryIsInclusive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
		s, d := r.k.Step(r.s, r.obs, r.now)
		if d.Action != none || d.Next.IsZero() || d.Next.Sub(r.now) > stride(r.k) {
			return // nothing to wait for, or longer than a caller may sleep
		}
		if _, before := r.k.Step(s, r.obs, d.Next.Add(-1)); before.Action != d.Action || before.Reason != d.Reason {
			t.Fatalf("a nanosecond before %v, %v became %v", d.Next, d.Reason, before.Reason)
		}
		if _, then := r.k.Step(s, r.obs, d.Next); then.Action == d.Action && then.Reason == d.Reason {
			t.Fatalf("at %v it still is %v", d.Next, d.Reason)
		}
	})
}

func TestLaw9ADeadEndHasAnExit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, false, func(_ gateway.State, r run) {
			cfg := r.k.Config()
			off := cfg.RefreshInterval < 0 && (cfg.HandshakeTimeout < 0 || r.obs.Handshake == gateway.HandshakeUnknown)
			if r.d.Next.IsZero() && r.d.Action == gateway.ActionNone && r.d.Reason != gateway.ReasonConfigUnknown && !off {
				t.Fatalf("%v has no deadline", r.d.Reason)
			}
		})
	})
}

// TestInvariants10To14 watches random lives whose clock runs forward.
func TestInvariants10To14(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, true, func(before gateway.State, r run) {
			cfg := r.k.Config()
			if r.d.Action == gateway.ActionForceRefresh && !before.LastForced().IsZero() && r.now.Sub(before.LastForced()) < cfg.ForceInterval {
				t.Fatalf("10: forced %v after the last, limit %v", r.now.Sub(before.LastForced()), cfg.ForceInterval)
			}
			dead := cfg.HandshakeTimeout > 0 && r.d.Silence >= cfg.HandshakeTimeout
			if r.d.Action == gateway.ActionRefresh && dead {
				t.Fatalf("11: a periodic refresh %v into a silence", r.d.Silence)
			}
			if r.d.Action == gateway.ActionForceRefresh && !dead {
				t.Fatalf("14: rebuilt %v after a handshake", r.d.Silence)
			}
		})
	})
}

// TestInvariant12OnlyAHandshakeEndsASilence records every kind of outcome into a silence.
func TestInvariant12OnlyAHandshakeEndsASilence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
		s, d := r.k.Step(r.s, r.obs, r.now)
		out := gateway.Outcome{Action: gateway.Action(rapid.IntRange(0, 4).Draw(t, "action")), OK: rapid.Bool().Draw(t, "ok")}
		_, after := r.k.Step(r.k.Record(s, out, r.now), r.obs, r.now)
		if after.Silence != d.Silence {
			t.Fatalf("%+v changed the silence from %v to %v", out, d.Silence, after.Silence)
		}
	})
}

func TestInvariant13RetryAfterIsAFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, false, nil)
		after := drawSpan(t, "after", 1, 600)
		s := r.k.Record(r.s, gateway.Outcome{Action: register, RetryAfter: after}, r.now)
		for range 20 {
			r.now = r.now.Add(drawSpan(t, "pause", 0, 60))
			var d gateway.Decision
			s, d = r.k.Step(s, drawObservation(t, r.now), r.now)
			if acting(d) && r.now.Sub(s.LastAttempt()) < min(after, r.k.Config().Retry.MaxRetryAfter) {
				t.Fatalf("%v came %v after a Retry-After of %v", d.Action, r.now.Sub(s.LastAttempt()), after)
			}
		}
	})
}

// TestRoundTrip keeps a state in JSON between any two steps.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, false, func(_ gateway.State, r run) {
			text, err := json.Marshal(r.s)
			if err != nil {
				t.Fatal(err)
			}
			var back gateway.State
			if err := json.Unmarshal(text, &back); err != nil || back != r.s {
				t.Fatalf("%s came back as %+v: %v", text, back, err)
			}
			obs := fmt.Sprintf("%+v", r.obs)
			text, _ = json.Marshal(r.obs)
			if err := json.Unmarshal(text, &r.obs); err != nil || fmt.Sprintf("%+v", r.obs) != obs {
				t.Fatalf("%s came back as %+v: %v", text, r.obs, err)
			}
		})
	})
}
