package watchdog_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/walk"
	"github.com/evenkeel-go/evenkeel/watchdog"
)

// small is a configuration of two loops whose limits differ and are a few seconds long, so that a walk closes: pings are
// due every 2 s, and 1 s after one that failed.
var small = watchdog.Config{
	Timeout: 8 * time.Second,
	Sources: []watchdog.Source{{Name: "a", Budget: 3 * time.Second}, {Name: "b", Budget: 5 * time.Second}},
	MaxGap:  2 * time.Second,
}

// horizon is longer than any limit of small.
const horizon = 6 * time.Second

// edge is one step of a walk: the state before, what was seen, and what was decided.
type edge struct {
	before, after watchdog.State
	obs           watchdog.Observation
	d             watchdog.Decision
	now           time.Time
}

// TestWalk visits every state that is reachable under a small configuration and checks the invariants on every edge.
func TestWalk(t *testing.T) {
	k := newKernel(t, small)
	reasons := map[watchdog.Reason]int{}
	late := map[string]int{}
	result := walk.All(watchdog.State{}, 2_000_000, func(s watchdog.State, visit func(watchdog.State)) {
		for _, pause := range []float64{-1, 0, 1, 2, 3, 7} {
			now := start.Add(secs(pause))
			for _, obs := range []watchdog.Observation{nobody, by("stranger"), by("a"), by("b")} {
				after, d := k.Step(s, obs, now)
				reasons[d.Reason]++
				late[d.Late]++
				checkEdge(t, k, edge{s, after, obs, d, now})
				visit(canonical(after, now))
				if d.Action == ping {
					visitOutcomes(t, k, after, now, visit)
				}
			}
		}
	})
	t.Logf("%d states, %d edges", result.States, result.Edges)
	if !result.Closed {
		t.Errorf("the space did not close")
	}
	for r := watchdog.ReasonWithheld; r <= watchdog.ReasonBeat; r++ {
		if reasons[r] == 0 {
			t.Errorf("%v was never reached", r)
		}
	}
	if late["a"] == 0 || late["b"] == 0 || len(late) != 3 {
		t.Errorf("named as late: %v", late)
	}
}

// TestOffIsReached is for the one reason that a configuration with a timeout never gives: the walk of one without it.
func TestOffIsReached(t *testing.T) {
	cfg := small
	cfg.Timeout = -1
	k := newKernel(t, cfg)
	result := walk.All(watchdog.State{}, 2_000_000, func(s watchdog.State, visit func(watchdog.State)) {
		for _, pause := range []float64{-1, 0, 1, 7} {
			now := start.Add(secs(pause))
			for _, obs := range []watchdog.Observation{nobody, by("stranger"), by("a"), by("b")} {
				after, d := k.Step(s, obs, now)
				if d != (watchdog.Decision{Reason: watchdog.ReasonOff}) {
					t.Fatalf("from %+v, seeing %+v: %+v", s, obs, d)
				}
				visit(canonical(after, now))
			}
		}
	})
	if !result.Closed {
		t.Errorf("the space did not close")
	}
}

// visitOutcomes visits what a ping leads to: sent or failed, at once or within a second.
func visitOutcomes(t *testing.T, k *watchdog.Kernel, s watchdog.State, now time.Time, visit func(watchdog.State)) {
	t.Helper()
	for _, ended := range []time.Time{now, now.Add(time.Second)} {
		for _, ok := range []bool{true, false} {
			after := k.Record(s, watchdog.Outcome{Action: ping, OK: ok}, ended)
			for i := range small.Sources {
				if after.Silence(i) != s.Silence(i)+ended.Sub(now) {
					t.Fatalf("3: a ping changed a silence from %v to %v", s.Silence(i), after.Silence(i))
				}
			}
			visit(canonical(after, ended))
		}
	}
}

// canonical is s as it would be had the step been at start, in one form for all states that behave alike.
func canonical(s watchdog.State, now time.Time) watchdog.State {
	return s.Settle(horizon).Shift(start.Sub(now))
}

