// Package replay runs recorded traces through the kernels again, to see what they decide and why.
package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
	"github.com/evenkeel-go/evenkeel/liveness"
)

// Line is what a replay says of one observation, or of one record of the backoff kernel. Its JSON is one line of the
// replay's output; times are durations from the start of the trace.
type Line struct {
	// At is the time of the event, ID what shares the trace with others, and the rest is the decision.
	At     settings.Span  `json:"at"`
	ID     string         `json:"id,omitempty"`
	Action string         `json:"action"`
	Reason string         `json:"reason"`
	Next   *settings.Span `json:"next,omitempty"`

	// The backoff kernel's own.
	Attempt   *uint32        `json:"attempt,omitempty"`
	Delay     *settings.Span `json:"delay,omitempty"`
	Exhausted *bool          `json:"exhausted,omitempty"`

	// Live is the liveness kernel's own: the verdict.
	Live *bool `json:"live,omitempty"`

	// Owners and Changes are those of a plan of routes.
	Owners  liveness.Owners   `json:"owners,omitzero"`
	Changes []liveness.Change `json:"changes,omitempty"`

	// Late is the watchdog kernel's own: whose silence withholds the ping.
	Late string `json:"late,omitempty"`

	// Why is the kernel's explanation, for people.
	Why string `json:"-"`
}

// ActionNone is the action of a line on which there is nothing to do.
const ActionNone = "none"

// machine is one kernel with a state for each id of a trace.
type machine interface {
	// observe steps the kernel and says whether the decision asks for an action whose outcome is to be recorded.
	observe(id string, raw json.RawMessage, at time.Time) (decided, error)
	// check says what is wrong with an observation that is passed over.
	check(raw json.RawMessage) error
	// record records an outcome of a record line.
	record(id string, raw json.RawMessage, at time.Time) (decided, error)
	// finish records the outcome of the action that id was last told to take.
	finish(id string, ok bool, at time.Time)
}

// decided is what a machine says of one event.
type decided struct {
	line  Line
	print bool      // the event has a line of output
	acts  bool      // an outcome is to be recorded
	next  time.Time // zero: none
}

// kind is how to replay one kernel.
type kind struct {
	times []string // the fields of its observations that hold times
	build func(h trace.Header) (machine, error)
}

var kinds = map[string]kind{
	"backoff":   {build: newBackoff},
	"gateway":   {times: []string{"handshake"}, build: newGateway},
	"liveness":  {times: []string{"last_handshake"}, build: newLiveness},
	"routes":    {build: newRoutes},
	"supervise": {build: newSupervise},
	"watchdog":  {build: newWatchdog},
}

// Kernels lists the kernels that a trace may name.
func Kernels() []string { return slices.Sorted(maps.Keys(kinds)) }

// Run replays the trace in r and calls emit with each line of output. A config that is not nil stands in for the one of
// the trace. Errors name the line and the field; one of emit ends the replay.
func Run(r io.Reader, config json.RawMessage, emit func(Line) error) error {
	// Times can only be resolved once the kernel is known, which the header says.
	tr, err := trace.NewReader(r, func(h trace.Header) ([]string, error) {
		k, ok := kinds[h.Kernel]
		if !ok {
			return nil, fmt.Errorf("kernel: %q is none of %s", h.Kernel, strings.Join(Kernels(), ", "))
		}
		return k.times, nil
	})
	if err != nil {
		return err
	}
	if config != nil {
		tr.Header.Config = config
	}
	m, err := kinds[tr.Header.Kernel].build(tr.Header)
	if err != nil && config != nil {
		return fmt.Errorf("under the given configuration: %w", err)
	}
	if err != nil {
		return tr.Fail(fmt.Errorf("header: %w", err))
	}
	p := player{machine: m, acts: tr.Header.Act, takes: time.Duration(tr.Header.ActTakes), busy: map[string]*attempt{}, emit: emit}
	for {
		e, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		p.start = tr.Start()
		if err := p.play(e); err != nil {
			return err
		}
	}
}

// player plays the events of a trace, and the outcomes that its header promises.
type player struct {
	machine machine
	acts    trace.Acts
	takes   time.Duration
	busy    map[string]*attempt
	start   time.Time
	emit    func(Line) error
}

// attempt is what an id's actions have come to: how many began, and when the one that runs ends.
type attempt struct {
	begun   int
	running bool
	ends    time.Time // of the one that runs
}

func (p *player) play(e trace.Event) error {
	a := p.busy[e.ID]
	if a == nil {
		a = &attempt{}
		p.busy[e.ID] = a
	}
	p.finish(e.ID, a, e.At)
	var d decided
	var err error
	switch {
	case e.Record != nil:
		d, err = p.machine.record(e.ID, e.Record, e.At)
		err = inField(err, "record")
	case a.running: // a busy loop does not look
		err = inField(p.machine.check(e.Observe), "observe")
	default:
		d, err = p.machine.observe(e.ID, e.Observe, e.At)
		err = inField(err, "observe")
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", e.Line, err)
	}
	if d.acts && !p.acts.None {
		a.running, a.ends = true, e.At.Add(p.takes)
		if p.takes == 0 {
			p.finish(e.ID, a, e.At)
		}
	}
	if !d.print {
		return nil
	}
	return p.emit(p.line(e, d))
}

// finish records the outcome of the action that runs, if it has ended at now.
func (p *player) finish(id string, a *attempt, now time.Time) {
	if !a.running || a.ends.After(now) {
		return
	}
	p.machine.finish(id, p.acts.Outcome(a.begun), a.ends)
	a.begun++
	a.running = false
}

func (p *player) line(e trace.Event, d decided) Line {
	d.line.At, d.line.ID = settings.Span(e.At.Sub(p.start)), e.ID
	if !d.next.IsZero() {
		next := settings.Span(d.next.Sub(p.start))
		d.line.Next = &next
	}
	return d.line
}

func inField(err error, field string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", field, err)
}

// newStates are the states that a trace begins with: the one of ids that are not named, and those of the others.
func newStates[S any](h trace.Header) (begin S, states map[string]S, err error) {
	states = map[string]S{}
	if h.State != nil {
		if err := json.Unmarshal(h.State, &begin); err != nil {
			return begin, nil, inField(err, "state")
		}
	}
	for id, raw := range h.States {
		var s S
		if err := json.Unmarshal(raw, &s); err != nil {
			return begin, nil, inField(inField(err, id), "states")
		}
		states[id] = s
	}
	return begin, states, nil
}

// newConfig is the configuration of a trace.
func newConfig[C any](raw json.RawMessage) (C, error) {
	var c C
	if raw == nil {
		return c, nil
	}
	err := json.Unmarshal(raw, &c)
	return c, inField(err, "config")
}
