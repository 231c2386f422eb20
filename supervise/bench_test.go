package supervise_test

import (
	"testing"
	"unsafe"

	"github.com/evenkeel-go/evenkeel/supervise"
)

func BenchmarkStep(b *testing.B) {
	k, s, _ := play(b, supervise.Config{}, once)
	now := at(120)
	b.ReportAllocs()
	for b.Loop() {
		s, _ = k.Step(s, running, now)
	}
}

// BenchmarkStepInACrashLoop has as many restarts to count as a state can hold.
func BenchmarkStepInACrashLoop(b *testing.B) {
	k, s, _ := play(b, supervise.Config{MaxRestarts: 16, Window: 1 << 62, Confirm: 1, MaxGap: -1}, sixteen(16))
	now := at(2000)
	b.ReportAllocs()
	for b.Loop() {
		s, _ = k.Step(s, down, now)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	k := newKernel(t, supervise.Config{})
	sights := []supervise.Observation{down, busy, parked, down, gen(run(down, "a"), "a"), running, restarting, notOurs, unguarded, blind}
	var s supervise.State
	var second float64
	acted := map[supervise.Action]bool{none: true, restart: false, giveUp: false}
	if n := testing.AllocsPerRun(100, func() {
		for range 20 {
			for _, obs := range sights[:4] {
				second += 30
				var d supervise.Decision
				s, d = k.Step(s, obs, at(second))
				acted[d.Action] = true
				s = k.Record(s, supervise.Outcome{Action: d.Action}, at(second))
			}
		}
		for _, obs := range sights {
			s, _ = k.Step(s, obs, at(second))
		}
	}); n != 0 {
		t.Errorf("%v allocations in a pass", n)
	}
	if !acted[restart] || !acted[giveUp] {
		t.Errorf("the passes reached only %v", acted)
	}
}

// TestStateIsSmall keeps a state, which holds up to 16 restarts, within four cache lines.
func TestStateIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(supervise.State{}); size > 256 {
		t.Errorf("a state has %d bytes", size)
	}
}
