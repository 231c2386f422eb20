package liveness_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/liveness"
)

func TestLaw1Pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawConfig(t), func(before liveness.State, r run) {
			again, d := r.k.Step(before, r.obs, r.now)
			if other, od := newKernel(t, r.k.Config()).Step(before, r.obs, r.now); again != r.s || d != r.d || other != again || od != d {
				t.Fatalf("the same step gave %v, %v and %v", r.d, d, od)
			}
		})
	})
}

func TestLaw2Total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, s := newKernel(t, drawJudging(t)), drawState(t)
		for range 3 {
			obs := liveness.Observation{
				Known: rapid.Bool().Draw(t, "known"), NoProbe: rapid.Bool().Draw(t, "no probe"), Handshake: rapid.Bool().Draw(t, "handshake"),
				Stamp: rapid.Int64().Draw(t, "stamp"), ReceiveBytes: rapid.Int64().Draw(t, "rx"), TransmitBytes: rapid.Int64().Draw(t, "tx"),
			}
			now := time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "now"), 0)
			var d liveness.Decision
			s, d = k.Step(s, obs, now)
			if d.Action > probe || d.Reason == 0 || d.Reason > liveness.ReasonOneWay || d.Silence < 0 || d.Live != s.Live() {
				t.Fatalf("not a decision: %+v", d)
			}
			if !d.Next.IsZero() && d.Next.Before(now) {
				t.Fatalf("next %v lies before now, %v", d.Next, now)
			}
			checkExplainedBy(t, k, s, d)
			s = k.Record(reread(t, s), liveness.Outcome{Action: liveness.Action(rapid.Uint8().Draw(t, "action")), OK: rapid.Bool().Draw(t, "ok")},
				time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "then"), 0))
			reread(t, s)
		}
	})
}

// checkExplainedBy wants an explanation whatever the numbers are.
func checkExplainedBy(t failer, k *liveness.Kernel, s liveness.State, d liveness.Decision) {
	t.Helper()
	if why := k.Explain(s, d); len(why) < 10 {
		t.Fatal("explained as", why)
	}
}

func TestLaw3EvidenceAndDeedsAreApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawConfig(t), func(_ liveness.State, r run) {
			if r.d.Reason == liveness.ReasonTorn {
				return // the same look again is the second one running
			}
			s, d := r.k.Step(r.s, r.obs, r.now)
			r.d.Changed = false
			if s != r.s || d != r.d {
				t.Fatalf("not acting changed the decision from %+v to %+v", r.d, d)
			}
		})
	})
}

// stride is how far a caller may sleep at once.
func stride(k *liveness.Kernel) time.Duration {
	if gap := k.Config().MaxGap; gap > 0 {
		return gap
	}
	return 100 * time.Second
}

func TestLaw4NextIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), nil)
		r.s, r.d = r.k.Step(r.s, r.obs, r.now)
		if r.d.Reason == liveness.ReasonTorn || r.d.Action == probe {
			if !r.d.Next.Equal(r.now) {
				t.Fatalf("next is %v, now is %v: %+v", r.d.Next, r.now, r.d)
			}
			return
		}
		s := r.s
		for range 40 {
			now := r.now.Add(time.Duration(rapid.Int64Range(1, int64(stride(r.k))).Draw(t, "wait")))
			due := !r.d.Next.IsZero() && !now.Before(r.d.Next)
			if due {
				now = r.d.Next
			}
			var then liveness.Decision
			s, then = r.k.Step(s, r.obs, now)
			if changed := then.Action != r.d.Action || then.Reason != r.d.Reason || then.Changed; changed != due {
				t.Fatalf("at %v, next %v: %+v became %+v", now, r.d.Next, r.d, then)
			}
			if due {
				return
			}
			if !then.Next.Equal(r.d.Next) {
				t.Fatalf("next moved from %v to %v without news", r.d.Next, then.Next)
			}
			r.now = now
		}
	})
}

// probes lists when a peer that shows nothing new is probed in the next minutes, by polling each second or by sleeping.
func probes(r run, sleeping bool) (list []string) {
	for end := r.now.Add(200 * time.Second); r.now.Before(end); {
		r.s, r.d = r.k.Step(r.s, r.obs, r.now)
		if r.d.Action == probe {
			list = append(list, fmt.Sprint(r.d.Action, r.now.Sub(start)))
			r.s = r.k.Record(r.s, liveness.Outcome{Action: probe, OK: true}, r.now)
			continue
		}
		pause := time.Second
		if sleeping {
			pause = stride(r.k)
			if !r.d.Next.IsZero() {
				pause = min(pause, r.d.Next.Sub(r.now))
			}
		}
		r.now = r.now.Add(pause)
	}
	return list
}

// TestLaw4SleepingIsPolling compares the probes of both.
func TestLaw4SleepingIsPolling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), nil).settled()
		polled, slept := fmt.Sprint(probes(r, false)), fmt.Sprint(probes(r, true))
		if polled != slept {
			t.Fatalf("polling: %s, sleeping: %s", polled, slept)
		}
	})
}

