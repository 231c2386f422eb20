package gateway_test

import (
	"testing"
	"unsafe"

	"github.com/evenkeel-go/evenkeel/gateway"
)

func BenchmarkStep(b *testing.B) {
	k := newKernel(b, gateway.Config{})
	obs, now := heard(0), at(10)
	s, _ := k.Step(gateway.State{}, obs, now)
	b.ReportAllocs()
	for b.Loop() {
		s, _ = k.Step(s, obs, now)
	}
}

func TestNothingIsAllocated(t *testing.T) {
	k := newKernel(t, gateway.Config{})
	var s gateway.State
	second := 0.0
	if n := testing.AllocsPerRun(1000, func() {
		var d gateway.Decision
		second += 10
		for _, obs := range []gateway.Observation{absent, unheard, heard(second), opaque, blind} {
			s, d = k.Step(s, obs, at(second))
			if acting(d) {
				s = k.Record(s, gateway.Outcome{Action: d.Action}, at(second))
			}
		}
	}); n != 0 {
		t.Errorf("%v allocations in a pass", n)
	}
}

// TestStateIsSmall keeps a state within two cache lines, so that passing it by value stays cheap.
func TestStateIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(gateway.State{}); size > 128 {
		t.Errorf("a state has %d bytes", size)
	}
}
