package supervise

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/enum"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

var (
	statusNames = []string{"unknown", "running", "restarting", "down"}
	guardNames  = []string{"none", "not_ours", "parked", "busy", "unknown"}
	actionNames = []string{"none", "restart", "give_up"}
	reasonNames = []string{
		"", "not_ours", "unknown", "restarting", "recovering", "running", "parked", "confirming", "busy",
		"guard_unknown", "paused", "crash_loop", "down",
	}
)

// String is the name of s.
func (s Status) String() string { return enum.Name(statusNames, "status", s) }

// MarshalText writes the name of s; a value without one is an error.
func (s Status) MarshalText() ([]byte, error) { return enum.Marshal(statusNames, "status", s) }

// UnmarshalText reads a name; any other is an error that lists them.
func (s *Status) UnmarshalText(text []byte) (err error) {
	*s, err = enum.Parse[Status](statusNames, text)
	return err
}

// String is the name of g.
func (g Guard) String() string { return enum.Name(guardNames, "guard", g) }

// MarshalText writes the name of g; a value without one is an error.
func (g Guard) MarshalText() ([]byte, error) { return enum.Marshal(guardNames, "guard", g) }

// UnmarshalText reads a name; any other is an error that lists them.
func (g *Guard) UnmarshalText(text []byte) (err error) {
	*g, err = enum.Parse[Guard](guardNames, text)
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
	if d.Sightings > 0 {
		attrs = append(attrs, slog.Int("sightings", d.Sightings))
	}
	if d.Restarts > 0 {
		attrs = append(attrs, slog.Int("restarts", d.Restarts))
	}
	if !d.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", d.Next))
	}
	return slog.GroupValue(attrs...)
}

// Explain says in a sentence, with its numbers, why d was decided and what would change it. s is the state that Step
// returned with d, before the outcome is recorded.
func (k *Kernel) Explain(s State, d Decision) string {
	return fmt.Sprintf("%v: %s", d.Reason, k.explain(s, d))
}

func (k *Kernel) explain(s State, d Decision) string {
	switch d.Reason {
	case ReasonNotOurs:
		return "another operation has the target; hands off, and sightings start again"
	case ReasonUnknown:
		return "the target could not be looked at, which proves nothing; sightings and health start again"
	case ReasonRestarting:
		return "the runtime restarts the target itself; hands off, and sightings start again"
	case ReasonRecovering:
		return fmt.Sprintf("running for %v of the %v that clear its record of %d restarts", instant.Short(s.last.Sub(s.running)), k.cfg.ResetAfter, d.Restarts)
	case ReasonRunning:
		return "running, and nothing is held against it"
	case ReasonParked:
		return fmt.Sprintf("down, seen %d of %d times, and parked by an operator; restarted when that is lifted", d.Sightings, k.cfg.Confirm)
	case ReasonConfirming:
		return fmt.Sprintf("seen down %d of %d times; the next sighting counts in %v", d.Sightings, k.cfg.Confirm, s.until(d))
	case ReasonBusy:
		return "down and locked; restarted when the lock is gone"
	case ReasonGuardUnknown:
		return "down, and whether it is locked could not be read; nothing is done until it can be"
	case ReasonPaused:
		return fmt.Sprintf("in a crash loop, left alone for %v; tried again in %v", k.cfg.Pause, s.until(d))
	case ReasonCrashLoop:
		return fmt.Sprintf("down after %d restarts within %v, limit %d; give up for %v", d.Restarts, k.cfg.Window, k.cfg.MaxRestarts, k.cfg.Pause)
	case ReasonDown:
		return fmt.Sprintf("seen down %d times, and restarted %d times within %v, limit %d; restart now", d.Sightings, d.Restarts, k.cfg.Window, k.cfg.MaxRestarts)
	}
	return "no decision of this kernel"
}

func (s State) until(d Decision) time.Duration { return instant.Short(instant.Of(d.Next).Sub(s.last)) }
