package replay

import (
	"encoding/json"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// stepper is a kernel with Step and Record under replay: S, O, D and R are its State, Observation, Decision and Outcome.
type stepper[S, O, D, R any] struct {
	begin  S
	states map[string]S
	told   map[string]D // the last decision, whose outcome is to be recorded

	step     func(S, O, time.Time) (S, D)
	take     func(S, R, time.Time) S
	describe func(S, D) decided
	outcome  func(d D, ok bool) R
}

// newStepper checks the configuration and the state of a trace, and makes the machine of the kernel that build makes.
func newStepper[C, K, S, O, D, R any](h trace.Header, build func(C) (K, error), wire func(K, *stepper[S, O, D, R])) (machine, error) {
	cfg, err := newConfig[C](h.Config)
	if err != nil {
		return nil, err
	}
	kernel, err := build(cfg)
	if err != nil {
		return nil, inField(err, "config")
	}
	begin, states, err := newStates[S](h)
	m := &stepper[S, O, D, R]{begin: begin, states: states, told: map[string]D{}}
	wire(kernel, m)
	return m, err
}

func (m *stepper[S, O, D, R]) state(id string) S {
	if s, ok := m.states[id]; ok {
		return s
	}
	return m.begin
}

func (m *stepper[S, O, D, R]) observe(id string, raw json.RawMessage, at time.Time) (decided, error) {
	var obs O
	if err := json.Unmarshal(raw, &obs); err != nil {
		return decided{}, err
	}
	s, d := m.step(m.state(id), obs, at)
	m.states[id], m.told[id] = s, d
	what := m.describe(s, d)
	what.print = true
	return what, nil
}

func (m *stepper[S, O, D, R]) check(raw json.RawMessage) error {
	var obs O
	return json.Unmarshal(raw, &obs)
}

func (m *stepper[S, O, D, R]) record(id string, raw json.RawMessage, at time.Time) (decided, error) {
	var out R
	if err := json.Unmarshal(raw, &out); err != nil {
		return decided{}, err
	}
	m.states[id] = m.take(m.state(id), out, at)
	return decided{}, nil
}

func (m *stepper[S, O, D, R]) finish(id string, ok bool, at time.Time) {
	m.states[id] = m.take(m.state(id), m.outcome(m.told[id], ok), at)
}