// checkEdge checks what every step must keep.
func checkEdge(t *testing.T, k *watchdog.Kernel, e edge) {
	t.Helper()
	pings, withheld := e.d.Action == ping, e.d.Reason == watchdog.ReasonWithheld
	known := e.obs == by("a") || e.obs == by("b")
	for _, check := range []struct {
		ok  bool
		law string
	}{
		{e.d.Reason > watchdog.ReasonOff && e.d.Reason <= watchdog.ReasonBeat && e.d.Overdue >= 0, "2: a valid decision"},
		{withheld == (e.d.Late != ""), "2: withheld names who is late"},
		{pings == (e.d.Reason == watchdog.ReasonBeat), "2: one reason for a ping"},
		{!pings || e.d.Next.Equal(e.now), "4: a ping's next is now"},
		{pings || withheld || e.d.Next.After(e.now), "4: a wait's next lies ahead"},
		{!withheld || e.d.Next.IsZero(), "4: only a beat ends a withholding"},
		{!pings || known, "5, 10: no ping without a beat"},
		{withheld == anyLate(e.after), "8, 11: withheld while any source is silent for its budget"},
		{!pings || e.after.LastPing().IsZero() || e.now.Sub(e.after.LastPing()) >= small.Timeout/4, "12: good pings are apart"},
		{!pings || e.after.LastFailed().IsZero() || e.now.Sub(e.after.LastFailed()) >= small.Timeout/8, "12: failed pings are apart"},
	} {
		if !check.ok {
			t.Fatalf("law %s: from %+v, seeing %+v, to %+v with %+v", check.law, e.before, e.obs, e.after, e.d)
		}
	}
	if again, d := k.Step(e.after, e.obs, e.now); again != e.after || d != e.d {
		t.Fatalf("law 3: the same look again gave %+v after %+v", d, e.d)
	}
	checkSilences(t, e)
	checkExit(t, k, e)
	checkNext(t, k, e)
}

// anyLate says that a source is silent for its budget.
func anyLate(s watchdog.State) bool {
	for i, source := range small.Sources {
		if s.Silence(i) >= source.Budget {
			return true
		}
	}
	return false
}

// checkSilences wants laws 6 and 7 of a step, which began from a canonical state: its last step was at start.
func checkSilences(t *testing.T, e edge) {
	t.Helper()
	if e.before == (watchdog.State{}) {
		return
	}
	passed := min(max(0, e.now.Sub(start)), small.MaxGap)
	for i, source := range small.Sources {
		want := e.before.Silence(i) + passed
		if e.obs == by(source.Name) {
			want = 0
		}
		if got := e.after.Silence(i); got != want {
			t.Fatalf("laws 6, 7: the silence of %s is %v, want %v: from %+v to %+v", source.Name, got, want, e.before, e.after)
		}
	}
}

// checkExit wants law 9 of a ping that is withheld: the beats of those that are late bring it, unless one was recent.
func checkExit(t *testing.T, k *watchdog.Kernel, e edge) {
	t.Helper()
	s, d := e.after, e.d
	for range small.Sources {
		if d.Reason == watchdog.ReasonWithheld {
			s, d = k.Step(s, by(d.Late), e.now)
		}
	}
	if d.Reason == watchdog.ReasonWithheld {
		t.Fatalf("law 9: everyone late has beaten, and still %+v", d)
	}
}

// checkNext steps on, the observation unchanged, to just before Next and to Next.
func checkNext(t *testing.T, k *watchdog.Kernel, e edge) {
	t.Helper()
	s, d, now := e.after, e.d, e.now
	if d.Action == ping || d.Next.IsZero() {
		return
	}
	for now.Before(e.d.Next) {
		step := min(small.MaxGap, e.d.Next.Sub(now))
		if last := now.Add(step); last.Equal(e.d.Next) && step > 1 {
			step-- // a nanosecond before, nothing changes yet
		}
		now = now.Add(step)
		s, d = k.Step(s, e.obs, now)
		if changed := d.Action != e.d.Action || d.Reason != e.d.Reason; changed != now.Equal(e.d.Next) {
			t.Fatalf("law 4: next was %v, at %v %+v became %+v", e.d.Next, now, e.d, d)
		}
	}
}
