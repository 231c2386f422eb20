package liveness

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
	Version   int          `json:"version"`
	Last      instant.Time `json:"last,omitzero"`
	Looked    instant.Time `json:"looked,omitzero"`
	Progress  instant.Time `json:"progress,omitzero"`
	Data      instant.Time `json:"data,omitzero"`
	Probed    instant.Time `json:"probed,omitzero"`
	Changed   instant.Time `json:"changed,omitzero"`
	Received  int64        `json:"receive_bytes,omitempty"`
	Sent      int64        `json:"transmit_bytes,omitempty"`
	Stamp     int64        `json:"stamp,omitempty"`
	Probes    uint8        `json:"probes,omitempty"`
	Knocks    uint8        `json:"knocks,omitempty"`
	Live      bool         `json:"live,omitempty"`
	Stamped   bool         `json:"stamped,omitempty"`
	Torn      bool         `json:"torn,omitempty"`
	Unsending bool         `json:"unsending,omitempty"`
	Cause     Reason       `json:"cause,omitzero"`
}

// MarshalJSON writes the whole state, with a version.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateJSON{
		stateVersion, s.last, s.looked, s.progress, s.data, s.probed, s.changed, s.received, s.sent, s.stamp, s.probes, s.knocks,
		s.is(live), s.is(stamped), s.is(torn), s.is(unsending), s.cause,
	})
}

// UnmarshalJSON reads what MarshalJSON writes. Another version, an unknown key and a state that no run of a kernel can
// have come to are errors, and leave s as it was.
func (s *State) UnmarshalJSON(data []byte) error {
	var in stateJSON
	if err := settings.UnmarshalState(data, stateVersion, &in); err != nil {
		return fmt.Errorf("liveness: state: %w", err)
	}
	out := State{
		last: in.Last, looked: in.Looked, progress: in.Progress, data: in.Data, probed: in.Probed, changed: in.Changed,
		received: in.Received, sent: in.Sent, stamp: in.Stamp, probes: in.Probes, knocks: in.Knocks, cause: in.Cause,
	}
	for flag, set := range map[flags]bool{live: in.Live, stamped: in.Stamped, torn: in.Torn, unsending: in.Unsending} {
		if set {
			out.flags |= flag
		}
	}
	if err := out.possible(); err != nil {
		return fmt.Errorf("liveness: state: %w", err)
	}
	*s = out
	return nil
}

// possible says what no run could have produced. When the verdict changed is only reported, so it may lie anywhere.
func (s State) possible() error {
	for _, past := range []struct {
		field string
		at    instant.Time
	}{{"looked", s.looked}, {"progress", s.progress}, {"data", s.data}, {"probed", s.probed}} {
		if past.at > s.last {
			return fmt.Errorf("%s: %v lies after last (%v)", past.field, past.at.Std(), s.last.Std())
		}
	}
	looked := s.looked.IsSet()
	switch {
	case !looked && (s.progress.IsSet() || s.data.IsSet() || s.knocks > 0 || s.received != 0 || s.sent != 0 || s.is(stamped|torn)):
		return errors.New("looked: unset, though something was seen")
	case s.cause == ReasonNeverHeard && s.progress.IsSet():
		return errors.New("cause: never_heard, though there was progress")
	case s.stamp != 0 && !s.is(stamped):
		return errors.New("stamp: it is set only with stamped")
	case s.probes > 0 && !s.probed.IsSet() || s.is(unsending) && !s.probed.IsSet():
		return errors.New("probed: unset, though probes were sent")
	case s.is(live) && s.cause != 0:
		return fmt.Errorf("cause: %v, though the peer lives", s.cause)
	case s.cause != 0 && (s.cause < ReasonNeverHeard || s.cause > ReasonOneWay || s.cause == ReasonLive || s.cause == ReasonQuiet):
		return fmt.Errorf("cause: %v is no cause of death", s.cause)
	}
	return nil
}

type observationJSON struct {
	Unknown       bool   `json:"unknown,omitempty"`
	ReceiveBytes  int64  `json:"receive_bytes"`
	TransmitBytes int64  `json:"transmit_bytes"`
	LastHandshake string `json:"last_handshake,omitempty"`
	Probe         string `json:"probe,omitempty"`
}

// The words of an observation in a trace.
const (
	handshakeNever   = "never"
	probeUnavailable = "unavailable"
)

// MarshalJSON writes the observation as a trace holds it, a handshake as its time in RFC 3339.
func (o Observation) MarshalJSON() ([]byte, error) {
	out := observationJSON{Unknown: !o.Known, ReceiveBytes: o.ReceiveBytes, TransmitBytes: o.TransmitBytes, LastHandshake: handshakeNever}
	if o.Handshake {
		out.LastHandshake = instant.OfNanos(o.Stamp).Std().Format(time.RFC3339Nano)
	}
	if o.NoProbe {
		out.Probe = probeUnavailable
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads an observation of a trace: known unless it says otherwise; last_handshake is never or a time in
// RFC 3339, never where it is left out; probe may be unavailable.
func (o *Observation) UnmarshalJSON(data []byte) error {
	var in observationJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	out := Observation{Known: !in.Unknown, ReceiveBytes: in.ReceiveBytes, TransmitBytes: in.TransmitBytes, NoProbe: in.Probe == probeUnavailable}
	if in.Probe != "" && in.Probe != probeUnavailable && in.Probe != "available" {
		return fmt.Errorf("probe: %q is neither available nor unavailable", in.Probe)
	}
	if in.ReceiveBytes < 0 || in.TransmitBytes < 0 {
		return fmt.Errorf("receive_bytes: %d, transmit_bytes: %d: a counter is below 0", in.ReceiveBytes, in.TransmitBytes)
	}
	if in.LastHandshake != "" && in.LastHandshake != handshakeNever {
		var at instant.Time
		if err := at.UnmarshalText([]byte(in.LastHandshake)); err != nil {
			return fmt.Errorf("last_handshake: %w, nor never", err)
		}
		out.Handshake, out.Stamp = true, at.Nanos()
	}
	*o = out
	return nil
}

type outcomeJSON struct {
	Action Action `json:"action"`
	OK     *bool  `json:"ok,omitempty"`
}

// MarshalJSON writes the outcome as a trace holds it.
func (o Outcome) MarshalJSON() ([]byte, error) { return json.Marshal(outcomeJSON{o.Action, &o.OK}) }

// UnmarshalJSON reads a record of a trace: an ok that is left out is true, an action that is left out the only one that
// there is.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	in := outcomeJSON{Action: ActionProbe}
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Action == ActionNone {
		return errors.New("action: none has no outcome")
	}
	*o = Outcome{Action: in.Action, OK: in.OK == nil || *in.OK}
	return nil
}
