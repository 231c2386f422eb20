package backoff_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

const fleetSize = 10_000

// fleets are keys as users make them: names, and ids that count up.
var fleets = map[string]func(i int) uint64{
	"names": func(i int) uint64 { return backoff.Key(fmt.Sprint("machine ", i)) },
	"ids":   func(i int) uint64 { return uint64(i) },
}

var jitters = []backoff.Jitter{backoff.JitterEqual, backoff.JitterFull, backoff.JitterDown}

// TestAFleetSpreadsAtTheCap lets all members fail together for the twentieth time: none waits longer than the cap, and
// no second is crowded.
func TestAFleetSpreadsAtTheCap(t *testing.T) {
	for name, key := range fleets {
		for _, jitter := range jitters {
			k := newKernel(t, backoff.Config{Jitter: jitter})
			seconds, exact := map[time.Duration]int{}, map[time.Duration]int{}
			for i := range fleetSize {
				d := k.Delay(20, key(i))
				if d > time.Minute {
					t.Fatalf("%s, %v: %v lies above the cap", name, jitter, d)
				}
				seconds[d.Truncate(time.Second)]++
				exact[d.Truncate(time.Millisecond)]++
			}
			if got := most(seconds); got > fleetSize*5/100 {
				t.Errorf("%s, %v: %d of %d fall into one second", name, jitter, got, fleetSize)
			}
			if got := most(exact); got > fleetSize/100 {
				t.Errorf("%s, %v: %d of %d fall into one millisecond", name, jitter, got, fleetSize)
			}
		}
	}
}

func most(counts map[time.Duration]int) int {
	top := 0
	for _, n := range counts {
		top = max(top, n)
	}
	return top
}

// share is where in its band a full draw at the cap lies, from 0 to 1.
func share(k *backoff.Kernel, n uint32, key uint64) float64 {
	cfg := k.Config()
	return float64(k.Delay(n, key)-cfg.Min) / float64(cfg.Max-cfg.Min)
}

// chiSquared says how unevenly values from 0 to 1 fill 64 buckets. Of even draws one in a thousand exceeds 103.4 (63
// degrees of freedom).
func chiSquared(values []float64) float64 {
	var buckets [64]float64
	for _, v := range values {
		buckets[min(int(v*64), 63)]++
	}
	want, sum := float64(len(values))/64, 0.0
	for _, got := range buckets {
		sum += (got - want) * (got - want) / want
	}
	return sum
}

func TestDrawsFillTheirBandEvenly(t *testing.T) {
	k := newKernel(t, backoff.Config{Jitter: backoff.JitterFull})
	for name, key := range fleets {
		for _, n := range []uint32{7, 20, 64, math.MaxUint32} {
			values := make([]float64, fleetSize)
			for i := range values {
				values[i] = share(k, n, key(i))
			}
			if got := chiSquared(values); got > 103.4 {
				t.Errorf("%s, failure %d: chi-squared is %.1f", name, n, got)
			}
		}
	}
	values := make([]float64, fleetSize)
	for i := range values {
		values[i] = share(k, uint32(7+i), 0)
	}
	if got := chiSquared(values); got > 103.4 {
		t.Errorf("the attempts of one key: chi-squared is %.1f", got)
	}
}

// correlation is Pearson's, of each value with its partner.
func correlation(a, b []float64) float64 {
	mean := func(values []float64) float64 {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		return sum / float64(len(values))
	}
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}

// TestAdjacentDrawsAreUncorrelated compares what stands side by side: the next attempt, the next key and the next seed.
func TestAdjacentDrawsAreUncorrelated(t *testing.T) {
	k := newKernel(t, backoff.Config{Jitter: backoff.JitterFull})
	next := newKernel(t, backoff.Config{Jitter: backoff.JitterFull, Seed: 1})
	for name, other := range map[string]func(i int) float64{
		"the next attempt of each key":   func(i int) float64 { return share(k, 21, uint64(i)) },
		"the next key":                   func(i int) float64 { return share(k, 20, uint64(i+1)) },
		"the next seed":                  func(i int) float64 { return share(next, 20, uint64(i)) },
		"the attempt after the next one": func(i int) float64 { return share(k, 22, uint64(i)) },
	} {
		a, b := make([]float64, fleetSize), make([]float64, fleetSize)
		for i := range a {
			a[i], b[i] = share(k, 20, uint64(i)), other(i)
		}
		if r := correlation(a, b); math.Abs(r) >= 0.05 {
			t.Errorf("%s correlates by %.3f", name, r)
		}
	}
	a, b := make([]float64, fleetSize), make([]float64, fleetSize)
	for i := range a {
		a[i], b[i] = share(k, uint32(20+i), 9), share(k, uint32(21+i), 9)
	}
	if r := correlation(a, b); math.Abs(r) >= 0.05 {
		t.Errorf("adjacent attempts of one key correlate by %.3f", r)
	}
}
