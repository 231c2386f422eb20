package watchdog

import (
	"fmt"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// MostSources is how many loops one watchdog can watch: their beats are part of a State of fixed size.
const MostSources = 8

// Config is what a service manager expects, and of whom. A zero field means the default that its comment gives, a
// negative one "off" where the comment says so; durations in JSON are strings such as "30s", and unknown keys are errors.
type Config struct {
	// Timeout is how long the service manager waits for a ping before it ends the program: WatchdogSec. At least 1 µs.
	// Zero or negative means that it expects none, and none is sent.
	Timeout time.Duration `json:"timeout"`
	// Sources are the loops that beat, at most MostSources. None means one, "main".
	Sources []Source `json:"sources"`
	// MaxGap is the longest time between two steps that counts toward a silence; what goes beyond was not watched. Zero
	// means Timeout; negative means that all time counts.
	MaxGap time.Duration `json:"max_gap"`
}

// Source is one loop that beats.
type Source struct {
	// Name tells the loops apart. It must not be empty.
	Name string `json:"name"`
	// Budget is how long the loop may go without a beat: its longest pass. At least 1 µs. Zero means Timeout.
	Budget time.Duration `json:"budget"`
}

// Validate reports every field that can't work, each with its value and its limit.
func (c Config) Validate() error {
	c = c.withDefaults()
	check := settings.Check{Name: "watchdog"}
	off := c.Timeout <= 0
	check.That(off || c.Timeout >= time.Microsecond, "timeout", c.Timeout, "is below 1µs")
	check.That(len(c.Sources) <= MostSources, "sources", len(c.Sources), "is above %d", MostSources)
	names := map[string]bool{}
	for i, source := range c.Sources {
		field := fmt.Sprintf("sources[%d]", i)
		check.That(source.Name != "", field+".name", `""`, "is empty")
		check.That(!names[source.Name], field+".name", source.Name, "is there twice")
		check.That(off || source.Budget >= time.Microsecond, field+".budget", source.Budget, "is below 1µs")
		names[source.Name] = true
	}
	return check.Err()
}

func (c Config) withDefaults() Config {
	if len(c.Sources) == 0 {
		c.Sources = []Source{{Name: "main"}}
	}
	sources := make([]Source, len(c.Sources)) // the caller's slice stays the caller's
	for i, source := range c.Sources {
		settings.Default(&source.Budget, c.Timeout)
		sources[i] = source
	}
	c.Sources = sources
	settings.Default(&c.MaxGap, c.Timeout)
	return c
}

// MarshalJSON writes the fields that are set, durations as strings.
func (c Config) MarshalJSON() ([]byte, error) { return settings.Marshal(c) }

// UnmarshalJSON reads what MarshalJSON writes. Keys that are left out leave their fields alone; every problem is
// reported, each naming its field.
func (c *Config) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, c) }

// MarshalJSON writes the fields that are set, durations as strings.
func (s Source) MarshalJSON() ([]byte, error) { return settings.Marshal(s) }

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Source) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, s) }
