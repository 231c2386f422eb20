package liveness_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// sums lists every sum of WireGuard's own messages that can have been sent within elapsed, slowly and plainly: pace is
// the shortest time between two keepalives.
func sums(elapsed, pace time.Duration) map[uint64]bool {
	all := map[uint64]bool{}
	for a := time.Duration(0); a <= elapsed/pace+1; a++ {
		for b := time.Duration(0); b <= elapsed/(5*time.Second)+1; b++ {
			for c := time.Duration(0); c <= elapsed/(5*time.Second)+1; c++ {
				all[uint64(a*keepalive+b*initiation+c*response)] = true
			}
		}
	}
	return all
}

// paces is the shortest time between two keepalives of ours, for each setting of them.
var paces = map[time.Duration]time.Duration{
	0:                       5 * time.Second,
	-1:                      5 * time.Second,
	time.Second:             time.Second,
	2 * time.Second:         2 * time.Second,
	5*time.Second - 1:       5*time.Second - 1,
	5 * time.Second:         5 * time.Second,
	25 * time.Second:        5 * time.Second,
	65535 * time.Second:     5 * time.Second,
	2500 * time.Microsecond: 2500 * time.Microsecond,
}

// moments are elapsed times around every bound of the rules.
func moments() []time.Duration {
	list := []time.Duration{0, 1, time.Millisecond}
	for second := range 60 {
		at := time.Duration(second+1) * time.Second
		list = append(list, at-1, at)
	}
	return list
}

// TestDataIsWhatIsNoSumOfMessages tries every growth up to beyond the largest sum.
func TestDataIsWhatIsNoSumOfMessages(t *testing.T) {
	for setting, pace := range paces {
		if pace < time.Second {
			continue
		}
		t.Run(fmt.Sprint("keepalives of ours each ", setting), func(t *testing.T) {
			k := newKernel(t, liveness.Config{Mode: liveness.ModePassive, LocalKeepalive: setting})
			for _, elapsed := range moments() {
				own := sums(elapsed, pace)
				for growth := range uint64(6000) {
					if got := k.IsData(growth, elapsed); got == own[growth] {
						t.Fatalf("%d bytes in %v: data %v", growth, elapsed, got)
					}
				}
			}
		})
	}
}

// TestOverAMinuteOnlyTheLargestSumCounts has a growth at, just before and just after it.
func TestOverAMinuteOnlyTheLargestSumCounts(t *testing.T) {
	for setting, pace := range paces {
		k := newKernel(t, liveness.Config{Mode: liveness.ModePassive, LocalKeepalive: setting})
		for _, elapsed := range []time.Duration{time.Minute + 1, 65*time.Second - 1, 65 * time.Second, time.Hour, 24 * time.Hour} {
			rekeys := uint64(elapsed/(5*time.Second)) + 1
			most := (uint64(elapsed/pace)+1)*keepalive + rekeys*(initiation+response)
			for growth, want := range map[uint64]bool{1: false, most - 1: false, most: false, most + 1: true, math.MaxUint64: true} {
				if got := k.IsData(growth, elapsed); got != want {
					t.Errorf("ours each %v, %d bytes in %v: data %v", setting, growth, elapsed, got)
				}
			}
		}
	}
}

// TestAMinuteIsStillExact: the odd byte is data at 60 s, and a message in the next nanosecond.
func TestAMinuteIsStillExact(t *testing.T) {
	k := newKernel(t, passive)
	if !k.IsData(33, time.Minute) || k.IsData(32, time.Minute) || k.IsData(33, time.Minute+1) {
		t.Error("the minute ends elsewhere")
	}
}

// TestKnocksAreWholeInitiations tries every growth, and the bound of the longest times.
func TestKnocksAreWholeInitiations(t *testing.T) {
	for _, elapsed := range append(moments(), time.Hour, math.MaxInt64) {
		for growth := range uint64(3000) {
			want := uint64(0)
			for k := uint64(1); k <= uint64(elapsed/(5*time.Second))+1 && k <= 21; k++ {
				if growth == k*initiation {
					want = k
				}
			}
			if got := liveness.Knocks(growth, elapsed); got != want {
				t.Fatalf("%d bytes in %v: %d knocks, want %d", growth, elapsed, got, want)
			}
		}
	}
}

// TestWireIsTotal asks for any growth in any time: whoever sends faster than a line can carry sends data.
func TestWireIsTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		setting := time.Duration(rapid.Int64Range(int64(time.Millisecond), int64(time.Minute)).Draw(t, "keepalive"))
		k := newKernel(t, liveness.Config{Mode: liveness.ModePassive, LocalKeepalive: setting})
		growth, elapsed := rapid.Uint64().Draw(t, "growth"), time.Duration(rapid.Int64Range(0, math.MaxInt64).Draw(t, "elapsed"))
		isData, longer := k.IsData(growth, elapsed), k.IsData(growth, elapsed+min(time.Hour, math.MaxInt64-elapsed))
		if longer && !isData || growth > 1<<55 && !isData {
			t.Fatalf("%d bytes in %v: data %v, in an hour more %v", growth, elapsed, isData, longer)
		}
		if n := liveness.Knocks(growth, elapsed); n > 0 && n*initiation != growth {
			t.Fatalf("%d bytes are %d knocks", growth, n)
		}
	})
}
