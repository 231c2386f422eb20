package gateway

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
	Version  int          `json:"version"`
	Last     instant.Time `json:"last,omitzero"`
	Attempt  instant.Time `json:"attempt,omitzero"`
	Forced   instant.Time `json:"forced,omitzero"`
	Floor    instant.Time `json:"floor,omitzero"`
	Adopted  instant.Time `json:"adopted,omitzero"`
	Heard    instant.Time `json:"heard,omitzero"`
	Never    instant.Time `json:"never,omitzero"`
	Stamp    int64        `json:"stamp,omitempty"`
	Failures uint32       `json:"failures,omitempty"`
}

// MarshalJSON writes the whole state, with a version.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateJSON{stateVersion, s.last, s.attempt, s.forced, s.floor, s.adopted, s.heard, s.never, s.stamp, s.failures})
}

// UnmarshalJSON reads what MarshalJSON writes. Another version, an unknown key and a state that no run of a kernel can
// have come to are errors, and leave s as it was.
func (s *State) UnmarshalJSON(data []byte) error {
	var in stateJSON
	if err := settings.UnmarshalState(data, stateVersion, &in); err != nil {
		return fmt.Errorf("gateway: state: %w", err)
	}
	out := State{in.Last, in.Attempt, in.Forced, in.Floor, in.Adopted, in.Heard, in.Never, in.Stamp, in.Failures}
	if err := out.possible(); err != nil {
		return fmt.Errorf("gateway: state: %w", err)
	}
	*s = out
	return nil
}

// possible says what no run could have produced.
func (s State) possible() error {
	for _, past := range []struct {
		field string
		at    instant.Time
	}{{"attempt", s.attempt}, {"forced", s.forced}, {"adopted", s.adopted}, {"heard", s.heard}, {"never", s.never}} {
		if past.at > s.last {
			return fmt.Errorf("%s: %v lies after last (%v)", past.field, past.at.Std(), s.last.Std())
		}
	}
	switch {
	case s.forced > s.attempt:
		return errors.New("forced: it lies after attempt")
	case s.floor.IsSet() && !s.attempt.IsSet():
		return errors.New("floor: it is set only after an attempt")
	case s.floor.IsSet() && s.floor < s.attempt:
		return errors.New("floor: it lies before attempt")
	case s.failures > 0 && !s.attempt.IsSet():
		return errors.New("failures: they count only after an attempt")
	case s.adopted.IsSet() && s.attempt.IsSet():
		return errors.New("adopted: it is set only before the first attempt")
	case s.never.IsSet() && s.never < s.heard:
		return errors.New("never: it lies before heard")
	case s.stamp != 0 && !s.heard.IsSet():
		return errors.New("stamp: it is set only with heard")
	}
	return nil
}

type observationJSON struct {
	Disabled  bool         `json:"disabled,omitempty"`
	Problem   string       `json:"problem,omitempty"`
	Config    ConfigStatus `json:"config"`
	Handshake string       `json:"handshake,omitempty"`
}

// MarshalJSON writes the observation as a trace holds it, a handshake as its time in RFC 3339.
func (o Observation) MarshalJSON() ([]byte, error) {
	out := observationJSON{Disabled: o.Disabled, Config: o.Config, Handshake: o.Handshake.String()}
	if o.Problem {
		out.Problem = "misconfigured"
	}
	if o.Handshake == HandshakeSeen {
		out.Handshake = instant.OfNanos(o.Stamp).Std().Format(time.RFC3339Nano)
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads an observation of a trace: what is left out is unknown, any text under problem is one, and
// handshake is unknown, never or a time in RFC 3339.
func (o *Observation) UnmarshalJSON(data []byte) error {
	var in observationJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Observation{Disabled: in.Disabled, Problem: in.Problem != "", Config: in.Config}
	switch in.Handshake {
	case "", HandshakeUnknown.String():
	case HandshakeNever.String():
		out.Handshake = HandshakeNever
	default:
		var at instant.Time
		if err := at.UnmarshalText([]byte(in.Handshake)); err != nil {
			return fmt.Errorf("handshake: %w, nor unknown or never", err)
		}
		out.Handshake, out.Stamp = HandshakeSeen, at.Nanos()
	}
	*o = out
	return nil
}

type outcomeJSON struct {
	Action     Action        `json:"action"`
	OK         *bool         `json:"ok,omitempty"`
	RetryAfter settings.Span `json:"retry_after,omitzero"`
}

// MarshalJSON writes the outcome as a trace holds it.
func (o Outcome) MarshalJSON() ([]byte, error) {
	return json.Marshal(outcomeJSON{o.Action, &o.OK, settings.Span(o.RetryAfter)})
}

// UnmarshalJSON reads a record of a trace: an ok that is left out is true.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	var in outcomeJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Action == ActionNone {
		return errors.New("action: missing, or none, which has no outcome")
	}
	*o = Outcome{Action: in.Action, OK: in.OK == nil || *in.OK, RetryAfter: time.Duration(in.RetryAfter)}
	return nil
}
