package liveness_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// fleet is many peers, swept in one copy and stepped one by one in another.
type fleet struct {
	k              *liveness.Kernel
	swept, stepped []liveness.State
	looks          []liveness.Observation
	now            time.Time
}

// reported is a decision that Sweep has to report.
func reported(d liveness.Decision) bool {
	return d.Action != none || d.Changed || d.Reason == liveness.ReasonTorn
}

// sweep steps both copies and compares states, reports and the time of the next change.
func (f *fleet) sweep(t failer) (due []int) {
	t.Helper()
	got, want := map[int]liveness.Decision{}, map[int]liveness.Decision{}
	next := f.k.Sweep(f.swept, f.looks, f.now, func(i int, d liveness.Decision) { got[i] = d })
	soonest := time.Time{}
	for i, obs := range f.looks {
		var d liveness.Decision
		f.stepped[i], d = f.k.Step(f.stepped[i], obs, f.now)
		if reported(d) {
			want[i] = d
		}
		if !d.Next.IsZero() && (soonest.IsZero() || d.Next.Before(soonest)) {
			soonest = d.Next
		}
		if d.Action == probe {
			due = append(due, i)
		}
	}
	if !slices.Equal(f.swept, f.stepped) {
		t.Fatal("the states differ:", fmt.Sprintf("%+v, one by one %+v, seeing %+v at %v", f.swept, f.stepped, f.looks, f.now))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatal("reported:", fmt.Sprintf("%+v, one by one %+v", got, want))
	}
	if !next.Equal(soonest) {
		t.Fatal("next is", next, "but one by one", soonest)
	}
	return due
}

// record notes in both copies that the i-th peer was probed.
func (f *fleet) record(i int, ok bool) {
	out := liveness.Outcome{Action: probe, OK: ok}
	f.swept[i], f.stepped[i] = f.k.Record(f.swept[i], out, f.now), f.k.Record(f.stepped[i], out, f.now)
}

// TestInvariant14SweepIsStepForEach over random lives: gaps, steps back, torn and failed looks, and probes.
func TestInvariant14SweepIsStepForEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 5).Draw(t, "peers")
		f := fleet{newKernel(t, drawConfig(t)), make([]liveness.State, n), make([]liveness.State, n), make([]liveness.Observation, n), start}
		for range rapid.IntRange(1, 30).Draw(t, "sweeps") {
			f.now = f.now.Add(drawSpan(t, "pause", rapid.SampledFrom([]int{0, 0, -20}).Draw(t, "back"), rapid.SampledFrom([]int{5, 30, 120}).Draw(t, "longest")))
			for i := range f.looks {
				if rapid.IntRange(0, 2).Draw(t, "moves") == 0 {
					f.looks[i] = drawNews(t, f.looks[i], f.now)
				}
			}
			for _, i := range f.sweep(t) {
				if rapid.Bool().Draw(t, "acts") {
					f.record(i, rapid.IntRange(0, 3).Draw(t, "ok") > 0)
				}
			}
		}
	})
}

// TestInvariant14HoldsOnTheBoundaries sweeps a silent peer to just before, at and just after each of its limits, by the
// quick path and, where a probe has just been recorded, without it.
func TestInvariant14HoldsOnTheBoundaries(t *testing.T) {
	for _, cfg := range []liveness.Config{passive, active, {Mode: liveness.ModePassive}, {Mode: liveness.ModeActive}, disabled} {
		f := fleet{newKernel(t, cfg), make([]liveness.State, 1), make([]liveness.State, 1), []liveness.Observation{alive.obs}, start}
		f.sweep(t)
		for second := 15.0; second <= 120; second += 7.5 {
			for _, at := range []float64{second - tick, second, second, second + tick} {
				f.now = start.Add(secs(at))
				for _, i := range f.sweep(t) {
					if second != 30 {
						f.record(i, true)
					}
				}
			}
		}
	}
}

