package supervise_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/walk"
	"github.com/evenkeel-go/evenkeel/supervise"
)

// small is a configuration whose limits differ and are a few seconds long, so that a walk closes. Its pause is shorter
// than its window, so that the end of the one empties the other.
var small = supervise.Config{
	SweepInterval: time.Second,
	Confirm:       2,
	MaxRestarts:   3,
	Window:        7 * time.Second,
	Pause:         4 * time.Second,
	ResetAfter:    3 * time.Second,
	MaxGap:        2 * time.Second,
}

// edge is one step of a walk: the state before, what was seen, and what was decided.
type edge struct {
	before, after supervise.State
	obs           supervise.Observation
	d             supervise.Decision
	now           time.Time
}

// pauses are the times of a step after the last one, at start.
var pauses = []time.Time{at(-1), at(0), at(1), at(2), at(3), at(8)}

// TestWalk visits every state that is reachable under a small configuration and checks the invariants on every edge.
func TestWalk(t *testing.T) {
	k := newKernel(t, small)
	reasons, checked := map[supervise.Reason]int{}, map[supervise.State]bool{}
	result := walk.All(supervise.State{}, 2_000_000, func(s supervise.State, visit func(supervise.State)) {
		for _, now := range pauses {
			for _, obs := range sights {
				after, d := k.Step(s, obs, now)
				e := edge{s, after, obs, d, now}
				reasons[d.Reason]++
				checkEdge(t, k, e)
				checkCanonical(t, k, e, checked)
				visit(canonical(after, now))
				if acting(d) {
					visitOutcomes(t, k, e, visit)
				}
			}
		}
	})
	t.Logf("%d states, %d edges", result.States, result.Edges)
	if !result.Closed {
		t.Errorf("the space did not close")
	}
	for r := supervise.ReasonNotOurs; r <= supervise.ReasonDown; r++ {
		if reasons[r] == 0 {
			t.Errorf("%v was never reached", r)
		}
	}
}

// sights is everything that can be seen of a state. The ids that it knows are 1; a look sees the same ones, new ones, or
// none.
var sights = []supervise.Observation{
	blind, running, restarting, down, notOurs, parked, busy, unguarded,
	guarded(running, supervise.GuardNotOurs), guarded(running, supervise.GuardBusy), guarded(blind, supervise.GuardNotOurs),
	{Status: supervise.StatusDown, Run: 1, Generation: 1},
	{Status: supervise.StatusDown, Run: 2, Generation: 1},
	{Status: supervise.StatusRunning, Run: 1, Generation: 1},
	{Status: supervise.StatusRunning, Run: 2, Generation: 1},
	{Status: supervise.StatusDown, Run: 1, Generation: 2},
	{Status: supervise.StatusRunning, Run: 2, Generation: 2},
}

// visitOutcomes visits what an action leads to: done or failed, at once or within a second.
func visitOutcomes(t *testing.T, k *supervise.Kernel, e edge, visit func(supervise.State)) {
	t.Helper()
	for _, ended := range []time.Time{e.now, e.now.Add(time.Second)} {
		for _, ok := range []bool{true, false} {
			s := k.Record(e.after, supervise.Outcome{Action: e.d.Action, OK: ok}, ended)
			_, d := k.Step(s, down, ended)
			want := supervise.ReasonConfirming
			if e.d.Action == giveUp {
				want = supervise.ReasonPaused
			}
			if acting(d) || d.Reason != want {
				t.Fatalf("right after %v: %+v, from %+v", e.d.Action, d, e.after)
			}
			visit(canonical(s, ended))
		}
	}
}

// canonical is s as it would be had the step been at start, in one form for all states that behave alike.
func canonical(s supervise.State, now time.Time) supervise.State {
	return s.Renamed().Settle(small).Shift(start.Sub(now))
}

