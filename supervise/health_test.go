package supervise_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// once is one restart, at 60, of a target that runs from 90 on.
var once = all(looks(30, 60, down), restarted(60, true), look(90, running))

// TestHealth has a row at, just before and just after reset_after, and one for each thing that breaks health.
func TestHealth(t *testing.T) {
	cfg := supervise.Config{}
	quick := supervise.Config{ResetAfter: time.Second, MaxGap: -1}
	broken := func(obs supervise.Observation) []event {
		return all(once, looks(120, 300, running), look(330, obs), looks(360, 690, running))
	}
	check(t, []row{
		{"nothing is held against it", cfg, all(look(0, running)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"a restart is", cfg, once, none, supervise.ReasonRecovering, 690, 0, 1},
		{"just before reset_after", cfg, all(once, looks(120, 660, running), look(690-tick, running)), none, supervise.ReasonRecovering, 690, 0, 1},
		{"at reset_after", cfg, all(once, looks(120, 690, running)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"just after reset_after", cfg, all(once, looks(120, 660, running), look(690+tick, running)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"a restart that has left the window is still held", supervise.Config{Window: 3 * time.Minute}, all(once, looks(120, 270, running)), none, supervise.ReasonRecovering, 690, 0, 0},
		{"it counts from the first look that saw it run, not from the restart", quick, all(restarted(0, true), look(100, running)), none, supervise.ReasonRecovering, 101, 0, 1},

		{"broken by a look that saw it down", cfg, broken(down), none, supervise.ReasonRecovering, 960, 0, 1},
		{"broken by a look that saw it parked", cfg, broken(parked), none, supervise.ReasonRecovering, 960, 0, 1},
		{"broken by the runtime's restart", cfg, broken(restarting), none, supervise.ReasonRecovering, 960, 0, 1},
		{"broken by a look that could not be made", cfg, broken(blind), none, supervise.ReasonRecovering, 960, 0, 1},
		{"broken by not ours while it is down", cfg, broken(notOurs), none, supervise.ReasonRecovering, 960, 0, 1},
		{"broken by a new run", cfg, all(once, look(120, run(running, "a")), looks(150, 300, run(running, "a")), looks(330, 690, run(running, "b"))), none, supervise.ReasonRecovering, 930, 0, 1},
		{"and whole again after it", cfg, all(once, look(120, run(running, "a")), looks(150, 300, run(running, "a")), looks(330, 930, run(running, "b"))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"not broken by the first run that is known", cfg, all(once, looks(120, 300, running), looks(330, 690, run(running, "a"))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"nor by one that is not known", cfg, all(once, looks(120, 300, run(running, "a")), look(330, running), looks(360, 690, run(running, "a"))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"nor by a guard", cfg, broken(guarded(running, supervise.GuardBusy)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"nor by a guard that is not known", cfg, broken(guarded(running, supervise.GuardUnknown)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"nor by a marker", cfg, broken(guarded(running, supervise.GuardParked)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"nor by a look at which it was not ours, and ran", cfg, broken(guarded(running, supervise.GuardNotOurs)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"which is no look at which it is healthy", cfg, all(once, looks(120, 660, running), look(690, guarded(running, supervise.GuardNotOurs))), none, supervise.ReasonNotOurs, noNext, 0, 1},

		{"a gap just as long as max_gap", cfg, all(once, looks(120, 300, running), looks(390, 690, running)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"broken by a longer one", cfg, all(once, looks(120, 300, running), looks(390+tick, 690+tick, running)), none, supervise.ReasonRecovering, 990 + tick, 0, 1},
		{"broken by a longer one between looks that saw it run", cfg, all(once, looks(120, 300, running), looks(330, 390, guarded(running, supervise.GuardNotOurs)), looks(420, 690, running)), none, supervise.ReasonRecovering, 1020, 0, 1},
		{"a record between them is no look", cfg, all(once, looks(120, 300, running), gaveUp(350, true), looks(390+tick, 690+tick, running)), none, supervise.ReasonRecovering, 990 + tick, 0, 1},
		{"no gap is too long", supervise.Config{MaxGap: -1}, all(once, look(690, running)), none, supervise.ReasonRunning, noNext, 0, 0},

		{"it ends a pause", cfg, all(paused, looks(270, 870, running)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"so that the target is restarted again", cfg, all(paused, looks(270, 870, running), looks(900, 930, down)), restart, supervise.ReasonDown, 930, 2, 0},
		{"less than it does not", cfg, all(paused, looks(270, 840, running), looks(870, 900, down)), none, supervise.ReasonPaused, 2040, 2, 3},
		{"it empties the window, though restarts lie within it", supervise.Config{ResetAfter: time.Minute}, all(three[:len(three)-2], looks(210, 270, running), looks(300, 330, down)), restart, supervise.ReasonDown, 330, 2, 0},
		{"less than it leaves them", supervise.Config{ResetAfter: time.Minute}, all(three[:len(three)-2], looks(210, 240, running), looks(270, 300, down)), giveUp, supervise.ReasonCrashLoop, 300, 2, 3},
	})
}

func TestStateAnswers(t *testing.T) {
	var s supervise.State
	if !s.LastRestart().IsZero() || !s.LastFailedRestart().IsZero() || !s.CrashLoopSince().IsZero() || !s.LastCrashLoop().IsZero() {
		t.Errorf("a fresh state knows %+v", s)
	}
	_, s, _ = play(t, supervise.Config{}, all(looks(30, 60, down), restarted(65, false), looks(120, 150, down), restarted(155, true), gaveUp(160, false)))
	if !s.LastRestart().Equal(at(155)) || !s.LastFailedRestart().Equal(at(65)) || loops(s) != "160 160" {
		t.Errorf("got %v %v %s", s.LastRestart(), s.LastFailedRestart(), loops(s))
	}
}

// TestConsumersSeeTimesMove keeps what is reported through everything that empties the rest.
func TestConsumersSeeTimesMove(t *testing.T) {
	failed := all(looks(30, 60, down), restarted(60, false), gaveUp(70, true))
	for name, events := range map[string][]event{
		"health":            all(failed, looks(90, 900, running)),
		"a new generation":  all(failed, look(90, gen(down, "a")), look(120, gen(down, "b"))),
		"the pause's end":   all(failed, looks(90, 1890, down)),
		"a gap":             all(failed, look(1e6, down)),
		"a step back":       all(failed, look(-1e6, down)),
		"nothing to see":    all(failed, look(90, blind)),
		"another operation": all(failed, look(90, notOurs)),
	} {
		_, s, _ := play(t, supervise.Config{}, events)
		if !s.LastRestart().Equal(at(60)) || !s.LastFailedRestart().Equal(at(60)) || !s.LastCrashLoop().Equal(at(70)) {
			t.Errorf("%s moved them: %v %v %v", name, s.LastRestart(), s.LastFailedRestart(), s.LastCrashLoop())
		}
	}
}
