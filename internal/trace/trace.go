// Package trace is the one file format in which the library records what its kernels saw and decided, and from which it
// replays them: JSON lines, the first a header, each later one an event.
package trace

import (
	"encoding/json"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// DefaultStart is the start of a trace whose times are durations and whose header names none.
var DefaultStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Header is the first line of a trace. Keys beside these are ignored.
type Header struct {
	// Kernel names the kernel: backoff, gateway, ...
	Kernel string `json:"kernel"`
	// Config is the kernel's Config.
	Config json.RawMessage `json:"config,omitempty"`
	// Start is what durations count from. Unset means the first event's time, or DefaultStart where that is a duration.
	Start time.Time `json:"start,omitzero"`
	// State is the kernel's State before the first event, where it was not a fresh one.
	State json.RawMessage `json:"state,omitempty"`
	// States is the State of each id before the first event, where several share the trace.
	States map[string]json.RawMessage `json:"states,omitempty"`
	// Act says what becomes of an acting decision: "ok" (the default), "fail", a list of these, or "none".
	Act Acts `json:"act,omitzero"`
	// ActTakes is how long an action takes.
	ActTakes settings.Span `json:"act_takes,omitzero"`
}

// Event is one later line: something observed, or the outcome of an action.
type Event struct {
	// At is the time of the event.
	At time.Time
	// ID tells apart what shares a trace; each has a state of its own.
	ID string
	// Observe is what was seen, Record how an action ended; one of them is set.
	Observe, Record json.RawMessage
	// Line is the event's line in the file, counted from 1.
	Line int
}

// Acts is what becomes of the acting decisions.
type Acts struct {
	// None says that only the record lines of the trace count.
	None bool
	// OK holds the outcome of each attempt, the last one repeating; empty means that all succeed.
	OK []bool
}

// Outcome is the outcome of the n-th attempt, counted from 0.
func (a Acts) Outcome(n int) bool {
	if len(a.OK) == 0 {
		return true
	}
	return a.OK[min(n, len(a.OK)-1)]
}
