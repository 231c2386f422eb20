package replay

import (
	"encoding/json"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

type gatewayMachine struct {
	kernel *gateway.Kernel
	begin  gateway.State
	states map[string]gateway.State
	told   map[string]gateway.Action
}

func newGateway(config, state json.RawMessage) (machine, error) {
	cfg, err := newConfig[gateway.Config](config)
	if err != nil {
		return nil, err
	}
	kernel, err := gateway.New(cfg)
	if err != nil {
		return nil, inField(err, "config")
	}
	begin, err := newState[gateway.State](state)
	return &gatewayMachine{kernel, begin, map[string]gateway.State{}, map[string]gateway.Action{}}, err
}

func (m *gatewayMachine) state(id string) gateway.State {
	if s, ok := m.states[id]; ok {
		return s
	}
	return m.begin
}

func (m *gatewayMachine) observe(id string, raw json.RawMessage, at time.Time) (decided, error) {
	var obs gateway.Observation
	if err := json.Unmarshal(raw, &obs); err != nil {
		return decided{}, err
	}
	s, d := m.kernel.Step(m.state(id), obs, at)
	m.states[id], m.told[id] = s, d.Action
	return decided{
		line:  Line{Action: d.Action.String(), Reason: d.Reason.String(), Why: m.kernel.Explain(s, d)},
		print: true,
		acts:  d.Action != gateway.ActionNone && d.Action != gateway.ActionStop,
		next:  d.Next,
	}, nil
}

func (m *gatewayMachine) record(id string, raw json.RawMessage, at time.Time) (decided, error) {
	var out gateway.Outcome
	if err := json.Unmarshal(raw, &out); err != nil {
		return decided{}, err
	}
	m.states[id] = m.kernel.Record(m.state(id), out, at)
	return decided{}, nil
}

func (m *gatewayMachine) finish(id string, ok bool, at time.Time) {
	m.states[id] = m.kernel.Record(m.state(id), gateway.Outcome{Action: m.told[id], OK: ok}, at)
}
