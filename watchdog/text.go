package watchdog

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/enum"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

var (
	actionNames = []string{"none", "ping"}
	reasonNames = []string{"", "off", "withheld", "no_beat", "recent", "beat"}
)

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
	if d.Late != "" {
		attrs = append(attrs, slog.String("late", d.Late), slog.Duration("overdue", d.Overdue))
	}
	if !d.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", d.Next))
	}
	return slog.GroupValue(attrs...)
}

// Explain says in a sentence, with its numbers, why d was decided and what would change it. s is the state that Step
// returned with d.
func (k *Kernel) Explain(s State, d Decision) string {
	return fmt.Sprintf("%v: %s", d.Reason, k.explain(s, d))
}

func (k *Kernel) explain(s State, d Decision) string {
	switch d.Reason {
	case ReasonOff:
		return "the service manager expects no ping"
	case ReasonWithheld:
		return fmt.Sprintf("%s has been silent for %v, limit %v; only its beat brings the pings back", d.Late, instant.Short(k.budget(d.Late)+d.Overdue), k.budget(d.Late))
	case ReasonNoBeat:
		return fmt.Sprintf("no loop beats now; the first is late in %v", s.until(d))
	case ReasonRecent:
		return fmt.Sprintf("%s; something changes in %v", k.lastPing(s), s.until(d))
	case ReasonBeat:
		return fmt.Sprintf("a loop beats and none is late; %s; ping now", k.lastPing(s))
	}
	return "no decision of this kernel"
}

// lastPing says how the last ping went, and how long ago.
func (k *Kernel) lastPing(s State) string {
	switch {
	case s.failed > s.good:
		return fmt.Sprintf("a ping failed %v ago, tried again after %v", instant.Short(s.last.Sub(s.failed)), k.cfg.Timeout/8)
	case s.good.IsSet():
		return fmt.Sprintf("the last ping was sent %v ago, one is due each %v", instant.Short(s.last.Sub(s.good)), k.cfg.Timeout/4)
	}
	return "no ping was sent yet"
}

func (k *Kernel) budget(name string) time.Duration {
	for _, source := range k.cfg.Sources {
		if source.Name == name {
			return source.Budget
		}
	}
	return 0
}

func (s State) until(d Decision) time.Duration { return instant.Short(instant.Of(d.Next).Sub(s.last)) }
