package replay

import (
	"encoding/json"

	"github.com/evenkeel-go/evenkeel/gateway"
)

func newGateway(config, state json.RawMessage) (machine, error) {
	return newStepper(config, state, gateway.New, func(k *gateway.Kernel, m *stepper[gateway.State, gateway.Observation, gateway.Decision, gateway.Outcome]) {
		m.step, m.take = k.Step, k.Record
		m.describe = func(s gateway.State, d gateway.Decision) decided {
			return decided{
				line: Line{Action: d.Action.String(), Reason: d.Reason.String(), Why: k.Explain(s, d)},
				acts: d.Action != gateway.ActionNone && d.Action != gateway.ActionStop,
				next: d.Next,
			}
		}
		m.outcome = func(d gateway.Decision, ok bool) gateway.Outcome {
			return gateway.Outcome{Action: d.Action, OK: ok}
		}
	})
}
