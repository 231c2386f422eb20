package liveness

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/enum"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

var (
	modeNames   = []string{"", "disabled", "passive", "active"}
	actionNames = []string{"none", "probe"}
	reasonNames = []string{
		"", "disabled", "unknown", "torn", "never_heard", "live", "quiet", "silent", "probes_failed",
		"unanswered", "one_way",
	}
)

// String is the name of m.
func (m Mode) String() string { return enum.Name(modeNames, "mode", m) }

// MarshalText writes the name of m; a value without one is an error.
func (m Mode) MarshalText() ([]byte, error) { return enum.Marshal(modeNames, "mode", m) }

// UnmarshalText reads a name; any other is an error that lists them.
func (m *Mode) UnmarshalText(text []byte) (err error) {
	*m, err = enum.Parse[Mode](modeNames, text)
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

// LogValue is the decision as a group of attributes; what is zero is left out, but for the verdict.
func (d Decision) LogValue() slog.Value {
	attrs := []slog.Attr{slog.String("action", d.Action.String()), slog.String("reason", d.Reason.String()), slog.Bool("live", d.Live)}
	if d.Changed {
		attrs = append(attrs, slog.Bool("changed", true))
	}
	if d.Silence > 0 {
		attrs = append(attrs, slog.Duration("silence", d.Silence))
	}
	if !d.Next.IsZero() {
		attrs = append(attrs, slog.Time("next", d.Next))
	}
	return slog.GroupValue(attrs...)
}

// Explain says in a sentence, with its numbers, why d was decided and what would change it. s is the state that Step
// returned with d, before the outcome is recorded.
func (k *Kernel) Explain(s State, d Decision) string {
	verdict := "dead"
	if d.Live {
		verdict = "live"
	}
	why := fmt.Sprintf("%s: %s", verdict, k.explain(s, d))
	if d.Action == ActionProbe {
		why += "; probe now"
	}
	return why
}

// revival is what ends every death.
const revival = "; any RX but handshake initiations, or a handshake, revives it"

func (k *Kernel) explain(s State, d Decision) string {
	silence := instant.Short(d.Silence)
	switch d.Reason {
	case ReasonDisabled:
		return "not judged"
	case ReasonUnknown:
		return "it could not be looked at, which proves nothing; the verdict holds"
	case ReasonTorn:
		return "a counter went back, which half an answer would show as well; the verdict holds, look again"
	case ReasonNeverHeard:
		return "it has shown no life yet" + revival
	case ReasonLive:
		return fmt.Sprintf("last sign of life %v ago, limit %v%s", silence, k.window, s.nextChange(d))
	case ReasonQuiet:
		return fmt.Sprintf("silent for %v, probed %d times, dead once that is %v with %d probes%s", silence, s.probes, k.patience, k.cfg.FailureCount-1, s.nextChange(d))
	case ReasonSilent:
		return fmt.Sprintf("silent for %v, limit %v%s", silence, instant.Short(k.window), revival)
	case ReasonProbesFailed:
		return fmt.Sprintf("silent for %v, limit %v for one that is probed%s", silence, k.patience, revival)
	case ReasonUnanswered:
		return fmt.Sprintf("data was sent and nothing came back for %v%s", k.cfg.UnansweredAfter, revival)
	case ReasonOneWay:
		return fmt.Sprintf("it began %d handshakes and hears nothing of us%s", mostKnocks, revival)
	}
	return "no decision of this kernel"
}

func (s State) nextChange(d Decision) string {
	if d.Next.IsZero() || d.Action != ActionNone {
		return ""
	}
	return fmt.Sprintf("; without news the next change is in %v", s.until(d))
}

func (s State) until(d Decision) time.Duration { return instant.Short(instant.Of(d.Next).Sub(s.last)) }
