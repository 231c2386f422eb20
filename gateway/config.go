package gateway

import (
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// Config is the timing of one tunnel. A zero field means the default that its comment gives, a negative one "off" where
// the comment says so; durations in JSON are strings such as "30s", and unknown keys are errors.
type Config struct {
	// PollInterval is the longest time between two looks. Zero means 10 s.
	PollInterval time.Duration `json:"poll_interval"`
	// RefreshInterval is how long after the last attempt the registration is renewed. Zero means 180 s; negative means
	// no periodic refresh.
	RefreshInterval time.Duration `json:"refresh_interval"`
	// HandshakeTimeout is how long a tunnel may be silent before it counts as dead. Zero means 180 s, after which
	// WireGuard itself uses no key any more; negative means that a silence is never acted upon.
	HandshakeTimeout time.Duration `json:"handshake_timeout"`
	// ForceInterval is the shortest time between two forced refreshes, from the end of one: rebuilding an interface is
	// expensive, and a tunnel needs time to come up. Zero means HandshakeTimeout, or 180 s where that is off.
	ForceInterval time.Duration `json:"force_interval"`
	// Retry is the schedule of registrations while there is no configuration. Zero fields mean Initial 30 s,
	// Multiplier 2, Max 120 s. Its limits (MaxRetries, MaxElapsed) and ResetAfter are refused: there is nobody else
	// who would bring the tunnel back. MaxRetryAfter bounds what a server may ask for, also after a refresh.
	Retry backoff.Config `json:"retry"`
	// MaxGap is the longest time between two steps that counts toward a silence; what goes beyond was not watched. At
	// least PollInterval. Zero means three of them; negative means that all time counts.
	MaxGap time.Duration `json:"max_gap"`
}

// Validate reports every field that can't work, each with its value and its limit.
func (c Config) Validate() error {
	c = c.withDefaults()
	check := settings.Check{Name: "gateway"}
	check.That(c.PollInterval >= shortest, "poll_interval", c.PollInterval, "is below %v", shortest)
	check.That(c.RefreshInterval < 0 || c.RefreshInterval >= shortest, "refresh_interval", c.RefreshInterval, "is below %v", shortest)
	check.That(c.HandshakeTimeout < 0 || c.HandshakeTimeout >= shortest, "handshake_timeout", c.HandshakeTimeout, "is below %v", shortest)
	check.That(c.ForceInterval >= shortest, "force_interval", c.ForceInterval, "is below %v: forced refreshes would follow one another without end", shortest)
	check.That(c.MaxGap < 0 || c.MaxGap >= c.PollInterval, "max_gap", c.MaxGap, "is below poll_interval (%v): no silence would ever count", c.PollInterval)
	check.That(c.Retry.MaxRetries <= 0, "retry.max_retries", c.Retry.MaxRetries, "is not allowed: retries go on for ever")
	check.That(c.Retry.MaxElapsed <= 0, "retry.max_elapsed", c.Retry.MaxElapsed, "is not allowed: retries go on for ever")
	check.That(c.Retry.ResetAfter <= 0, "retry.reset_after", c.Retry.ResetAfter, "is not allowed: a success ends the streak")
	check.Nested("retry", c.Retry.Validate())
	return check.Err()
}

// shortest is the shortest time that makes sense of any interval here: one below it forgot its unit.
const shortest = time.Millisecond

func (c Config) withDefaults() Config {
	settings.Default(&c.PollInterval, 10*time.Second)
	settings.Default(&c.RefreshInterval, 180*time.Second)
	settings.Default(&c.HandshakeTimeout, 180*time.Second)
	if c.HandshakeTimeout > 0 {
		settings.Default(&c.ForceInterval, c.HandshakeTimeout)
	}
	settings.Default(&c.ForceInterval, 180*time.Second)
	settings.Default(&c.Retry.Initial, 30*time.Second)
	settings.Default(&c.Retry.Max, 120*time.Second)
	settings.Default(&c.MaxGap, settings.Times(c.PollInterval, 3))
	return c
}

// MarshalJSON writes the fields that are set, durations as strings.
func (c Config) MarshalJSON() ([]byte, error) { return settings.Marshal(c) }

// UnmarshalJSON reads what MarshalJSON writes. Keys that are left out leave their fields alone; every problem is
// reported, each naming its field.
func (c *Config) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, c) }
