package watchdog_test

import (
	"testing"
	"unsafe"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

func BenchmarkStep(b *testing.B) {
	k := newKernel(b, pair)
	obs, now := by("a"), at(10)
	s, _ := k.Step(watchdog.State{}, obs, now)
	b.ReportAllocs()
	for b.Loop() {
		s, _ = k.Step(s, obs, now)
	}
}

// BenchmarkStepOfEight has as many loops as one watchdog can watch.
func BenchmarkStepOfEight(b *testing.B) {
	k := newKernel(b, eight())
	obs, now := by("h"), at(10)
	s, _ := k.Step(watchdog.State{}, obs, now)
	b.ReportAllocs()
	for b.Loop() {
		s, _ = k.Step(s, obs, now)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	k := newKernel(t, eight())
	looks := []watchdog.Observation{by("a"), by("h"), nobody, by("stranger")}
	var s watchdog.State
	var second float64
	reasons := map[watchdog.Reason]bool{watchdog.ReasonWithheld: false, watchdog.ReasonBeat: false}
	if n := testing.AllocsPerRun(100, func() {
		second++
		for i, obs := range looks {
			var d watchdog.Decision
			s, d = k.Step(s, obs, at(second))
			reasons[d.Reason] = true
			if d.Action == ping {
				s = k.Record(s, watchdog.Outcome{Action: ping, OK: i == 0}, at(second))
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations in a pass", n)
	}
	if !reasons[watchdog.ReasonWithheld] || !reasons[watchdog.ReasonBeat] {
		t.Errorf("the passes reached only %v", reasons)
	}
}

// TestStateIsSmall keeps a state within two cache lines, so that passing it by value stays cheap.
func TestStateIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(watchdog.State{}); size > 128 {
		t.Errorf("a state has %d bytes", size)
	}
}