func TestLaw5UnknownIsNotBadNews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawJudging(t), nil)
		r.obs.Known = true
		r = r.settled()
		first, second := drawSpan(t, "first", 0, int(stride(r.k)/time.Second)), time.Duration(0)
		second = drawSpan(t, "second", 0, int((stride(r.k)-first)/time.Second))
		then := r.obs
		then.ReceiveBytes += rapid.SampledFrom([]int64{0, keepalive, initiation, 2 * initiation, 4 * initiation}).Draw(t, "received")
		then.TransmitBytes += rapid.SampledFrom([]int64{0, keepalive, 2 * keepalive, data}).Draw(t, "sent")
		end := r.now.Add(first + second)
		_, want := r.k.Step(r.s, then, end)
		s, d := r.k.Step(r.s, blind, r.now.Add(first))
		if d.Action != none || d.Changed || d.Live != r.d.Live {
			t.Fatalf("the unknown caused %+v", d)
		}
		if _, got := r.k.Step(s, then, end); got != want {
			t.Fatalf("a look that failed changed %+v to %+v", want, got)
		}
	})
}

func TestLaw6UnwatchedTimeIsNoEvidence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), nil).settled()
		gap := r.k.Config().MaxGap
		if gap < 0 {
			return
		}
		_, watched := r.k.Step(r.s, r.obs, r.now.Add(gap))
		_, hung := r.k.Step(r.s, r.obs, r.now.Add(gap+drawSpan(t, "excess", 0, 100_000)))
		if watched.Silence != hung.Silence || watched.Live != hung.Live {
			t.Fatalf("%+v after the largest gap, %+v after more", watched, hung)
		}
	})
}

func TestLaw7TheClockMayStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), nil).settled()
		back := r.now.Add(-drawSpan(t, "back", 1, 1e9))
		moved, then := r.k.Step(r.s, r.obs, back)
		if !same(r.d, r.now, then, back) {
			t.Fatalf("a step back changed %+v at %v to %+v at %v", r.d, r.now, then, back)
		}
		later := drawSpan(t, "later", 0, 100)
		r.obs.ReceiveBytes += rapid.SampledFrom([]int64{0, keepalive, initiation, 2 * initiation}).Draw(t, "received")
		r.obs.TransmitBytes += rapid.SampledFrom([]int64{0, keepalive, 2 * keepalive}).Draw(t, "sent")
		_, then = r.k.Step(moved, r.obs, back.Add(later))
		_, d := r.k.Step(r.s, r.obs, r.now.Add(later))
		if !same(d, r.now.Add(later), then, back.Add(later)) {
			t.Fatalf("%v after the step back: %+v, without it: %+v", later, then, d)
		}
	})
}

// TestLaw9ADeadEndHasAnExit: one keepalive revives whatever a life came to.
func TestLaw9ADeadEndHasAnExit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawConfig(t), nil)
		r.obs.Known = true
		r = r.settled()
		r.obs.ReceiveBytes += keepalive
		if _, d := r.k.Step(r.s, r.obs, r.now.Add(drawSpan(t, "pause", 0, 1000))); !d.Live {
			t.Fatalf("a keepalive after %+v gave %+v", r.d, d)
		}
	})
}

// TestInvariants10To13 checks every edge of random lives, under limits that a walk can't have.
func TestInvariants10To13(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawConfig(t), func(before liveness.State, r run) {
			checkEdge(t, r.k, edge{before, r.s, r.obs, r.d, r.now})
		})
	})
}

// TestInvariant13ATornLookIsPassedOver: but for its time it might not have been.
func TestInvariant13ATornLookIsPassedOver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := drawRun(t, drawJudging(t), nil)
		r.obs.Known = true
		r = r.settled()
		half := drawNews(t, r.obs, r.now)
		half.Known, half.ReceiveBytes = true, r.obs.ReceiveBytes-rapid.Int64Range(1, math.MaxInt32).Draw(t, "lost")
		s, d := r.k.Step(r.s, half, r.now)
		if d.Reason != liveness.ReasonTorn || d.Changed || !d.Next.Equal(r.now) {
			t.Fatalf("half a look gave %+v", d)
		}
		if after, again := r.k.Step(s, r.obs, r.now); again != r.d || after != r.s {
			t.Fatalf("the whole look after half a one gave %+v, not %+v", again, r.d)
		}
		_, d = r.k.Step(s, half, r.now)
		if d.Reason == liveness.ReasonTorn {
			t.Fatal("half a look twice running is torn still")
		}
	})
}

// TestRoundTrip keeps a state in JSON between any two steps.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawRun(t, drawConfig(t), func(_ liveness.State, r run) {
			reread(t, r.s)
			if r.obs.ReceiveBytes < 0 || r.obs.TransmitBytes < 0 || !r.obs.Handshake {
				return // no counter is below 0, and no stamp is kept without a handshake
			}
			text, err := json.Marshal(r.obs)
			if err != nil {
				t.Fatal(err)
			}
			var back liveness.Observation
			if err := json.Unmarshal(text, &back); err != nil || back != r.obs {
				t.Fatalf("%s came back as %+v: %v", text, back, err)
			}
		})
	})
}
