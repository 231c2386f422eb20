package liveness_test

import (
	"net/netip"
	"testing"
	"unsafe"

	"github.com/evenkeel-go/evenkeel/liveness"
)

func BenchmarkStep(b *testing.B) {
	k := newKernel(b, active)
	obs, now := shaken(1000, 1000, 0), at(10)
	s, _ := k.Step(liveness.State{}, obs, now)
	b.ReportAllocs()
	for b.Loop() {
		s, _ = k.Step(s, obs, now)
	}
}

// BenchmarkSweep sweeps a million peers, of which none, some or all have received a keepalive since the sweep before.
func BenchmarkSweep(b *testing.B) {
	const peers = 1_000_000
	for _, row := range []struct {
		name   string
		moving int
	}{{"none moves", peers}, {"one in 100 moves", 100}, {"all move", 1}} {
		b.Run(row.name, func(b *testing.B) {
			k := newKernel(b, liveness.Config{Mode: liveness.ModeActive})
			states, looks := make([]liveness.State, peers), make([]liveness.Observation, peers)
			for i := range looks {
				looks[i] = shaken(1000, 1000, 0)
			}
			k.Sweep(states, looks, start, func(int, liveness.Decision) {})
			reports, sweep := 0, int64(0)
			b.ReportAllocs()
			for b.Loop() {
				sweep++
				for i := int(sweep) % row.moving; row.moving < peers && i < peers; i += row.moving {
					looks[i].ReceiveBytes += keepalive
				}
				k.Sweep(states, looks, at(float64(sweep)/1000), func(int, liveness.Decision) { reports++ })
			}
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	k := newKernel(t, liveness.Config{Mode: liveness.ModeActive})
	states, looks := make([]liveness.State, 100), make([]liveness.Observation, 100)
	second, reports := 0.0, 0
	report := func(i int, d liveness.Decision) {
		if reports++; d.Action == probe {
			states[i] = k.Record(states[i], liveness.Outcome{Action: probe, OK: i%2 == 0}, at(second))
		}
	}
	if n := testing.AllocsPerRun(1000, func() {
		second++
		for i := range looks {
			switch {
			case int(second)%(i+2) == 0:
				looks[i].Known = !looks[i].Known
			case int(second)%(i+3) == 0:
				looks[i].ReceiveBytes += initiation
			case int(second)%(i+5) == 0:
				looks[i] = shaken(looks[i].ReceiveBytes-1, looks[i].TransmitBytes+data, second)
			}
		}
		k.Sweep(states, looks, at(second), report)
		states[0], _ = k.Step(states[0], looks[0], at(second))
	}); n != 0 || reports == 0 {
		t.Errorf("%v allocations in a pass, %d reports", n, reports)
	}
}

// TestStateIsSmall keeps a million states within 80 MB.
func TestStateIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(liveness.State{}); size > 80 {
		t.Errorf("a state has %d bytes", size)
	}
}

// BenchmarkPlanRoutes plans for ten thousand sites with two prefixes each, all within one prefix of an office, of which
// one site has died since the plan before.
func BenchmarkPlanRoutes(b *testing.B) {
	const sites = 10_000
	peers := []liveness.Claimant{{ID: "office", Live: true, Routes: prefixes("10.0.0.0/8")}}
	for i := range sites {
		addr := netip.AddrFrom4([4]byte{10, byte(i >> 7), byte(i << 1)})
		peers = append(peers, liveness.Claimant{ID: addr.String(), Live: true, Routes: []netip.Prefix{netip.PrefixFrom(addr, 24), netip.PrefixFrom(addr.Next(), 32)}})
	}
	before := plan(b, peers, nil, true).Owners
	peers[sites/2].Live = false
	b.ReportAllocs()
	for b.Loop() {
		if p := plan(b, peers, before, true); len(p.Changes) != 2 || p.Changes[0].Cover != peers[0].Routes[0] {
			b.Fatal(p.Changes)
		}
	}
}
