package gateway

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/enum"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

var (
	configNames    = []string{"unknown", "absent", "present"}
	handshakeNames = []string{"unknown", "never", "seen"}
	actionNames    = []string{"none", "register", "refresh", "force_refresh", "stop"}
	reasonNames    = []string{
		"", "disabled", "misconfigured", "config_unknown", "never_registered", "config_missing",
		"retry_wait", "retry_after", "tunnel_silent", "force_wait", "refresh_due", "healthy", "handshake_pending",
		"handshake_unknown",
	}
)

// String is the name of c.
func (c ConfigStatus) String() string { return enum.Name(configNames, "config", c) }

// MarshalText writes the name of c; a value without one is an error.
func (c ConfigStatus) MarshalText() ([]byte, error) { return enum.Marshal(configNames, "config", c) }

// UnmarshalText reads a name; any other is an error that lists them.
func (c *ConfigStatus) UnmarshalText(text []byte) (err error) {
	*c, err = enum.Parse[ConfigStatus](configNames, text)
	return err
}

// String is the name of h.
func (h HandshakeStatus) String() string { return enum.Name(handshakeNames, "handshake", h) }

// MarshalText writes the name of h; a value without one is an error.
func (h HandshakeStatus) MarshalText() ([]byte, error) {
	return enum.Marshal(handshakeNames, "handshake", h)
}

// UnmarshalText reads a name; any other is an error that lists them.
func (h *HandshakeStatus) UnmarshalText(text []byte) (err error) {
	*h, err = enum.Parse[HandshakeStatus](handshakeNames, text)
	return err
}

// String is the name of a.
func (a Action) String() string { return enum.Name(actionNames, "action", a) }

// MarshalText writes the name of a; a value without one is an error.
func (a Action) MarshalText() ([]byte, error) { return enum.Marshal(actionNames, "action", a) }

// UnmarshalText reads a name; any other is an error that lists them.
func (a *Action) UnmarshalText(text []byte) (err error) {
	*a, err = enum.Parse[Action](actionNames, text)
	return err
}

// String is the name of r.
func (r Reason) String() string { return enum.Name(reasonNames, "reason", r) }

// MarshalText writes the name of r; a value without one is an error.
func (r Reason) MarshalText() ([]byte, error) { return enum.Marshal(reasonNames, "reason", r) }

// UnmarshalText reads a name; any other is an error that lists them.
func (r *Reason) UnmarshalText(text []byte) (err error) {
	*r, err = enum.Parse[Reason](reasonNames, text)
	return err
}

// LogValue is the decision as a group of attributes; what is zero is left out.
func (d Decision) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("action", d.Action.String()), slog.String("reason", d.Reason.String())}
	if d.Silence > 0 {
		attrs = append(attrs, slog.Duration("silence", d.Silence))
	}
	if d.Failures > 0 {
		attrs = append(attrs, slog.Uint64("failures", uint64(d.Failures)))
	}
	if !d.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", d.Next))
	}
	return slog.GroupValue(attrs...)
}

// Explain says in a sentence, with its numbers, why d was decided and what would change it. s is the state that Step
// returned with d, before the outcome is recorded: in an [Actor], the State of the runner.
func (k *Kernel) Explain(s State, d Decision) string {
	return fmt.Sprintf("%v: %s", d.Reason, k.explain(s, d))
}

func (k *Kernel) explain(s State, d Decision) string {
	silence := instant.Short(d.Silence)
	switch d.Reason {
	case ReasonDisabled:
		return "the tunnel is switched off; the loop ends"
	case ReasonMisconfigured:
		return "something local is wrong that waiting can't cure; the loop ends"
	case ReasonConfigUnknown:
		return "whether there is a configuration could not be read; nothing is done until it can be"
	case ReasonNeverRegistered:
		return "there is no configuration and nothing was attempted yet; register now"
	case ReasonConfigMissing:
		return fmt.Sprintf("there is no configuration, %v after the last attempt (%d failed in a row); register now", s.since(s.attempt), d.Failures)
	case ReasonRetryWait:
		return fmt.Sprintf("there is no configuration, and %d failed in a row; registering again in %v", d.Failures, s.until(d))
	case ReasonRetryAfter:
		return fmt.Sprintf("the server asked for time; nothing is sent for another %v", s.until(d))
	case ReasonTunnelSilent:
		return fmt.Sprintf("silent for %v, limit %v; rebuild the tunnel now", silence, k.cfg.HandshakeTimeout)
	case ReasonForceWait:
		return fmt.Sprintf("silent for %v, limit %v, and rebuilt %v ago, limit %v; rebuilding again in %v, unless a handshake comes first",
			silence, k.cfg.HandshakeTimeout, s.since(s.forced), k.cfg.ForceInterval, s.until(d))
	case ReasonRefreshDue:
		return fmt.Sprintf("%v since the last attempt, limit %v; refresh now", s.since(max(s.attempt, s.adopted)), k.cfg.RefreshInterval)
	case ReasonHealthy:
		return fmt.Sprintf("last sign of life %v ago, %s; %s", silence, k.limit(), s.nextLook(d))
	case ReasonHandshakePending:
		return fmt.Sprintf("no handshake yet, for %v, %s; %s", silence, k.limit(), s.nextLook(d))
	case ReasonHandshakeUnknown:
		return "the tunnel could not be read, or not be believed, which proves nothing; " + s.nextLook(d)
	}
	return "no decision of this kernel"
}

// limit says how long a silence is allowed.
func (k *Kernel) limit() string {
	if k.cfg.HandshakeTimeout < 0 {
		return "without a limit"
	}
	return fmt.Sprintf("limit %v", k.cfg.HandshakeTimeout)
}

func (s State) nextLook(d Decision) string {
	if d.Next.IsZero() {
		return "no refresh is ever due"
	}
	return fmt.Sprintf("without news the next change is in %v", s.until(d))
}

func (s State) since(t instant.Time) time.Duration { return instant.Short(s.last.Sub(t)) }

func (s State) until(d Decision) time.Duration { return instant.Short(instant.Of(d.Next).Sub(s.last)) }
