package main

import (
	"testing"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// The same pairs as benchmarks of go test, for benchstat and for profiles.
func BenchmarkPairs(b *testing.B) {
	for _, p := range pairs() {
		b.Run(p.name, func(b *testing.B) {
			b.ReportAllocs()
			p.ours(b.N)
		})
		b.Run(p.name+"/"+p.otherName, func(b *testing.B) {
			b.ReportAllocs()
			p.other(b.N)
		})
	}
}

// A benchmark of another branch than its name says would mislead without a sign of it.
func TestStoriesStayOnTheirBranch(t *testing.T) {
	for _, st := range []story{healthy(), retryWait()} {
		s := st.first
		for i, l := range st.looks {
			var d gateway.Decision
			if s, d = st.kernel.Step(s, l.obs, l.now); d.Reason != st.reason {
				t.Errorf("look %d: %v, want %v", i, d.Reason, st.reason)
			}
		}
	}
}
