package backoff

import (
	"math"
	"math/bits"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/ident"
)

// A multiplier is counted in millionths, so that the schedule is integer maths and the same on every machine.
const millionths = 1_000_000

// growth lists the delays before jitter up to the cap, which is the last. At 1.01 from 1 µs to the longest duration
// there are some 3,700 of them; at 2 from 1 s to 1 min there are 7.
func growth(cfg Config) []time.Duration {
	ratio := uint64(math.Round(cfg.Multiplier * millionths))
	delays := []time.Duration{cfg.Initial}
	for d := cfg.Initial; d < cfg.Max && ratio > millionths; {
		d = times(d, ratio, cfg.Max)
		delays = append(delays, d)
	}
	return delays
}

// times is d × ratio in millionths, or limit where that is less. The product has 128 bits: it is compared before it is
// cut back to 64, so that nothing can overflow.
func times(d time.Duration, ratio uint64, limit time.Duration) time.Duration {
	hi, lo := bits.Mul64(uint64(d), ratio)
	if hi >= millionths { // the quotient has more than 64 bits
		return limit
	}
	q, _ := bits.Div64(hi, lo, millionths)
	return time.Duration(min(q, uint64(limit)))
}

// band is the delays that jitter may draw after a failure: low and the width-1 nanoseconds above it.
type band struct {
	low   time.Duration
	width uint64
}

// bands puts the jitter of cfg under its growth, once and for all draws.
func bands(cfg Config) []band {
	delays := growth(cfg)
	list := make([]band, len(delays))
	for i, d := range delays {
		low := lowest(cfg, d)
		list[i] = band{low, uint64(d-low) + 1}
	}
	return list
}

// lowest is the lower end of the jitter band under d.
func lowest(cfg Config, d time.Duration) time.Duration {
	switch cfg.Jitter {
	case JitterEqual:
		return max(cfg.Min, d/2)
	case JitterFull:
		return cfg.Min
	case JitterDown:
		keep := millionths - uint64(math.Round(cfg.JitterFraction*millionths))
		return max(cfg.Min, times(d, keep, d))
	}
	return d
}

// Key is the 64-bit key of a name, for [Kernel.Delay].
func Key(name string) uint64 { return ident.Of(name) }

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood, 2014): every bit of x reaches every bit of the result.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
