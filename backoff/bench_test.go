package backoff_test

import (
	"testing"
	"unsafe"

	"github.com/evenkeel-go/evenkeel/backoff"
)

var jittery = backoff.Config{Jitter: backoff.JitterFull, ResetAfter: 1, MaxRetries: 1 << 30, MaxElapsed: 1 << 60}

func BenchmarkDelay(b *testing.B) {
	k := newKernel(b, jittery)
	var n uint32
	for b.Loop() {
		n++
		k.Delay(n, 7)
	}
}

func BenchmarkRecord(b *testing.B) {
	k := newKernel(b, jittery)
	var s backoff.State
	now := start
	for b.Loop() {
		now = now.Add(tick)
		s = k.Record(s, backoff.Outcome{}, now)
	}
}

// TestNothingIsAllocated keeps a schedule cheap enough to have one for each of millions of things.
func TestNothingIsAllocated(t *testing.T) {
	k := newKernel(t, jittery)
	var s backoff.State
	now, due, good := start, start, false
	for name, do := range map[string]func(){
		"Delay":     func() { k.Delay(s.Failures()+1, 7) },
		"Record":    func() { now, good = now.Add(tick), !good; s = k.Record(s, backoff.Outcome{OK: good}, now) },
		"Remaining": func() { s.Remaining(now) },
		"Due":       func() { due = s.Due() },
	} {
		if got := testing.AllocsPerRun(1000, do); got != 0 {
			t.Errorf("%s allocates %v times", name, got)
		}
	}
	if due.IsZero() && s.Delay() > 0 {
		t.Errorf("a wait of %v is never due", s.Delay())
	}
	if size := unsafe.Sizeof(s); size > 64 {
		t.Errorf("a State has %d bytes, want at most 64", size)
	}
}

// TestStatesCompare uses a State as what it is meant to be: a value.
func TestStatesCompare(t *testing.T) {
	k := newKernel(t, jittery)
	seen := map[backoff.State]bool{{}: true}
	if s := play(k, fails(3, 0, 1)); s != play(k, fails(3, 0, 1)) || s == (backoff.State{}) || seen[s] {
		t.Errorf("%+v does not compare as a value", s)
	}
}
