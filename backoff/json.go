package backoff

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

const stateVersion = 1

type stateJSON struct {
	Version  int           `json:"version"`
	Last     instant.Time  `json:"last,omitzero"`
	First    instant.Time  `json:"first,omitzero"`
	OKSince  instant.Time  `json:"ok_since,omitzero"`
	Delay    settings.Span `json:"delay,omitzero"`
	Failures uint32        `json:"failures,omitempty"`
	Reason   Reason        `json:"reason"`
}

// MarshalJSON writes the whole state, with a version.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateJSON{stateVersion, s.last, s.first, s.okSince, settings.Span(s.delay), s.failures, s.reason})
}

// UnmarshalJSON reads what MarshalJSON writes. Another version, an unknown key and a state that no run of a schedule
// can have come to are errors, and leave s as it was.
func (s *State) UnmarshalJSON(data []byte) error {
	var in stateJSON
	if err := settings.UnmarshalState(data, stateVersion, &in); err != nil {
		return fmt.Errorf("backoff: state: %w", err)
	}
	out := State{in.Last, in.First, in.OKSince, time.Duration(in.Delay), in.Failures, in.Reason}
	if err := out.possible(); err != nil {
		return fmt.Errorf("backoff: state: %w", err)
	}
	*s = out
	return nil
}

// possible says what no run could have produced.
func (s State) possible() error {
	streak := s.failures > 0
	switch {
	case s.last.IsSet() == (s.reason == ReasonFresh):
		return errors.New("reason: fresh goes without last, and no other reason does")
	case s.first.IsSet() != streak:
		return errors.New("first: it is set while failures count, and only then")
	case s.first > s.last:
		return errors.New("first: it lies after last")
	case s.okSince.IsSet() && !streak:
		return errors.New("ok_since: it is set only while failures count")
	case s.okSince.IsSet() && (s.okSince < s.first || s.okSince > s.last):
		return errors.New("ok_since: it lies outside first and last")
	case s.delay < 0:
		return fmt.Errorf("delay: %v is negative", s.delay)
	}
	return s.possibleReason(streak)
}

func (s State) possibleReason(streak bool) error {
	waits, fits := s.delay > 0, true
	switch s.reason {
	case ReasonFresh, ReasonOK:
		fits = !waits && !streak
	case ReasonRecovering:
		fits = !waits && streak && s.okSince.IsSet()
	case ReasonBackoff:
		fits = waits && streak && !s.okSince.IsSet()
	case ReasonRetryAfter:
		fits = waits
	case ReasonMaxRetries, ReasonMaxElapsed:
		fits = !waits && streak
	}
	if !fits {
		return fmt.Errorf("reason: %v does not fit a delay of %v after %d failures", s.reason, s.delay, s.failures)
	}
	return nil
}

type outcomeJSON struct {
	OK         *bool         `json:"ok,omitempty"`
	RetryAfter settings.Span `json:"retry_after,omitzero"`
}

// MarshalJSON writes the outcome as a trace holds it.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(outcomeJSON{&o.OK, settings.Span(o.RetryAfter)})
}

// UnmarshalJSON reads a record of a trace: an ok that is left out is true.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	var in outcomeJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	*o = Outcome{OK: in.OK == nil || *in.OK, RetryAfter: time.Duration(in.RetryAfter)}
	return nil
}
