package liveness_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/walk"
	"github.com/evenkeel-go/evenkeel/liveness"
)

// small counts in steps of 5 s, since data must stay unanswered for at least 20 s. Its limits differ: 25 s of silence,
// 30 s under probes, a probe each 10 s.
var small = liveness.Config{
	DeadAfter:       25 * time.Second,
	ProbeInterval:   10 * time.Second,
	UnansweredAfter: 20 * time.Second,
	CheckInterval:   5 * time.Second,
	MaxGap:          15 * time.Second,
}

// horizon is longer than any limit of small.
const horizon = 35 * time.Second

// far is growth of the bytes sent that is data within any time.
const far = 1<<40 + 1

// edge is one step of a walk: the state before, what was seen, and what was decided.
type edge struct {
	before, after liveness.State
	obs           liveness.Observation
	d             liveness.Decision
	now           time.Time
}

// TestWalk visits every state that is reachable under a small configuration of each mode and checks the invariants on
// every edge.
func TestWalk(t *testing.T) {
	reasons := map[liveness.Reason]int{}
	for _, mode := range []liveness.Mode{liveness.ModeDisabled, liveness.ModePassive, liveness.ModeActive} {
		cfg := small
		cfg.Mode = mode
		k := newKernel(t, cfg)
		result := walk.All(liveness.State{}, 2_000_000, func(s liveness.State, visit func(liveness.State)) {
			for _, pause := range []float64{-5, 0, 5, 10, 40} {
				now := start.Add(secs(pause))
				for _, obs := range looks(s, now) {
					after, d := k.Step(s, obs, now)
					reasons[d.Reason]++
					e := edge{s, after, obs, d, now}
					checkEdge(t, k, e)
					checkNext(t, k, e)
					visit(canonical(k, after, now))
					if d.Action == probe {
						visitOutcomes(t, k, after, now, visit)
					}
				}
			}
		})
		t.Logf("%v: %d states, %d edges", mode, result.States, result.Edges)
		if !result.Closed {
			t.Errorf("%v: the space did not close", mode)
		}
	}
	for r := liveness.ReasonDisabled; r <= liveness.ReasonOneWay; r++ {
		if reasons[r] == 0 {
			t.Errorf("%v was never reached", r)
		}
	}
}

// The counters and the stamp of a canonical state.
const base = 1 << 20

var known = at(-1000).UnixNano()

// looks is what can be seen of a state at now: nothing new, each thing that can be new alone, and those that go together.
func looks(s liveness.State, now time.Time) []liveness.Observation {
	received, sent := s.Counters()
	stamp, stamped := s.Stamp()
	same := liveness.Observation{Known: true, ReceiveBytes: received, TransmitBytes: sent, Handshake: stamped, Stamp: stamp}
	grown := func(rx, tx int64) liveness.Observation {
		obs := same
		obs.ReceiveBytes += rx
		obs.TransmitBytes += tx
		return obs
	}
	shook := func(obs liveness.Observation, ago time.Duration) liveness.Observation {
		obs.Handshake, obs.Stamp = true, now.Add(-ago).UnixNano()
		return obs
	}
	return []liveness.Observation{
		blind, same, mute(same), grown(keepalive, 0), grown(initiation, 0), grown(2*initiation, far), grown(0, far),
		shook(same, 5*time.Second), shook(grown(-1, 0), 0),
	}
}

// visitOutcomes visits what a probe leads to: sent or failed, at once or within 5 s.
func visitOutcomes(t *testing.T, k *liveness.Kernel, s liveness.State, now time.Time, visit func(liveness.State)) {
	t.Helper()
	for _, ended := range []time.Time{now, now.Add(5 * time.Second)} {
		for _, ok := range []bool{true, false} {
			after := k.Record(s, liveness.Outcome{Action: probe, OK: ok}, ended)
			if after.Live() != s.Live() || !after.LastProgress().Equal(s.LastProgress()) {
				t.Fatalf("law 3: a record turned %+v into %+v", s, after)
			}
			visit(canonical(k, after, ended))
		}
	}
}

// canonical is s as it would be had the step been at start, in one form for all states that behave alike.
func canonical(k *liveness.Kernel, s liveness.State, now time.Time) liveness.State {
	return s.Settle(k, horizon).Shift(start.Sub(now)).Recount(base, base, known)
}

// checkNext steps on, the observation unchanged, to just before Next and to Next.
func checkNext(t *testing.T, k *liveness.Kernel, e edge) {
	t.Helper()
	if e.d.Action == probe || e.d.Next.IsZero() {
		return
	}
	s, d, now := e.after, e.d, e.now
	for more := true; more; more = now.Before(e.d.Next) {
		step := min(k.Config().MaxGap, e.d.Next.Sub(now))
		if last := now.Add(step); last.Equal(e.d.Next) && step > 1 {
			step-- // a nanosecond before, nothing changes yet
		}
		now = now.Add(step)
		s, d = k.Step(s, e.obs, now)
		if changed := d.Action != e.d.Action || d.Reason != e.d.Reason || d.Changed; changed != now.Equal(e.d.Next) {
			t.Fatalf("law 4: next was %v, at %v %+v became %+v", e.d.Next, now, e.d, d)
		}
	}
}
