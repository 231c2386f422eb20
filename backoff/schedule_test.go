package backoff_test

import (
	"math"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// TestSchedule has the delays without jitter, at each step and far beyond the last.
func TestSchedule(t *testing.T) {
	far := []uint32{8, 31, 32, 33, 34, 62, 63, 64, 65, 127, 128, 1<<31 - 1, 1 << 31, 1<<31 + 1, math.MaxUint32 - 1, math.MaxUint32}
	for _, row := range []struct {
		name string
		cfg  backoff.Config
		want []time.Duration // after the first failure, the second, ...; the last for ever
	}{
		{
			"the default",
			backoff.Config{},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second, 16 * time.Second, 32 * time.Second, time.Minute},
		},
		{
			"a cap that is met exactly",
			backoff.Config{Max: 4 * time.Second},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
		},
		{
			"a cap just below a step",
			backoff.Config{Max: 4*time.Second - tick},
			[]time.Duration{time.Second, 2 * time.Second, 4*time.Second - tick},
		},
		{
			"a cap just above a step",
			backoff.Config{Max: 4*time.Second + tick},
			[]time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 4*time.Second + tick},
		},
		{"a cap at initial is a constant delay", backoff.Config{Max: time.Second}, []time.Duration{time.Second}},
		{"so is a multiplier of 1", backoff.Config{Multiplier: 1}, []time.Duration{time.Second}},
		{
			"a broken multiplier",
			backoff.Config{Multiplier: 1.5, Max: 4 * time.Second},
			[]time.Duration{time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond, 3375 * time.Millisecond, 4 * time.Second},
		},
		{
			"it counts to six decimals",
			backoff.Config{Multiplier: 1.9999994, Max: 2 * time.Second},
			[]time.Duration{time.Second, 1999999 * time.Microsecond, 2 * time.Second},
		},
		{
			"the largest multiplier",
			backoff.Config{Multiplier: 1000, Max: time.Hour},
			[]time.Duration{time.Second, 1000 * time.Second, time.Hour},
		},
		{
			"nothing overflows below the longest cap",
			backoff.Config{Initial: 1 << 61, Max: math.MaxInt64},
			[]time.Duration{1 << 61, 1 << 62, math.MaxInt64},
		},
		{
			"nor where the product is one bit too long",
			backoff.Config{Initial: 1 << 62, Multiplier: 4, Max: math.MaxInt64},
			[]time.Duration{1 << 62, math.MaxInt64},
		},
		{
			"nor in one step beyond it",
			backoff.Config{Initial: math.MaxInt64 - 1, Multiplier: 1000, Max: math.MaxInt64},
			[]time.Duration{math.MaxInt64 - 1, math.MaxInt64},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := newKernel(t, row.cfg)
			if d := k.Delay(0, 0); d != 0 {
				t.Errorf("a delay of %v after no failure", d)
			}
			for i, want := range row.want {
				if got := k.Delay(uint32(i)+1, 0); got != want {
					t.Errorf("after %d failures: got %v, want %v", i+1, got, want)
				}
			}
			for _, n := range far {
				if got, want := k.Delay(n, 0), row.want[len(row.want)-1]; got != want {
					t.Errorf("after %d failures: got %v, want %v", n, got, want)
				}
			}
		})
	}
}

// TestJitterBands draws often enough from a narrow band that both of its ends come up.
func TestJitterBands(t *testing.T) {
	const us = time.Microsecond
	for _, row := range []struct {
		name      string
		cfg       backoff.Config
		low, high time.Duration
	}{
		{"none draws nothing", backoff.Config{Initial: us, Max: us, Min: us}, us, us},
		{"equal is the upper half", backoff.Config{Initial: 2 * us, Max: 2 * us, Min: us, Jitter: backoff.JitterEqual}, us, 2 * us},
		{"half of an odd delay is rounded down", backoff.Config{Initial: 2*us + 1, Max: 2*us + 1, Min: us, Jitter: backoff.JitterEqual}, us, 2*us + 1},
		{"equal never falls below min", backoff.Config{Initial: 2 * us, Max: 2 * us, Min: 2*us - 5, Jitter: backoff.JitterEqual}, 2*us - 5, 2 * us},
		{"full begins at min", backoff.Config{Initial: 2 * us, Max: 2 * us, Min: us + 1, Jitter: backoff.JitterFull}, us + 1, 2 * us},
		{"a band of one value", backoff.Config{Initial: us, Max: us, Min: us, Jitter: backoff.JitterFull}, us, us},
		{"down takes off the fraction", backoff.Config{Initial: 2 * us, Max: 2 * us, Min: us, Jitter: backoff.JitterDown, JitterFraction: 0.1}, 1800, 2 * us},
		{"down takes off half by default", backoff.Config{Initial: 4 * us, Max: 4 * us, Min: us, Jitter: backoff.JitterDown}, 2 * us, 4 * us},
		{"down to nothing stops at min", backoff.Config{Initial: 2 * us, Max: 2 * us, Min: us, Jitter: backoff.JitterDown, JitterFraction: 1}, us, 2 * us},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := newKernel(t, row.cfg)
			low, high := time.Duration(math.MaxInt64), time.Duration(0)
			for n := uint32(1); n <= 20_000; n++ {
				d := k.Delay(n, 0)
				low, high = min(low, d), max(high, d)
			}
			if low != row.low || high != row.high {
				t.Errorf("drawn from [%v, %v], want [%v, %v]", low, high, row.low, row.high)
			}
		})
	}
}

// TestTheDrawIsKept asks a state twice, and the schedule twice.
func TestTheDrawIsKept(t *testing.T) {
	k := newKernel(t, backoff.Config{Jitter: backoff.JitterFull, Key: "x", Seed: 3})
	s := play(k, fails(5, 0, 1))
	first, again := s.Delay(), s.Delay()
	if first != again || first != k.Delay(5, backoff.Key("x")) || !s.Due().Equal(at(4).Add(first)) {
		t.Errorf("the state waits %v until %v, the schedule says %v", s.Delay(), s.Due(), k.Delay(5, backoff.Key("x")))
	}
}

// TestSeedsAndKeysDrawApart changes one of seed, key and failures at a time.
func TestSeedsAndKeysDrawApart(t *testing.T) {
	delay := func(seed uint64, key string, n uint32) time.Duration {
		return newKernel(t, backoff.Config{Jitter: backoff.JitterFull, Initial: time.Minute, Seed: seed}).Delay(n, backoff.Key(key))
	}
	base := delay(1, "a", 1)
	for name, other := range map[string]time.Duration{
		"seed": delay(2, "a", 1), "key": delay(1, "b", 1), "failures": delay(1, "a", 2), "seed and key exchanged": delay(0, "a", 1),
	} {
		if other == base {
			t.Errorf("another %s draws the same %v", name, base)
		}
	}
}
