package trace

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"time"
)

// Decision is what a kernel decided, as a recorded trace keeps it beside the observation. Replays read past it: it is
// there for people, and for tests that compare.
type Decision struct {
	// Action, Reason and Next are the kernel's; a zero Next is left out.
	Action string    `json:"action"`
	Reason string    `json:"reason"`
	Next   time.Time `json:"next,omitzero"`
}

// A Writer writes one trace, each line in one Write. Several goroutines may share it.
type Writer struct {
	mu sync.Mutex
	w  io.Writer
}

// NewWriter writes the header.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	tw := &Writer{w: w}
	return tw, tw.line(h)
}

// Observe writes what was seen at a time, what was decided, and the error of the look.
func (w *Writer) Observe(at time.Time, id string, observe any, d Decision, failure error) error {
	raw, err := json.Marshal(observe)
	if err != nil {
		return err
	}
	d.Next = plain(d.Next)
	return w.event(at, eventJSON{ID: id, Observe: raw, Decision: &d}, failure)
}

// Record writes how an action ended at a time, with its error.
func (w *Writer) Record(at time.Time, id string, outcome any, failure error) error {
	raw, err := json.Marshal(outcome)
	if err != nil {
		return err
	}
	return w.event(at, eventJSON{ID: id, Record: raw}, failure)
}

func (w *Writer) event(at time.Time, e eventJSON, failure error) error {
	text := plain(at).Format(time.RFC3339Nano)
	e.At = &text
	if failure != nil {
		e.Error = failure.Error()
	}
	return w.line(e)
}

func (w *Writer) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = w.w.Write(append(text, '\n'))
	return err
}

// plain is t in UTC without its monotonic reading.
func plain(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Round(0).UTC()
}

// States puts the states of a runner into the form of a header.
func States[S any](states map[string]S) (map[string]json.RawMessage, error) {
	raw := make(map[string]json.RawMessage, len(states))
	for id, s := range states {
		text, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("states: %s: %w", id, err)
		}
		raw[id] = text
	}
	return raw, nil
}
