package replay

import (
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

func newGateway(h trace.Header) (machine, error) {
	return newStepper(h, gateway.New, func(k *gateway.Kernel, m *stepper[gateway.State, gateway.Observation, gateway.Decision, gateway.Outcome]) {
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
