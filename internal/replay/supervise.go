package replay

import (
	"github.com/evenkeel-go/evenkeel/internal/trace"
	"github.com/evenkeel-go/evenkeel/supervise"
)

func newSupervise(h trace.Header) (machine, error) {
	return newStepper(h, supervise.New, func(k *supervise.Kernel, m *stepper[supervise.State, supervise.Observation, supervise.Decision, supervise.Outcome]) {
		m.step, m.take = k.Step, k.Record
		m.describe = func(s supervise.State, d supervise.Decision) decided {
			return decided{
				line: Line{Action: d.Action.String(), Reason: d.Reason.String(), Why: k.Explain(s, d)},
				acts: d.Action != supervise.ActionNone,
				next: d.Next,
			}
		}
		m.outcome = func(d supervise.Decision, ok bool) supervise.Outcome {
			return supervise.Outcome{Action: d.Action, OK: ok}
		}
	})
}
