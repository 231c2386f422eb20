package replay

import (
	"github.com/evenkeel-go/evenkeel/internal/trace"
	"github.com/evenkeel-go/evenkeel/watchdog"
)

func newWatchdog(h trace.Header) (machine, error) {
	return newStepper(h, watchdog.New, func(k *watchdog.Kernel, m *stepper[watchdog.State, watchdog.Observation, watchdog.Decision, watchdog.Outcome]) {
		m.step, m.take = k.Step, k.Record
		m.describe = func(s watchdog.State, d watchdog.Decision) decided {
			return decided{
				line: Line{Action: d.Action.String(), Reason: d.Reason.String(), Late: d.Late, Why: k.Explain(s, d)},
				acts: d.Action == watchdog.ActionPing,
				next: d.Next,
			}
		}
		m.outcome = func(d watchdog.Decision, ok bool) watchdog.Outcome {
			return watchdog.Outcome{Action: d.Action, OK: ok}
		}
	})
}
