package backoff

import (
	"fmt"

	"github.com/evenkeel-go/evenkeel/internal/enum"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

var (
	jitterNames = []string{"none", "equal", "full", "down"}
	reasonNames = []string{"fresh", "ok", "recovering", "backoff", "retry_after", "max_retries", "max_elapsed"}
)

// String is the name of j.
func (j Jitter) String() string { return enum.Name(jitterNames, "jitter", j) }

// MarshalText writes the name of j; a value without one is an error.
func (j Jitter) MarshalText() ([]byte, error) { return enum.Marshal(jitterNames, "jitter", j) }

// UnmarshalText reads a name; any other is an error that lists them.
func (j *Jitter) UnmarshalText(text []byte) (err error) {
	*j, err = enum.Parse[Jitter](jitterNames, text)
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

// Explain says in a sentence, with its numbers, where the schedule stands and what would change it.
func (k *Kernel) Explain(s State) string {
	switch s.reason {
	case ReasonFresh:
		return "fresh: nothing was tried yet"
	case ReasonOK:
		return "ok: the last attempt succeeded, no failure counts"
	case ReasonRecovering:
		return fmt.Sprintf("recovering: ok for %v of the %v that end a streak of %d failures; a failure starts the %v again",
			instant.Short(s.last.Sub(s.okSince)), k.cfg.ResetAfter, s.failures, k.cfg.ResetAfter)
	case ReasonBackoff:
		return fmt.Sprintf("backoff: %d failed in a row, the next attempt is due %v after the last; the cap is %v",
			s.failures, instant.Short(s.delay), k.cfg.Max)
	case ReasonRetryAfter:
		return fmt.Sprintf("retry_after: %d failed in a row, and the other side asked for %v (at most %v is granted)",
			s.failures, instant.Short(s.delay), k.cfg.MaxRetryAfter)
	case ReasonMaxRetries:
		return fmt.Sprintf("max_retries: %d failed in a row and %d retries are allowed; only the end of the streak ends this",
			s.failures, k.cfg.MaxRetries)
	case ReasonMaxElapsed:
		return fmt.Sprintf("max_elapsed: %v since the first failure of the streak, limit %v; only the end of the streak ends this",
			instant.Short(s.last.Sub(s.first)), k.cfg.MaxElapsed)
	}
	return s.reason.String()
}
