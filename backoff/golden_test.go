package backoff_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// TestGolden holds the draws that every machine must make. The numbers were computed apart from this package, from the
// definitions of FNV-1a and SplitMix64: a change that moves one of them changes what recorded traces replay to.
func TestGolden(t *testing.T) {
	modes := [4]backoff.Jitter{backoff.JitterNone, backoff.JitterEqual, backoff.JitterFull, backoff.JitterDown}
	for _, row := range []struct {
		seed uint64
		key  string
		n    uint32
		want [4]time.Duration // none, equal, full, down
	}{
		{0, "", 1, [4]time.Duration{1000000000, 622118714, 244993192, 773271229}},
		{0, "", 2, [4]time.Duration{2000000000, 1224147623, 449071099, 1534488574}},
		{0, "", 6, [4]time.Duration{32000000000, 22438589476, 12877776539, 26263153685}},
		{0, "", 7, [4]time.Duration{60000000000, 55028641277, 50057448265, 57017184766}},
		{0, "", 64, [4]time.Duration{60000000000, 43842209602, 27684957797, 50305325761}},
		{0, "", 4294967295, [4]time.Duration{60000000000, 41592756000, 23186125576, 48955653600}},
		{0, "machine 7", 1, [4]time.Duration{1000000000, 942586086, 885287000, 965551652}},
		{0, "machine 7", 2, [4]time.Duration{2000000000, 1285053970, 570822887, 1571032382}},
		{0, "machine 7", 6, [4]time.Duration{32000000000, 22455378954, 12911354447, 26273227372}},
		{0, "machine 7", 7, [4]time.Duration{60000000000, 33549024711, 7098931122, 44129414827}},
		{0, "machine 7", 64, [4]time.Duration{60000000000, 42070898411, 24142394459, 49242539047}},
		{0, "machine 7", 4294967295, [4]time.Duration{60000000000, 56158388341, 52316904736, 57695033005}},
		{42, "Nürnberg", 1, [4]time.Duration{1000000000, 859494608, 719270226, 915696765}},
		{42, "Nürnberg", 2, [4]time.Duration{2000000000, 1314447959, 629581470, 1588668775}},
		{42, "Nürnberg", 6, [4]time.Duration{32000000000, 20261180853, 8523095383, 24956708512}},
		{42, "Nürnberg", 7, [4]time.Duration{60000000000, 58076921502, 56153907106, 58846152901}},
		{42, "Nürnberg", 64, [4]time.Duration{60000000000, 37948387385, 15897509824, 46769032431}},
		{42, "Nürnberg", 4294967295, [4]time.Duration{60000000000, 32725560701, 5452030550, 43635336420}},
	} {
		for i, mode := range modes {
			k := newKernel(t, backoff.Config{Jitter: mode, JitterFraction: 0.3, Seed: row.seed})
			if got := k.Delay(row.n, backoff.Key(row.key)); got != row.want[i] {
				t.Errorf("%v, seed %d, key %q, failure %d: got %d, want %d", mode, row.seed, row.key, row.n, got, row.want[i])
			}
		}
	}
}
