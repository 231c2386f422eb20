package supervise_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// entry is one thing that a model remembers: a look or a record, at the time that the kernel has seen pass until then.
type entry struct {
	at   time.Duration
	wall time.Time
	obs  supervise.Observation
	out  supervise.Outcome // of a record

	look    bool
	fresh   bool // the look came after too long a gap, or of a new run: nothing before it is evidence
	another bool // the look was the first of a new generation
	healthy bool // the look saw it run for reset_after
}

// runs says that an entry saw the target run, and that it was ours to see.
func (e entry) runs() bool {
	return e.look && e.obs.Status == supervise.StatusRunning && e.obs.Guard != supervise.GuardNotOurs
}

// sees says that an entry is a sighting, were it spaced.
func (e entry) sees() bool {
	return e.look && e.obs.Status == supervise.StatusDown && e.obs.Guard != supervise.GuardNotOurs
}

func (e entry) did(a supervise.Action) bool { return !e.look && e.out.Action == a }

// model is the rules told in another way: it forgets nothing, and finds everything out again by reading its whole history.
type model struct {
	cfg     supervise.Config
	clock   watched
	history []entry
	run     uint64
	gen     uint64
}

// step notes a look and gives what is to be decided, with Next as the time from now; ^0 is no next.
func (m *model) step(obs supervise.Observation, now time.Time) (supervise.Decision, time.Duration) {
	e := entry{wall: now, obs: obs, look: true}
	e.fresh = m.cfg.MaxGap >= 0 && !m.clock.last.IsZero() && now.Sub(m.clock.last) > m.cfg.MaxGap
	e.at = m.clock.at(now)
	if obs.Generation != 0 {
		e.another = m.gen != 0 && m.gen != obs.Generation
		m.gen = obs.Generation
	}
	if e.another {
		m.run = 0
	}
	if obs.Run != 0 {
		e.fresh = e.fresh || m.run != 0 && m.run != obs.Run
		m.run = obs.Run
	}
	m.history = append(m.history, e)
	last := &m.history[len(m.history)-1]
	last.healthy = last.runs() && last.at-m.runningSince() >= m.cfg.ResetAfter
	return m.decide(*last)
}

func (m *model) record(out supervise.Outcome, now time.Time) {
	m.history = append(m.history, entry{at: m.clock.at(now), wall: now, out: out})
}

// life is the part of the history that is of the present target.
func (m *model) life() []entry {
	for i, e := range slices.Backward(m.history) {
		if e.another {
			return m.history[i:]
		}
	}
	return m.history
}

// runningSince reads back from the last look, which saw the target run, to the first one of an unbroken row of such.
func (m *model) runningSince() time.Duration {
	life := m.life()
	since := life[len(life)-1].at
	for _, e := range slices.Backward(life) {
		if e.look && e.obs.Status != supervise.StatusRunning || m.cfg.MaxGap >= 0 && e.runs() && since-e.at > m.cfg.MaxGap {
			break
		}
		if e.runs() {
			since = e.at
		}
		if e.fresh {
			break
		}
	}
	return since
}

// sightings counts those since the last thing that starts confirmation again, and says from when on the next one counts.
func (m *model) sightings() (n int, next time.Duration) {
	spacing := m.cfg.SweepInterval - m.cfg.SweepInterval/10
	next = -time.Hour
	for _, e := range m.life() {
		if e.look && !e.sees() || e.fresh || e.did(restart) {
			n, next = 0, -time.Hour
		}
		for _, other := range m.life() {
			if other.did(restart) && other.at <= e.at {
				next = max(next, other.at+spacing)
			}
		}
		if e.sees() && e.at >= next {
			n, next = n+1, e.at+spacing
		}
	}
	return min(n, m.cfg.Confirm), next
}

