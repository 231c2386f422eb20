package supervise

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// MostRestarts is the largest MaxRestarts: the restarts in the window are part of a State of fixed size.
const MostRestarts = 16

// Config is the judgement of one target. A zero field means the default that its comment gives; durations in JSON are
// strings such as "30s", and unknown keys are errors.
type Config struct {
	// SweepInterval is how often the target is looked at. Zero means 30 s.
	SweepInterval time.Duration `json:"sweep_interval"`
	// Confirm is how many sightings, a sweep apart, make a target down: one glimpse is no evidence. At least 1. Zero
	// means 2.
	Confirm int `json:"confirm"`
	// MaxRestarts is how many restarts in Window are tried before the target is in a crash loop; at least 1 and at most
	// MostRestarts. Zero means 3.
	MaxRestarts int `json:"max_restarts"`
	// Window is how long a restart counts. At least MaxRestarts × Confirm × SweepInterval, which is the time that so
	// many restarts take: a shorter window never fills. Zero means 15 min.
	Window time.Duration `json:"window"`
	// Pause is how long a target in a crash loop is left alone before it is tried again. Zero means 30 min.
	Pause time.Duration `json:"pause"`
	// ResetAfter is how long a target must be seen running, at every look, to count as recovered. Zero means 10 min.
	ResetAfter time.Duration `json:"reset_after"`
	// MaxGap is the longest time between two looks across which they count as one watch; after a longer one sightings
	// and health start again. At least SweepInterval. Zero means three of them; negative means that none is too long.
	MaxGap time.Duration `json:"max_gap"`
}

// Validate reports every field that can't work, each with its value and its limit.
func (c Config) Validate() error {
	c = c.withDefaults()
	check := settings.Check{Name: "supervise"}
	check.That(c.SweepInterval > 0, "sweep_interval", c.SweepInterval, "is not above 0")
	check.That(c.Confirm >= 1 && c.Confirm <= 255, "confirm", c.Confirm, "is not from 1 to 255")
	check.That(c.MaxRestarts >= 1 && c.MaxRestarts <= MostRestarts, "max_restarts", c.MaxRestarts, "is not from 1 to %d", MostRestarts)
	check.That(c.Pause > 0, "pause", c.Pause, "is not above 0")
	check.That(c.ResetAfter > 0, "reset_after", c.ResetAfter, "is not above 0")
	check.That(c.MaxGap < 0 || c.MaxGap >= c.SweepInterval, "max_gap", c.MaxGap, "is below sweep_interval (%v): no two looks would ever count", c.SweepInterval)
	check.That(c.Window > 0, "window", c.Window, "is not above 0")
	if c.Confirm >= 1 && c.MaxRestarts >= 1 && c.SweepInterval > 0 && c.Window > 0 {
		fill := settings.Times(c.SweepInterval, c.Confirm, c.MaxRestarts)
		check.That(c.Window >= fill, "window", c.Window, "is below max_restarts × confirm × sweep_interval (%v): it would never fill", fill)
	}
	return check.Err()
}

func (c Config) withDefaults() Config {
	settings.Default(&c.SweepInterval, 30*time.Second)
	settings.Default(&c.Confirm, 2)
	settings.Default(&c.MaxRestarts, 3)
	settings.Default(&c.Window, 15*time.Minute)
	settings.Default(&c.Pause, 30*time.Minute)
	settings.Default(&c.ResetAfter, 10*time.Minute)
	settings.Default(&c.MaxGap, settings.Times(c.SweepInterval, 3))
	return c
}

// MarshalJSON writes the fields that are set, durations as strings.
func (c Config) MarshalJSON() ([]byte, error) { return settings.Marshal(c) }

// UnmarshalJSON reads what MarshalJSON writes. Keys that are left out leave their fields alone; every problem is
// reported, each naming its field.
func (c *Config) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, c) }
