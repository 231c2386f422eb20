package backoff_test

import (
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// drawSpan draws from all magnitudes between low and high, and often the two themselves.
func drawSpan(t *rapid.T, name string, low, high time.Duration) time.Duration {
	l, h := int64(low), int64(high)
	return time.Duration(rapid.OneOf(rapid.Int64Range(l, h), rapid.Int64Range(l, h), rapid.Just(l), rapid.Just(h)).Draw(t, name))
}

// drawConfig draws what Validate accepts: whole ranges, with zero fields among them.
func drawConfig(t *rapid.T) backoff.Config {
	cfg := backoff.Config{
		Multiplier: rapid.OneOf(rapid.SampledFrom([]float64{1, 1.01, 2, 1000}), rapid.Float64Range(1.01, 1000)).Draw(t, "multiplier"),
		Jitter:     backoff.Jitter(rapid.IntRange(0, 3).Draw(t, "jitter")),
		// In millionths, as it is counted.
		JitterFraction: float64(rapid.OneOf(rapid.IntRange(1, 1e6), rapid.Just(1_000_000)).Draw(t, "fraction")) / 1e6,
		Seed:           rapid.Uint64().Draw(t, "seed"),
		Key:            rapid.String().Draw(t, "key"),
		MaxRetries:     rapid.OneOf(rapid.IntRange(-1, 6), rapid.IntRange(math.MinInt32, math.MaxInt32)).Draw(t, "retries"),
		MaxElapsed:     drawLimit(t, "elapsed"),
		ResetAfter:     drawLimit(t, "reset"),
		MaxRetryAfter:  drawLimit(t, "retry after"),
	}
	cfg.Min = drawSpan(t, "min", time.Microsecond, math.MaxInt64)
	if rapid.Bool().Draw(t, "small min") {
		cfg.Min = drawSpan(t, "min", time.Microsecond, time.Second)
	}
	cfg.Initial = drawSpan(t, "initial", cfg.Min, math.MaxInt64)
	cfg.Max = drawSpan(t, "max", cfg.Initial, math.MaxInt64)
	for _, zero := range []func(*backoff.Config){
		func(c *backoff.Config) { c.Min = 0 },
		func(c *backoff.Config) { c.Initial = 0 },
		func(c *backoff.Config) { c.Max = 0 },
		func(c *backoff.Config) { c.Multiplier, c.JitterFraction = 0, 0 },
	} {
		if with := cfg; rapid.IntRange(0, 3).Draw(t, "zero") == 0 {
			if zero(&with); with.Validate() == nil {
				cfg = with
			}
		}
	}
	return cfg
}

// drawLimit draws a limit that seconds reach, or any.
func drawLimit(t *rapid.T, name string) time.Duration {
	if rapid.IntRange(0, 3).Draw(t, name+" is any") == 0 {
		return drawSpan(t, name, math.MinInt64, math.MaxInt64)
	}
	return time.Duration(rapid.IntRange(0, 20).Draw(t, name)) * time.Second
}

// drawN draws how many failed in a row.
func drawN(t *rapid.T) uint32 {
	return rapid.OneOf(rapid.Uint32Range(1, 100), rapid.Uint32Range(1, math.MaxUint32), rapid.Just(uint32(math.MaxUint32))).Draw(t, "n")
}

func drawOutcome(t *rapid.T) backoff.Outcome {
	out := backoff.Outcome{OK: rapid.IntRange(0, 2).Draw(t, "ok") == 0}
	if rapid.IntRange(0, 3).Draw(t, "asked") == 0 {
		out.RetryAfter = drawLimit(t, "asked for")
	}
	return out
}

// drawLife draws a history of records in whole seconds, so that boundaries are met often. The clock goes back now and
// then, if it may.
func drawLife(t *rapid.T, back bool) []record {
	low := 0
	if back {
		low = -20
	}
	var now time.Duration
	life := make([]record, rapid.IntRange(1, 25).Draw(t, "records"))
	for i := range life {
		now += time.Duration(rapid.IntRange(low, 20).Draw(t, "pause")) * time.Second
		life[i] = record{now, drawOutcome(t)}
	}
	return life
}

// drawTime draws from all years that a time.Time writes, the range of an instant and its ends among them.
func drawTime(t *rapid.T) time.Time {
	seconds := rapid.OneOf(rapid.Int64Range(-62135596800, 253402300799), rapid.Int64Range(-9223372037, 9223372036)).Draw(t, "seconds")
	return time.Unix(seconds, rapid.Int64Range(0, 999_999_999).Draw(t, "nanoseconds")).UTC()
}