// held is what is held against the target since it was last healthy: its restarts within the window, those whatever, and
// when the last pause ends. The end of a pause empties the window.
func (m *model) held(now time.Duration) (within, restarts, giveUps int, pauseEnds time.Duration) {
	life := m.life()
	for i := range life {
		if life[i].healthy {
			within, restarts, giveUps, pauseEnds = 0, 0, 0, 0
		}
		if life[i].did(giveUp) {
			giveUps, pauseEnds = giveUps+1, life[i].at+m.cfg.Pause
			if pauseEnds <= now {
				within, restarts = 0, 0
			}
		}
		if life[i].did(restart) {
			restarts++
			if now-life[i].at <= m.cfg.Window {
				within++
			}
		}
	}
	return within, restarts, giveUps, pauseEnds
}

// never is the next of a decision that only something new can change.
const never = time.Duration(-1)

// decide is the list of rules, as it is written down.
func (m *model) decide(e entry) (d supervise.Decision, next time.Duration) {
	n, counts := m.sightings()
	within, restarts, giveUps, pauseEnds := m.held(e.at)
	d.Restarts = within
	if e.sees() {
		d.Sightings = n
	}
	is := func(r supervise.Reason, next time.Duration) (supervise.Decision, time.Duration) {
		d.Reason = r
		return d, next
	}
	guard, status := e.obs.Guard, e.obs.Status
	switch {
	case guard == supervise.GuardNotOurs:
		return is(supervise.ReasonNotOurs, never)
	case status == supervise.StatusUnknown:
		return is(supervise.ReasonUnknown, never)
	case status == supervise.StatusRestarting:
		return is(supervise.ReasonRestarting, never)
	case status == supervise.StatusRunning && restarts+giveUps > 0:
		return is(supervise.ReasonRecovering, m.runningSince()+m.cfg.ResetAfter-e.at)
	case status == supervise.StatusRunning:
		return is(supervise.ReasonRunning, never)
	case guard == supervise.GuardParked:
		return is(supervise.ReasonParked, never)
	case n < m.cfg.Confirm:
		return is(supervise.ReasonConfirming, counts-e.at)
	case guard == supervise.GuardBusy:
		return is(supervise.ReasonBusy, never)
	case guard == supervise.GuardUnknown:
		return is(supervise.ReasonGuardUnknown, never)
	case e.at < pauseEnds:
		return is(supervise.ReasonPaused, pauseEnds-e.at)
	case within >= m.cfg.MaxRestarts:
		d.Action = giveUp
		return is(supervise.ReasonCrashLoop, 0)
	}
	d.Action = restart
	return is(supervise.ReasonDown, 0)
}

// loops reads from the whole history since when the target is in a crash loop, and when the last one began.
func (m *model) loops() (since, last time.Time) {
	for _, e := range m.history {
		switch {
		case e.another || e.healthy:
			since = time.Time{}
		case e.did(giveUp) && since.IsZero():
			since, last = e.wall, e.wall
		}
	}
	return since, last
}

// TestTheKernelDecidesAsTheModelDoes compares random lives, the clock of which goes back and leaps.
func TestTheKernelDecidesAsTheModelDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		m := &model{cfg: cfg}
		drawLife(t, cfg, watcher{
			step: func(before supervise.State, l life) {
				want, next := m.step(l.obs, l.now)
				if next != never {
					want.Next = l.now.Add(next)
				}
				got := l.d
				if got != want {
					t.Fatalf("at %v, seeing %+v in %+v: got %+v, want %+v", l.now, l.obs, before, got, want)
				}
				if since, last := m.loops(); !l.s.CrashLoopSince().Equal(since) || !l.s.LastCrashLoop().Equal(last) {
					t.Fatalf("at %v, seeing %+v: got %s, want %v %v", l.now, l.obs, loops(l.s), sinceStart(since), sinceStart(last))
				}
			},
			record: func(_ supervise.State, l life, out supervise.Outcome) { m.record(out, l.now) },
		})
	})
}