// TestTheQuickPathIsTaken where nothing moved and nothing is due, by the living and the dead: a million peers in
// milliseconds depend on it.
func TestTheQuickPathIsTaken(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  liveness.Config
		obs  liveness.Observation
		at   float64
		want bool
	}{
		{"a live peer at once", passive, alive.obs, 0, true},
		{"a live peer, just before its end", passive, alive.obs, 82.5 - tick, true},
		{"a live peer at its end", passive, alive.obs, 82.5, false},
		{"a live peer, just before its probe", active, alive.obs, 15 - tick, true},
		{"a live peer at its probe", active, alive.obs, 15, false},
		{"a dead peer", passive, seen(5, 5), 1e6, true},
		{"a dead peer that is not probed", active, mute(seen(5, 5)), 1e6, true},
		{"a gap", liveness.Config{Mode: liveness.ModePassive}, alive.obs, 30 + tick, false},
		{"no gap yet", liveness.Config{Mode: liveness.ModePassive}, alive.obs, 30, true},
		{"a step back", passive, alive.obs, -1, false},
		{"a look that failed", passive, blind, 1, false},
	} {
		k := newKernel(t, row.cfg)
		s, _ := k.Step(liveness.State{}, row.obs, start)
		if got := k.Calm(s, row.obs, at(row.at)); got != row.want {
			t.Errorf("%s: %v", row.name, got)
		}
	}
}

// TestSweepReportsInOrder, and only what its caller has to act on.
func TestSweepReportsInOrder(t *testing.T) {
	k := newKernel(t, liveness.Config{Mode: liveness.ModeActive})
	states := make([]liveness.State, 4)
	looks := []liveness.Observation{seen(0, 0), blind, shaken(0, 0, 0), mute(seen(0, 0))}
	var got []string
	sweep := func(second float64) time.Time {
		got = nil
		return k.Sweep(states, looks, at(second), func(i int, d liveness.Decision) {
			got = append(got, fmt.Sprint(i, " ", d.Action, " ", d.Reason, " ", d.Changed))
		})
	}
	for _, row := range []struct {
		second float64
		want   string
		next   float64
	}{
		{0, "[0 probe never_heard false 2 none live true]", 0},
		{1, "[0 probe never_heard false]", 1},
		{15, "[0 probe never_heard false 2 probe quiet false]", 15},
	} {
		next := sweep(row.second)
		if fmt.Sprint(got) != row.want || !next.Equal(at(row.next)) {
			t.Errorf("at %v: got %v, next %v; want %s", row.second, got, next, row.want)
		}
	}
	looks[0], looks[2] = mute(seen(5, 5)), shaken(0, 0, 16)
	if next := sweep(17); fmt.Sprint(got) != "[0 none live true]" || !next.Equal(at(31)) {
		t.Errorf("got %v, next %v", got, next)
	}
	looks[0] = mute(seen(4, 5))
	if next := sweep(18); fmt.Sprint(got) != "[0 none torn false]" || !next.Equal(at(18)) {
		t.Errorf("got %v, next %v", got, next)
	}
}

// TestSweepWithoutAnythingToComeHasNoNext, nor has one of nobody.
func TestSweepWithoutAnythingToComeHasNoNext(t *testing.T) {
	k := newKernel(t, passive)
	if next := k.Sweep(nil, nil, start, nil); !next.IsZero() {
		t.Errorf("nobody changes at %v", next)
	}
	states, looks := make([]liveness.State, 2), []liveness.Observation{seen(0, 0), blind}
	for second := range 3 {
		if next := k.Sweep(states, looks, at(float64(second)), nil); !next.IsZero() {
			t.Errorf("the dead change at %v", next)
		}
	}
}

// TestSweepKeepsTheTermsOfNow: its next has now's location, as Step's has.
func TestSweepKeepsTheTermsOfNow(t *testing.T) {
	k, now := newKernel(t, passive), start.In(time.FixedZone("east", 3600))
	next := k.Sweep(make([]liveness.State, 1), []liveness.Observation{alive.obs}, now, func(_ int, d liveness.Decision) {
		if d.Next.Location() != now.Location() {
			t.Errorf("the decision's next is in %v", d.Next.Location())
		}
	})
	if next.Location() != now.Location() || !next.Equal(at(82.5)) {
		t.Errorf("next is %v", next)
	}
}

// TestSweepWantsALookForEach state: a caller's mistake is not passed over.
func TestSweepWantsALookForEach(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a missing look was passed over")
		}
	}()
	newKernel(t, passive).Sweep(make([]liveness.State, 2), make([]liveness.Observation, 1), start, nil)
}
