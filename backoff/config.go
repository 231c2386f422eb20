package backoff

import (
	"math"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// Config is a schedule of delays. A zero field means the default that its comment gives; durations in JSON are strings
// such as "30s", and unknown keys are errors.
type Config struct {
	// Initial is the delay after the first failure, before jitter. Zero means 1 s.
	Initial time.Duration `json:"initial"`
	// Multiplier is how much longer each delay is than the one before, from 1.01 to 1000; 1 keeps the delay constant.
	// It counts to six decimals. Zero means 2.
	Multiplier float64 `json:"multiplier"`
	// Max is the cap: no delay is longer, jitter included. Only a Retry-After may be. Zero means 1 min.
	Max time.Duration `json:"max"`
	// Jitter says in which band under the delay the real one is drawn. Zero means JitterNone.
	Jitter Jitter `json:"jitter"`
	// JitterFraction is how much of the delay JitterDown may take off, from 0.000001 to 1; the others ignore it. It
	// counts to six decimals. Zero means 0.5.
	JitterFraction float64 `json:"jitter_fraction"`
	// Seed makes the draws of one fleet differ from those of another with the same keys. Zero is a seed like any other.
	Seed uint64 `json:"seed"`
	// Key tells the members of a fleet apart, so that they spread: a machine id, a peer's name. Empty is a key like any
	// other.
	Key string `json:"key"`
	// ResetAfter is how long ok records without a failure between them must go on before the streak of failures ends.
	// Zero or negative means that one ok record ends it.
	ResetAfter time.Duration `json:"reset_after"`
	// MaxRetries is how many retries there are: with 3, the fourth failure in a row exhausts the schedule. Zero or
	// negative means no limit.
	MaxRetries int `json:"max_retries"`
	// MaxElapsed is for how long there are retries, from the first failure of the streak. Zero or negative means no
	// limit.
	MaxElapsed time.Duration `json:"max_elapsed"`
	// MaxRetryAfter bounds what a server may ask for by Retry-After. Zero means 5 min; negative means that Retry-After
	// is ignored.
	MaxRetryAfter time.Duration `json:"max_retry_after"`
	// Min is the shortest delay, jitter included, so that full jitter never draws a busy loop. At least 1 µs; zero
	// means 1 ms.
	Min time.Duration `json:"min"`
}

// Validate reports every field that can't work, each with its value and its limit.
func (c Config) Validate() error {
	c = c.withDefaults()
	check := settings.Check{Name: "backoff"}
	check.That(c.Min >= time.Microsecond, "min", c.Min, "is below 1µs")
	check.That(c.Initial >= c.Min, "initial", c.Initial, "is below min (%v)", c.Min)
	check.That(c.Max >= c.Initial, "max", c.Max, "is below initial (%v)", c.Initial)
	check.That(validMultiplier(c.Multiplier), "multiplier", c.Multiplier, "is neither 1 nor from 1.01 to 1000")
	check.That(int(c.Jitter) < len(jitterNames), "jitter", c.Jitter, "is none of none, equal, full, down")
	check.That(c.JitterFraction >= 1e-6 && c.JitterFraction <= 1, "jitter_fraction", c.JitterFraction, "is not from 0.000001 to 1")
	check.That(int64(c.MaxRetries) < math.MaxUint32, "max_retries", c.MaxRetries, "is above %d", uint32(math.MaxUint32-1))
	return check.Err()
}

// A multiplier closer to 1 than 1.01 would need a table of millions of delays to reach its cap; it is taken for a slip.
func validMultiplier(m float64) bool { return m == 1 || m >= 1.01 && m <= 1000 }

func (c Config) withDefaults() Config {
	settings.Default(&c.Initial, time.Second)
	settings.Default(&c.Multiplier, 2)
	settings.Default(&c.Max, time.Minute)
	settings.Default(&c.JitterFraction, 0.5)
	settings.Default(&c.MaxRetryAfter, 5*time.Minute)
	settings.Default(&c.Min, time.Millisecond)
	return c
}

// MarshalJSON writes the fields that are set, durations as strings.
func (c Config) MarshalJSON() ([]byte, error) { return settings.Marshal(c) }

// UnmarshalJSON reads what MarshalJSON writes. Keys that are left out leave their fields alone; every problem is
// reported, each naming its field.
func (c *Config) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, c) }
