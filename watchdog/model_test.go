package watchdog_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// model is the kernel told in another way: it has no instants, but counts the time that passes, which makes gaps and
// steps of the clock trivial.
type model struct {
	cfg              watchdog.Config
	last             time.Time
	stepped          bool
	silent           []time.Duration // of each source, while stepped
	good, failed     time.Duration   // since the last pings
	wasGood, wasFail bool
}

// pass lets the time until now pass, of which at most limit counts toward silences.
func (m *model) pass(now time.Time, limit time.Duration) {
	var passed time.Duration
	if !m.last.IsZero() {
		passed = max(0, now.Sub(m.last))
	}
	m.last = now
	m.good += passed
	m.failed += passed
	if limit >= 0 {
		passed = min(passed, limit)
	}
	if m.stepped {
		for i := range m.silent {
			m.silent[i] += passed
		}
	}
}

// step gives what is to be decided, but for Next.
func (m *model) step(obs watchdog.Observation, now time.Time) watchdog.Decision {
	m.pass(now, m.cfg.MaxGap)
	m.stepped = true
	beating := false
	var late watchdog.Decision
	for i, source := range m.cfg.Sources {
		if obs == by(source.Name) {
			beating, m.silent[i] = true, 0
		}
		overdue := m.silent[i] - source.Budget
		if overdue >= 0 && (late.Late == "" || overdue > late.Overdue) {
			late = watchdog.Decision{Reason: watchdog.ReasonWithheld, Late: source.Name, Overdue: overdue}
		}
	}
	recent := m.wasGood && m.good < m.cfg.Timeout/4 || m.wasFail && m.failed < m.cfg.Timeout/8
	switch {
	case m.cfg.Timeout < 0:
		return watchdog.Decision{Reason: watchdog.ReasonOff}
	case late.Late != "":
		return late
	case !beating:
		return watchdog.Decision{Reason: watchdog.ReasonNoBeat}
	case recent:
		return watchdog.Decision{Reason: watchdog.ReasonRecent}
	}
	return watchdog.Decision{Action: ping, Reason: watchdog.ReasonBeat}
}

func (m *model) record(out watchdog.Outcome, now time.Time) {
	m.pass(now, -1)
	if out.OK {
		m.good, m.wasGood = 0, true
	} else {
		m.failed, m.wasFail = 0, true
	}
}

// TestTheKernelDecidesAsTheModelDoes compares random lives, the clock of which goes back and leaps.
func TestTheKernelDecidesAsTheModelDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawMaybeOff(t)
		effective := newKernel(t, cfg).Config()
		m := &model{cfg: effective, silent: make([]time.Duration, len(effective.Sources))}
		drawRun(t, cfg, false, watcher{
			step: func(before watchdog.State, r run) {
				want, got := m.step(r.obs, r.now), r.d
				got.Next = time.Time{}
				if got != want {
					t.Fatalf("at %v, seeing %+v in %+v: got %+v, want %+v", r.now, r.obs, before, got, want)
				}
			},
			record: func(r run, out watchdog.Outcome) { m.record(out, r.now) },
		})
	})
}