// checkCanonical wants what a walk rests on: a state and its canonical form decide alike, and come to the same.
func checkCanonical(t *testing.T, k *supervise.Kernel, e edge, checked map[supervise.State]bool) {
	t.Helper()
	s := e.after.Renamed().Shift(start.Sub(e.now))
	if checked[s] {
		return
	}
	checked[s] = true
	for _, now := range pauses {
		for _, obs := range sights {
			a, ad := k.Step(s, obs, now)
			b, bd := k.Step(s.Settle(small), obs, now)
			if ad != bd || canonical(a, now) != canonical(b, now) {
				t.Fatalf("%+v decides %+v, and its canonical form %+v", s, ad, bd)
			}
		}
	}
}

// checkEdge checks what every step must keep.
func checkEdge(t *testing.T, k *supervise.Kernel, e edge) {
	t.Helper()
	checkValid(t, k, e.d, e.now)
	free := e.obs.Status == supervise.StatusDown && e.obs.Guard == supervise.GuardNone
	inLoop, wasInLoop := !e.after.CrashLoopSince().IsZero(), !e.before.CrashLoopSince().IsZero()
	another := e.obs.Generation != 0 && e.before.Generation() != 0 && e.obs.Generation != e.before.Generation()
	gap := e.before != supervise.State{} && e.now.Sub(start) > small.MaxGap
	for _, check := range []struct {
		ok  bool
		law string
	}{
		{!acting(e.d) || free, "5, 12: nothing is done but to a target that is down and free"},
		{!acting(e.d) || e.d.Sightings == small.Confirm, "10: an action is confirmed"},
		{!gap || e.d.Sightings <= 1, "6: sightings start again after a gap"},
		{!another || e.d.Sightings <= 1 && e.d.Restarts == 0 && !inLoop, "a new generation has no history"},
		{e.d.Action != restart || e.d.Restarts < small.MaxRestarts, "11: the window is limited"},
		{!inLoop || wasInLoop, "3, 14: a look begins no crash loop"},
		{inLoop || !wasInLoop || another || e.d.Reason == supervise.ReasonRunning, "14: only health and a new generation end one"},
		{e.d.Reason != supervise.ReasonRunning || !inLoop && e.d.Restarts == 0, "15: nothing is held against what runs"},
		{e.d.Reason != supervise.ReasonPaused || inLoop, "13: a pause is of a crash loop"},
	} {
		if !check.ok {
			t.Fatalf("law %s: from %+v, seeing %+v, to %+v with %+v", check.law, e.before, e.obs, e.after, e.d)
		}
	}
	if again, d := k.Step(e.after, e.obs, e.now); again != e.after || d != e.d {
		t.Fatalf("law 3: the same look again gave %+v after %+v", d, e.d)
	}
	checkBack(t, k, e)
	checkNext(t, k, e)
}

// checkBack wants a step back of the clock to change nothing, seen from now.
func checkBack(t *testing.T, k *supervise.Kernel, e edge) {
	t.Helper()
	back := e.now.Add(-time.Hour)
	if _, d := k.Step(e.after, e.obs, back); !same(d, back, e.d, e.now) {
		t.Fatalf("law 7: a step back made %+v of %+v", d, e.d)
	}
}

// checkNext steps on, the observation unchanged, to just before Next and to Next; where there is none, for ever.
func checkNext(t *testing.T, k *supervise.Kernel, e edge) {
	t.Helper()
	s, now := e.after, e.now
	for waited := 0; !acting(e.d) && waited < 5 && (e.d.Next.IsZero() || now.Before(e.d.Next)); waited++ {
		step := small.MaxGap
		if !e.d.Next.IsZero() {
			step = min(step, e.d.Next.Sub(now))
			if last := now.Add(step); last.Equal(e.d.Next) && step > 1 {
				step-- // a nanosecond before, nothing changes yet
			}
		}
		now = now.Add(step)
		var d supervise.Decision
		if s, d = k.Step(s, e.obs, now); changed(e.d, d) != now.Equal(e.d.Next) {
			t.Fatalf("law 4: next was %v, at %v %+v became %+v", e.d.Next, now, e.d, d)
		}
	}
}
