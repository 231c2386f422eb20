package liveness

import (
	"fmt"
	"strings"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// Config is the judgement of one peer. A zero field means the default that its comment gives, a negative one "none" or
// "off" where the comment says so; durations in JSON are strings such as "30s", and unknown keys are errors.
type Config struct {
	// Mode is how the peer is judged; required.
	Mode Mode `json:"mode"`
	// FailureCount is how many keepalives, or probes, in a row may be lost. From 1 to 255. Zero means 3.
	FailureCount int `json:"failure_count"`
	// Keepalive is the persistent keepalive that the peer sends. Zero means 25 s; negative means that it sends none.
	Keepalive time.Duration `json:"keepalive"`
	// LocalKeepalive is our own towards the peer. Zero or negative means none.
	LocalKeepalive time.Duration `json:"local_keepalive"`
	// DeadAfter is how long a peer may be silent. Zero derives it, see [Config.Window].
	DeadAfter time.Duration `json:"dead_after"`
	// IdleWindow is how long a peer without a keepalive may be silent. Zero means 180 s, after which WireGuard uses no
	// key any more.
	IdleWindow time.Duration `json:"idle_window"`
	// ProbeInterval is how long an active peer may be silent before it is probed, and the time between two probes. Zero
	// means 15 s.
	ProbeInterval time.Duration `json:"probe_interval"`
	// UnansweredAfter is how long data may stay without an answer: WireGuard answers within 10 s. At least 20 s. Zero
	// means 30 s; negative turns the rule off.
	UnansweredAfter time.Duration `json:"unanswered_after"`
	// CheckInterval is how often the peer is looked at. Zero means 1 s.
	CheckInterval time.Duration `json:"check_interval"`
	// MaxGap is the longest time between two steps that counts toward a silence; what goes beyond was not watched. At
	// least CheckInterval. Zero means three of them, or 30 s if that is more; negative means that all time counts.
	MaxGap time.Duration `json:"max_gap"`
}

// Validate reports every field that can't work, each with its value and its limit.
func (c Config) Validate() error {
	c = c.withDefaults()
	check := settings.Check{Name: "liveness"}
	check.That(c.Mode != ModeUnset && int(c.Mode) < len(modeNames), "mode", modeText(c.Mode), "is none of disabled, passive, active")
	check.That(c.FailureCount >= 1 && c.FailureCount <= 255, "failure_count", c.FailureCount, "is not from 1 to 255")
	check.That(c.Keepalive <= longest/256, "keepalive", c.Keepalive, "is above %v", longest/256)
	check.That(c.LocalKeepalive <= 0 || c.LocalKeepalive >= time.Millisecond && c.LocalKeepalive <= longest, "local_keepalive", c.LocalKeepalive, "is not from 1ms to %v", longest)
	check.That(c.DeadAfter >= 0, "dead_after", c.DeadAfter, "is negative")
	check.That(c.IdleWindow > 0, "idle_window", c.IdleWindow, "is not above 0")
	check.That(c.ProbeInterval > 0, "probe_interval", c.ProbeInterval, "is not above 0")
	check.That(c.UnansweredAfter < 0 || c.UnansweredAfter >= 20*time.Second, "unanswered_after", c.UnansweredAfter, "is below 20s: a healthy peer may take so long")
	check.That(c.CheckInterval > 0, "check_interval", c.CheckInterval, "is not above 0")
	check.That(c.MaxGap < 0 || c.MaxGap >= c.CheckInterval, "max_gap", c.MaxGap, "is below check_interval (%v): no silence would ever count", c.CheckInterval)
	return check.Err()
}

// modeText is a mode as a person wrote it, or did not.
func modeText(m Mode) string {
	if m == ModeUnset {
		return "unset"
	}
	return m.String()
}

func (c Config) withDefaults() Config {
	settings.Default(&c.FailureCount, 3)
	settings.Default(&c.Keepalive, 25*time.Second)
	settings.Default(&c.IdleWindow, 180*time.Second)
	settings.Default(&c.ProbeInterval, 15*time.Second)
	settings.Default(&c.UnansweredAfter, 30*time.Second)
	settings.Default(&c.CheckInterval, time.Second)
	settings.Default(&c.MaxGap, max(30*time.Second, settings.Times(c.CheckInterval, 3)))
	return c
}

// Window is how long a peer may be silent without having died: dead_after; without a keepalive, idle_window; where both
// sides send keepalives at about the same pace, 180 s and more, for every packet received puts off the other side's next
// one, and healthy peers then show little but their rekeys; else failure_count keepalives and a tenth, for a kernel's
// timer of 25 s fires at 26.6 s.
func (c Config) Window() time.Duration {
	c = c.withDefaults()
	switch {
	case c.DeadAfter > 0:
		return c.DeadAfter
	case c.Keepalive < 0:
		return c.IdleWindow
	case c.LocalKeepalive > 0 && c.LocalKeepalive <= aTenthMore(c.Keepalive):
		return 185*time.Second + c.LocalKeepalive
	}
	return aTenthMore(settings.Times(c.Keepalive, c.FailureCount))
}

// aTenthMore is 1.1 × d. Validate keeps d so short that it can't overflow.
func aTenthMore(d time.Duration) time.Duration { return d/10*11 + d%10*11/10 }

// longest bounds durations that others are derived from: nobody means a year, and no sum of a few can overflow.
const longest = 365 * 24 * time.Hour

// Warnings names settings that work, and will be regretted.
func (c Config) Warnings() []string {
	c = c.withDefaults()
	var list []string
	if patience := settings.Times(c.ProbeInterval, c.FailureCount); c.Mode == ModeActive && c.Keepalive > 0 && patience <= aTenthMore(c.Keepalive) {
		list = append(list, fmt.Sprintf("failure_count × probe_interval is %v: a peer whose keepalive comes each %v is dead before it can speak, if it answers no probe", patience, c.Keepalive))
	}
	if c.Mode == ModePassive && c.Keepalive < 0 && c.LocalKeepalive <= 0 {
		list = append(list, "passive, and neither side sends keepalives: if only the gated routes would cause traffic, the peer never comes alive")
	}
	return list
}

// Resolve is the mode of a peer by its own setting, its instance's or its cluster's: the first that names a mode wins.
// Case and blanks are ignored, empty or unknown names inherit, and nothing at all is disabled.
func Resolve(peer, instance, cluster string) Mode {
	for _, name := range []string{peer, instance, cluster} {
		var mode Mode
		if mode.UnmarshalText([]byte(strings.ToLower(strings.TrimSpace(name)))) == nil {
			return mode
		}
	}
	return ModeDisabled
}

// MarshalJSON writes the fields that are set, durations as strings.
func (c Config) MarshalJSON() ([]byte, error) { return settings.Marshal(c) }

// UnmarshalJSON reads what MarshalJSON writes. Keys that are left out leave their fields alone; every problem is
// reported, each naming its field.
func (c *Config) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, c) }
