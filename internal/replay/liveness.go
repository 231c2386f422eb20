package replay

import (
	"github.com/evenkeel-go/evenkeel/internal/trace"
	"github.com/evenkeel-go/evenkeel/liveness"
)

func newLiveness(h trace.Header) (machine, error) {
	return newStepper(h, liveness.New, func(k *liveness.Kernel, m *stepper[liveness.State, liveness.Observation, liveness.Decision, liveness.Outcome]) {
		m.step, m.take = k.Step, k.Record
		m.describe = func(s liveness.State, d liveness.Decision) decided {
			return decided{
				line: Line{Action: d.Action.String(), Reason: d.Reason.String(), Live: &d.Live, Why: k.Explain(s, d)},
				acts: d.Action == liveness.ActionProbe,
				next: d.Next,
			}
		}
		m.outcome = func(d liveness.Decision, ok bool) liveness.Outcome {
			return liveness.Outcome{Action: d.Action, OK: ok}
		}
	})
}
