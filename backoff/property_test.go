package backoff_test

import (
	"math/big"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// plain is the schedule of cfg without jitter.
func plain(t *rapid.T, cfg backoff.Config) *backoff.Kernel {
	cfg.Jitter = backoff.JitterNone
	return newKernel(t, cfg)
}

// part is d × millionths / 1e6, rounded down, in numbers that can't overflow.
func part(d time.Duration, millionths int64) time.Duration {
	product := new(big.Int).Mul(big.NewInt(int64(d)), big.NewInt(millionths))
	return time.Duration(product.Div(product, big.NewInt(1e6)).Int64())
}

func TestLaw1Pure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, life, n, key := drawConfig(t), drawLife(t, true), drawN(t), rapid.Uint64().Draw(t, "other key")
		a, b := newKernel(t, cfg), newKernel(t, cfg)
		first, again, other := a.Delay(n, key), a.Delay(n, key), b.Delay(n, key)
		if first != again || first != other {
			t.Fatalf("failure %d waits %v, %v and %v", n, first, again, other)
		}
		s := play(a, life)
		if same := play(b, life); s != same || s != play(a, life) {
			t.Fatalf("the same life gave %+v and %+v", s, same)
		}
		if want := a.Delay(s.Failures(), backoff.Key(cfg.Key)); s.Reason() == backoff.ReasonBackoff && s.Delay() != want {
			t.Fatalf("the state waits %v, the schedule says %v", s.Delay(), want)
		}
	})
}

// TestLaw3DeedsAloneMoveIt asks a state everything that it answers.
func TestLaw3DeedsAloneMoveIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newKernel(t, drawConfig(t))
		s := play(k, drawLife(t, true))
		before, now := s, drawTime(t)
		first := s.Remaining(now)
		k.Explain(s)
		if again := s.Remaining(now); s != before || first != again || s.Due() != before.Due() {
			t.Fatalf("asking changed %+v to %+v", before, s)
		}
	})
}

func TestLaw4TheNextAttemptIsDueExactlyTheDelayAfterTheRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.MaxRetryAfter = time.Hour
		cfg.Min, cfg.Initial, cfg.Max = cfg.Min%time.Hour+time.Microsecond, time.Hour+time.Microsecond, 2*time.Hour
		life := drawLife(t, true)
		s, last := play(newKernel(t, cfg), life), start.Add(life[len(life)-1].at)
		if s.Delay() == 0 {
			if !s.Due().IsZero() {
				t.Fatalf("%v waits for nothing, due at %v", s.Reason(), s.Due())
			}
			return
		}
		if due := last.Add(s.Delay()); !s.Due().Equal(due) || s.Remaining(due) != 0 || s.Remaining(due.Add(-tick)) != tick {
			t.Fatalf("due at %v, want %v", s.Due(), due)
		}
	})
}

func TestLaw7RemainingIsNeverMoreThanTheWait(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := play(newKernel(t, drawConfig(t)), drawLife(t, true))
		a, b := drawTime(t), drawTime(t)
		if b.Before(a) {
			a, b = b, a
		}
		if s.Remaining(a) > s.Delay() || s.Remaining(b) < 0 || s.Remaining(a) < s.Remaining(b) {
			t.Fatalf("of %v, %v remain at %v and %v at %v", s.Delay(), s.Remaining(a), a, s.Remaining(b), b)
		}
	})
}

func TestInvariant10DelaysLieBetweenMinAndMax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newKernel(t, drawConfig(t))
		cfg := k.Config()
		for range 10 {
			n, key := drawN(t), rapid.Uint64().Draw(t, "other key")
			if d := k.Delay(n, key); d < cfg.Min || d > cfg.Max {
				t.Fatalf("failure %d waits %v, outside [%v, %v]", n, d, cfg.Min, cfg.Max)
			}
		}
	})
}

func TestInvariant11WithoutJitterDelaysNeverFall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := plain(t, drawConfig(t))
		n, m := drawN(t), drawN(t)
		if k.Delay(min(n, m), 0) > k.Delay(max(n, m), 0) {
			t.Fatalf("failure %d waits %v, failure %d %v", n, k.Delay(n, 0), m, k.Delay(m, 0))
		}
	})
}

// TestInvariant11GrowsByTheMultiplier works the schedule out again, in numbers that can't overflow.
func TestInvariant11GrowsByTheMultiplier(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := plain(t, drawConfig(t))
		cfg := k.Config()
		ratio := big.NewInt(int64(cfg.Multiplier*1e6 + 0.5))
		exact := big.NewInt(int64(cfg.Initial))
		for n := uint32(1); n < 100; n++ {
			want := cfg.Max
			if exact.IsInt64() {
				want = min(want, time.Duration(exact.Int64()))
			}
			if got := k.Delay(n, 0); got != want {
				t.Fatalf("failure %d waits %v, want %v", n, got, want)
			}
			exact.Mul(exact, ratio)
			exact.Div(exact, big.NewInt(1e6))
		}
	})
}

// TestInvariant12JitterStaysInItsBand draws below and at the cap.
func TestInvariant12JitterStaysInItsBand(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newKernel(t, drawConfig(t))
		cfg, n := k.Config(), drawN(t)
		d := plain(t, cfg).Delay(n, 0)
		low := map[backoff.Jitter]time.Duration{
			backoff.JitterNone:  d,
			backoff.JitterEqual: d / 2,
			backoff.JitterFull:  cfg.Min,
			backoff.JitterDown:  part(d, 1e6-int64(cfg.JitterFraction*1e6+0.5)),
		}[cfg.Jitter]
		for range 10 {
			got := k.Delay(n, rapid.Uint64().Draw(t, "other key"))
			if got < max(low, cfg.Min) || got > d {
				t.Fatalf("%v: failure %d waits %v, outside [%v, %v]", cfg.Jitter, n, got, max(low, cfg.Min), d)
			}
		}
	})
}

// TestInvariant12JitterIsAliveAtTheCap draws for many keys where the cap is long since reached.
func TestInvariant12JitterIsAliveAtTheCap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.Min, cfg.Initial, cfg.Max = time.Microsecond, time.Second, drawSpan(t, "cap", 2*time.Second, 1<<62)
		cfg.Multiplier, cfg.JitterFraction = 2, 0.5
		cfg.Jitter = rapid.SampledFrom(jitters).Draw(t, "some jitter")
		k := newKernel(t, cfg)
		low, high, n := cfg.Max, time.Duration(0), rapid.Uint32Range(64, 1<<32-1).Draw(t, "n")
		for key := range uint64(64) {
			d := k.Delay(n, key)
			low, high = min(low, d), max(high, d)
		}
		if high-low < cfg.Max/4 || high > cfg.Max {
			t.Fatalf("64 keys wait from %v to %v under a cap of %v", low, high, cfg.Max)
		}
	})
}
