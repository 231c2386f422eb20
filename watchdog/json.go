package watchdog

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/evenkeel-go/evenkeel/internal/instant"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

const stateVersion = 1

type stateJSON struct {
	Version int            `json:"version"`
	Last    instant.Time   `json:"last,omitzero"`
	Began   instant.Time   `json:"began,omitzero"`
	Good    instant.Time   `json:"good,omitzero"`
	Failed  instant.Time   `json:"failed,omitzero"`
	Beats   []instant.Time `json:"beats,omitempty"` // in the order of the sources, without the last ones that are unset
}

// MarshalJSON writes the whole state, with a version.
func (s State) MarshalJSON() ([]byte, error) {
	beats := s.beats[:]
	for len(beats) > 0 && !beats[len(beats)-1].IsSet() {
		beats = beats[:len(beats)-1]
	}
	return json.Marshal(stateJSON{stateVersion, s.last, s.began, s.good, s.failed, beats})
}

// UnmarshalJSON reads what MarshalJSON writes. Another version, an unknown key and a state that no run of a kernel can
// have come to are errors, and leave s as it was.
func (s *State) UnmarshalJSON(data []byte) error {
	var in stateJSON
	if err := settings.UnmarshalState(data, stateVersion, &in); err != nil {
		return fmt.Errorf("watchdog: state: %w", err)
	}
	if len(in.Beats) > MostSources {
		return fmt.Errorf("watchdog: state: beats: %d is above %d", len(in.Beats), MostSources)
	}
	out := State{last: in.Last, began: in.Began, good: in.Good, failed: in.Failed}
	copy(out.beats[:], in.Beats)
	if err := out.possible(); err != nil {
		return fmt.Errorf("watchdog: state: %w", err)
	}
	*s = out
	return nil
}

// possible says what no run could have produced.
func (s State) possible() error {
	for _, past := range []struct {
		field string
		at    instant.Time
	}{{"began", s.began}, {"good", s.good}, {"failed", s.failed}} {
		if past.at > s.last {
			return fmt.Errorf("%s: %v lies after last (%v)", past.field, past.at.Std(), s.last.Std())
		}
	}
	for i, beat := range s.beats {
		switch {
		case beat > s.last:
			return fmt.Errorf("beats[%d]: %v lies after last (%v)", i, beat.Std(), s.last.Std())
		case beat.IsSet() && beat < s.began:
			return fmt.Errorf("beats[%d]: %v lies before began (%v)", i, beat.Std(), s.began.Std())
		case beat.IsSet() && !s.began.IsSet():
			return errors.New("began: unset, though loops have beaten")
		}
	}
	return nil
}

type observationJSON struct {
	Beat string `json:"beat,omitempty"`
}

// UnmarshalJSON reads an observation of a trace: the name of the loop that beats, or nothing.
func (o *Observation) UnmarshalJSON(data []byte) error {
	var in observationJSON
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	*o = Observation{}
	if in.Beat != "" {
		o.Source = ID(in.Beat)
	}
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
	in := outcomeJSON{Action: ActionPing}
	if err := settings.Unmarshal(data, &in); err != nil {
		return err
	}
	if in.Action == ActionNone {
		return errors.New("action: none has no outcome")
	}
	*o = Outcome{Action: in.Action, OK: in.OK == nil || *in.OK}
	return nil
}
