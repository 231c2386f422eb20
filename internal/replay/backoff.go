package replay

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

type backoffMachine struct {
	kernel *backoff.Kernel
	begin  backoff.State
	states map[string]backoff.State
}

func newBackoff(h trace.Header) (machine, error) {
	cfg, err := newConfig[backoff.Config](h.Config)
	if err != nil {
		return nil, err
	}
	kernel, err := backoff.New(cfg)
	if err != nil {
		return nil, inField(err, "config")
	}
	begin, states, err := newStates[backoff.State](h)
	return &backoffMachine{kernel, begin, states}, err
}

func (m *backoffMachine) observe(string, json.RawMessage, time.Time) (decided, error) {
	return decided{}, errors.New("a schedule observes nothing, its traces have record lines alone")
}

func (m *backoffMachine) check(json.RawMessage) error { return nil }

// record draws with the id as the key, where a line has one.
func (m *backoffMachine) record(id string, raw json.RawMessage, at time.Time) (decided, error) {
	var out backoff.Outcome
	if err := json.Unmarshal(raw, &out); err != nil {
		return decided{}, err
	}
	s, ok := m.states[id]
	if !ok {
		s = m.begin
	}
	kernel := m.kernel
	if id != "" {
		kernel = kernel.Keyed(id)
	}
	s = kernel.Record(s, out, at)
	m.states[id] = s
	attempt, delay, exhausted := s.Failures(), settings.Span(s.Delay()), s.Exhausted()
	return decided{
		line: Line{
			Action: ActionNone, Reason: s.Reason().String(), Attempt: &attempt, Delay: &delay, Exhausted: &exhausted,
			Why: kernel.Explain(s),
		},
		print: true,
		next:  s.Due(),
	}, nil
}

func (m *backoffMachine) finish(string, bool, time.Time) {}
