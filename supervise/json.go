package supervise

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/evenkeel-go/evenkeel/internal/instant"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

const stateVersion = 1

type stateJSON struct {
	Version    int            `json:"version"`
	Last       instant.Time   `json:"last,omitzero"`
	Counted    instant.Time   `json:"counted,omitzero"`
	Spaced     instant.Time   `json:"spaced,omitzero"`
	Running    instant.Time   `json:"running,omitzero"`
	Seen       instant.Time   `json:"seen,omitzero"`
	GaveUp     instant.Time   `json:"gave_up,omitzero"`
	Restarts   []instant.Time `json:"restarts,omitempty"` // the latest first
	Restarted  instant.Time   `json:"last_restart,omitzero"`
	Failed     instant.Time   `json:"last_failed_restart,omitzero"`
	Crashing   instant.Time   `json:"crash_loop_since,omitzero"`
	Crashed    instant.Time   `json:"last_crash_loop,omitzero"`
	Run        string         `json:"run,omitempty"`
	Generation string         `json:"generation,omitempty"`
	Sightings  uint8          `json:"sightings,omitempty"`
}

// MarshalJSON writes the whole state, with a version.
func (s State) MarshalJSON() ([]byte, error) {
	restarts := s.restarts[:]
	if end := slices.Index(restarts, 0); end >= 0 {
		restarts = restarts[:end]
	}
	return json.Marshal(stateJSON{
		stateVersion, s.last, s.counted, s.spaced, s.running, s.seen, s.gaveUp, restarts,
		s.restarted, s.failed, s.crashing, s.crashed, idText(s.run), idText(s.generation), s.sightings,
	})
}

// UnmarshalJSON reads what MarshalJSON writes. Another version, an unknown key and a state that no run of a kernel can
// have come to are errors, and leave s as it was.
func (s *State) UnmarshalJSON(data []byte) error {
	var in stateJSON
	if err := settings.UnmarshalState(data, stateVersion, &in); err != nil {
		return fmt.Errorf("supervise: state: %w", err)
	}
	if len(in.Restarts) > MostRestarts {
		return fmt.Errorf("supervise: state: restarts: %d is above %d", len(in.Restarts), MostRestarts)
	}
	out := State{
		last: in.Last, counted: in.Counted, spaced: in.Spaced, running: in.Running, seen: in.Seen, gaveUp: in.GaveUp,
		restarted: in.Restarted, failed: in.Failed, crashing: in.Crashing, crashed: in.Crashed,
		run: parseID(in.Run), generation: parseID(in.Generation), sightings: in.Sightings,
	}
	copy(out.restarts[:], in.Restarts)
	if err := errors.Join(out.possible(), possibleRestarts(in.Restarts, in.Spaced)); err != nil {
		return fmt.Errorf("supervise: state: %w", err)
	}
	*s = out
	return nil
}

// possible says what no run could have produced. The instants that are only reported may lie anywhere: no step of the
// clock moved them.
func (s State) possible() error {
	for _, past := range []struct {
		field string
		at    instant.Time
	}{{"counted", s.counted}, {"spaced", s.spaced}, {"running", s.running}, {"seen", s.seen}, {"gave_up", s.gaveUp}} {
		if past.at > s.last {
			return fmt.Errorf("%s: %v lies after last (%v)", past.field, past.at.Std(), s.last.Std())
		}
	}
	switch {
	case !s.last.IsSet() && s != (State{}):
		return errors.New("last: unset, though something was seen or done")
	case s.running > s.seen:
		return errors.New("running: it lies after seen")
	case s.counted.IsSet() != (s.sightings > 0):
		return errors.New("counted: it is set while sightings count, and only then")
	case s.running.IsSet() && s.sightings > 0:
		return errors.New("running: a target that was down does not run")
	case s.spaced.IsSet() && !s.restarted.IsSet():
		return errors.New("last_restart: unset after a restart")
	case s.failed.IsSet() && !s.restarted.IsSet():
		return errors.New("last_restart: unset after a restart that failed")
	case s.gaveUp.IsSet() && !s.crashing.IsSet():
		return errors.New("crash_loop_since: unset after giving up")
	case s.crashing.IsSet() && s.crashed != s.crashing:
		return errors.New("last_crash_loop: not the one that goes on")
	}
	return nil
}

// possibleRestarts wants them one before the other, the latest the one that sightings are spaced from.
func possibleRestarts(restarts []instant.Time, spaced instant.Time) error {
	for i, at := range restarts {
		before := spaced
		if i > 0 {
			before = restarts[i-1]
		}
		if !at.IsSet() || at > before || i == 0 && at != spaced {
			return fmt.Errorf("restarts[%d]: %v does not follow", i, at.Std())
		}
	}
	return nil
}

type observationJSON struct {
	Status     Status `json:"status"`
	Guard      Guard  `json:"guard"`
	Run        string `json:"run,omitempty"`
	Generation string `json:"generation,omitempty"`
}

// MarshalJSON writes the observation as a trace holds it. The names behind its ids are not known any more: each stands
// as a number.
func (o Observation) MarshalJSON() ([]byte, error) {
	return json.Marshal(observationJSON{o.Status, o.Guard, idText(o.Run), idText(o.Generation)})
}

// UnmarshalJSON reads an observation of a trace: what is left out is unknown, or no guard; ids are any strings.
func (o *Observation) UnmarshalJSON(data []byte) error {
	var in observationJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	*o = Observation{Status: in.Status, Guard: in.Guard, Run: parseID(in.Run), Generation: parseID(in.Generation)}
	return nil
}

// idText is an id without its name.
func idText(id uint64) string {
	if id == 0 {
		return ""
	}
	return fmt.Sprintf("#%016x", id)
}

// parseID is the id of a name, or the one that idText wrote.
func parseID(text string) uint64 {
	var id uint64
	if n, err := fmt.Sscanf(text, "#%016x", &id); n == 1 && err == nil && idText(id) == text {
		return id
	}
	return ID(text)
}

type outcomeJSON struct {
	Action Action `json:"action"`
	OK     *bool  `json:"ok,omitempty"`
}

// MarshalJSON writes the outcome as a trace holds it.
func (o Outcome) MarshalJSON() ([]byte, error) { return json.Marshal(outcomeJSON{o.Action, &o.OK}) }

// UnmarshalJSON reads a record of a trace: an ok that is left out is true.
func (o *Outcome) UnmarshalJSON(data []byte) error {
	var in outcomeJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Action == ActionNone {
		return errors.New("action: missing, or none, which has no outcome")
	}
	*o = Outcome{Action: in.Action, OK: in.OK == nil || *in.OK}
	return nil
}
