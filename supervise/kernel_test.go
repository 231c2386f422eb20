package supervise_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// event is a look at a time, or the record of an action.
type event struct {
	at     float64
	obs    supervise.Observation
	record *supervise.Outcome
}

func look(at float64, obs supervise.Observation) event { return event{at: at, obs: obs} }

// looks is a look each 30 s, the first and the last one included.
func looks(from, until float64, obs supervise.Observation) (events []event) {
	for ; from <= until; from += 30 {
		events = append(events, look(from, obs))
	}
	return events
}

func restarted(at float64, ok bool) event {
	return event{at: at, record: &supervise.Outcome{Action: restart, OK: ok}}
}

func gaveUp(at float64, ok bool) event {
	return event{at: at, record: &supervise.Outcome{Action: giveUp, OK: ok}}
}

// all is one timeline of several parts, each an event or a list of them.
func all(parts ...any) (events []event) {
	for _, part := range parts {
		switch p := part.(type) {
		case event:
			events = append(events, p)
		case []event:
			events = append(events, p...)
		}
	}
	return slices.Clip(events)
}

// the names that the tables use
const (
	none    = supervise.ActionNone
	restart = supervise.ActionRestart
	giveUp  = supervise.ActionGiveUp
)

// noNext stands for a decision that only something new can change.
var noNext = math.NaN()

// row is a timeline, and what is to be decided at its last event.
type row struct {
	name      string
	cfg       supervise.Config
	events    []event
	action    supervise.Action
	reason    supervise.Reason
	next      float64
	sightings int
	restarts  int
}

// play runs a timeline and gives what it ends with.
func play(t checker, cfg supervise.Config, events []event) (k *supervise.Kernel, s supervise.State, d supervise.Decision) {
	t.Helper()
	k = newKernel(t, cfg)
	for _, e := range events {
		if e.record != nil {
			s = k.Record(s, *e.record, at(e.at))
		} else {
			s, d = k.Step(s, e.obs, at(e.at))
		}
	}
	return k, s, d
}

// check plays each row. What is decided is explained with its reason.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			k, s, d := play(t, r.cfg, r.events)
			var next time.Time
			if !math.IsNaN(r.next) {
				next = at(r.next)
			}
			if d.Action != r.action || d.Reason != r.reason || !d.Next.Equal(next) {
				t.Errorf("got %v because %v, next %v; want %v because %v, next %v", d.Action, d.Reason, d.Next, r.action, r.reason, next)
			}
			if d.Sightings != r.sightings || d.Restarts != r.restarts {
				t.Errorf("got %d sightings and %d restarts, want %d and %d", d.Sightings, d.Restarts, r.sightings, r.restarts)
			}
			if why := k.Explain(s, d); !strings.HasPrefix(why, d.Reason.String()+": ") || strings.Contains(why, "%!") {
				t.Errorf("explained as %q", why)
			}
		})
	}
}

// three restarts, one a minute, and confirmed to be down after them at 240, when the window is full.
var three = all(looks(30, 60, down), restarted(60, true), looks(90, 120, down), restarted(120, true), looks(150, 180, down),
	restarted(180, true), looks(210, 240, down))

// paused is three, given up at 240: the pause ends at 2040.
var paused = all(three, gaveUp(240, true))

// TestTheFirstRuleThatMatchesDecides has two rules match at once, for each rule and those after it.
func TestTheFirstRuleThatMatchesDecides(t *testing.T) {
	cfg := supervise.Config{}
	check(t, []row{
		{"not ours before unknown", cfg, all(look(0, guarded(blind, supervise.GuardNotOurs))), none, supervise.ReasonNotOurs, noNext, 0, 0},
		{"not ours before restarting", cfg, all(look(0, guarded(restarting, supervise.GuardNotOurs))), none, supervise.ReasonNotOurs, noNext, 0, 0},
		{"not ours before running", cfg, all(paused, look(270, guarded(running, supervise.GuardNotOurs))), none, supervise.ReasonNotOurs, noNext, 0, 3},
		{"not ours before a restart", cfg, all(looks(30, 60, down), look(60, notOurs)), none, supervise.ReasonNotOurs, noNext, 0, 0},
		{"not ours before the pause", cfg, all(paused, look(270, notOurs)), none, supervise.ReasonNotOurs, noNext, 0, 3},
		{"unknown before parked", cfg, all(look(0, guarded(blind, supervise.GuardParked))), none, supervise.ReasonUnknown, noNext, 0, 0},
		{"unknown before busy", cfg, all(look(0, guarded(blind, supervise.GuardBusy))), none, supervise.ReasonUnknown, noNext, 0, 0},
		{"unknown before the pause", cfg, all(paused, look(270, blind)), none, supervise.ReasonUnknown, noNext, 0, 3},
		{"restarting before parked", cfg, all(look(0, guarded(restarting, supervise.GuardParked))), none, supervise.ReasonRestarting, noNext, 0, 0},
		{"restarting before the pause", cfg, all(paused, look(270, restarting)), none, supervise.ReasonRestarting, noNext, 0, 3},
		{"running before parked", cfg, all(look(0, guarded(running, supervise.GuardParked))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"running before busy", cfg, all(look(0, guarded(running, supervise.GuardBusy))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"running before a guard that is not known", cfg, all(look(0, guarded(running, supervise.GuardUnknown))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"recovering before the pause", cfg, all(paused, look(270, running)), none, supervise.ReasonRecovering, 870, 0, 3},
		{"parked before confirming", cfg, all(look(0, parked)), none, supervise.ReasonParked, noNext, 1, 0},
		{"parked before the pause", cfg, all(paused, look(270, parked)), none, supervise.ReasonParked, noNext, 2, 3},
		{"confirming before busy", cfg, all(look(0, busy)), none, supervise.ReasonConfirming, spacing, 1, 0},
		{"confirming before a guard that is not known", cfg, all(look(0, unguarded)), none, supervise.ReasonConfirming, spacing, 1, 0},
		{"confirming before the pause", cfg, all(paused, look(250, blind), look(270, down)), none, supervise.ReasonConfirming, 270 + spacing, 1, 3},
		{"busy before the pause", cfg, all(paused, look(270, busy)), none, supervise.ReasonBusy, noNext, 2, 3},
		{"a guard that is not known before the pause", cfg, all(paused, look(270, unguarded)), none, supervise.ReasonGuardUnknown, noNext, 2, 3},
		{"busy before giving up", cfg, all(three, look(240, busy)), none, supervise.ReasonBusy, noNext, 2, 3},
		{"the pause before giving up", cfg, all(paused, look(270, down)), none, supervise.ReasonPaused, 2040, 2, 3},
		{"giving up before a restart", cfg, three, giveUp, supervise.ReasonCrashLoop, 240, 2, 3},
		{"otherwise a restart", cfg, looks(30, 60, down), restart, supervise.ReasonDown, 60, 2, 0},
		{"a status without a name is unknown", cfg, all(look(0, supervise.Observation{Status: 9})), none, supervise.ReasonUnknown, noNext, 0, 0},
		{"a guard without a name is not known", cfg, all(looks(0, 30, guarded(down, 9))), none, supervise.ReasonGuardUnknown, noNext, 2, 0},
	})
}

// TestConfirming has a row at, just before and just after each time from which on a sighting counts.
func TestConfirming(t *testing.T) {
	cfg, one, five := supervise.Config{}, supervise.Config{Confirm: 1}, supervise.Config{Confirm: 5}
	odd := supervise.Config{SweepInterval: 9, Window: time.Minute, Confirm: 2}
	check(t, []row{
		{"one glimpse is no evidence", cfg, all(look(30, down)), none, supervise.ReasonConfirming, 57, 1, 0},
		{"a second one at once does not count", cfg, all(look(30, down), look(30, down)), none, supervise.ReasonConfirming, 57, 1, 0},
		{"just before nine tenths of a sweep", cfg, all(look(30, down), look(57-tick, down)), none, supervise.ReasonConfirming, 57, 1, 0},
		{"at nine tenths of a sweep", cfg, all(look(30, down), look(57, down)), restart, supervise.ReasonDown, 57, 2, 0},
		{"just after nine tenths of a sweep", cfg, all(look(30, down), look(57+tick, down)), restart, supervise.ReasonDown, 57 + tick, 2, 0},
		{"many looks in a sweep count once", cfg, all(look(0, down), look(9, down), look(18, down), look(26, down)), none, supervise.ReasonConfirming, 27, 1, 0},
		{"nor do they put the next one off", cfg, all(look(0, down), look(9, down), look(18, down), look(27, down)), restart, supervise.ReasonDown, 27, 2, 0},
		{"spaced from the last that counted", supervise.Config{Confirm: 3}, all(look(0, down), look(40, down), look(54, down)), none, supervise.ReasonConfirming, 67, 2, 0},
		{"a sweep that ten does not divide, just before", odd, all(look(0, down), look(8e-9, down)), none, supervise.ReasonConfirming, 9e-9, 1, 0},
		{"a sweep that ten does not divide", odd, all(look(0, down), look(9e-9, down)), restart, supervise.ReasonDown, 9e-9, 2, 0},
		{"one sighting may be enough", one, all(look(0, down)), restart, supervise.ReasonDown, 0, 1, 0},
		{"four of five", five, looks(0, 90, down), none, supervise.ReasonConfirming, 117, 4, 0},
		{"five of five", five, looks(0, 120, down), restart, supervise.ReasonDown, 120, 5, 0},
		{"more sightings are not counted", cfg, looks(0, 600, down), restart, supervise.ReasonDown, 600, 2, 0},
		{"who does not act is told again", cfg, all(looks(0, 30, down), look(31, down)), restart, supervise.ReasonDown, 31, 2, 0},

		{"just before nine tenths of a sweep after a restart", cfg, all(looks(30, 60, down), restarted(70, true), look(97-tick, down)), none, supervise.ReasonConfirming, 97, 0, 1},
		{"at nine tenths of a sweep after a restart", cfg, all(looks(30, 60, down), restarted(70, true), look(97, down)), none, supervise.ReasonConfirming, 124, 1, 1},
		{"just after nine tenths of a sweep after a restart", cfg, all(looks(30, 60, down), restarted(70, true), look(97+tick, down)), none, supervise.ReasonConfirming, 124 + tick, 1, 1},
		{"a restart is spaced though one sighting is enough", one, all(look(0, down), restarted(0, true), look(27-tick, down)), none, supervise.ReasonConfirming, 27, 0, 1},
		{"and then comes", one, all(look(0, down), restarted(0, true), look(27, down)), restart, supervise.ReasonDown, 27, 1, 1},
		{"a restart forgets the sightings", cfg, all(looks(30, 60, down), restarted(60, true), look(90, down)), none, supervise.ReasonConfirming, 117, 1, 1},
		{"so does one that failed", cfg, all(looks(30, 60, down), restarted(60, false), look(90, down)), none, supervise.ReasonConfirming, 117, 1, 1},
		{"giving up keeps them", cfg, all(paused, look(241, down)), none, supervise.ReasonPaused, 2040, 2, 3},
		{"an outcome of nothing keeps them", cfg, all(look(30, down), event{at: 40, record: &supervise.Outcome{OK: true}}, look(60, down)), restart, supervise.ReasonDown, 60, 2, 0},
	})
}

// TestWhatSightingsOutlast has each thing that is seen between two sightings.
func TestWhatSightingsOutlast(t *testing.T) {
	cfg := supervise.Config{}
	between := func(obs supervise.Observation) []event { return all(look(0, down), look(30, obs), look(60, down)) }
	spaced := func(obs supervise.Observation) []event {
		return all(looks(0, 30, down), restarted(30, true), look(40, obs), look(57-tick, down))
	}
	check(t, []row{
		{"a parked one keeps them and is a sighting", cfg, between(parked), restart, supervise.ReasonDown, 60, 2, 0},
		{"parked after both", cfg, all(looks(0, 30, down), look(60, parked)), none, supervise.ReasonParked, noNext, 2, 0},
		{"restarted as soon as it is parked no more", cfg, all(looks(0, 90, parked), look(91, down)), restart, supervise.ReasonDown, 91, 2, 0},
		{"a busy one keeps them", cfg, all(looks(0, 90, busy), look(91, down)), restart, supervise.ReasonDown, 91, 2, 0},
		{"so does a guard that is not known", cfg, all(looks(0, 90, unguarded), look(91, down)), restart, supervise.ReasonDown, 91, 2, 0},
		{"not ours forgets them", cfg, between(notOurs), none, supervise.ReasonConfirming, 87, 1, 0},
		{"unknown forgets them", cfg, between(blind), none, supervise.ReasonConfirming, 87, 1, 0},
		{"running forgets them", cfg, between(running), none, supervise.ReasonConfirming, 87, 1, 0},
		{"restarting forgets them", cfg, between(restarting), none, supervise.ReasonConfirming, 87, 1, 0},
		{"forgotten, there is no spacing", cfg, all(look(0, down), look(1, blind), look(2, down)), none, supervise.ReasonConfirming, 29, 1, 0},
		{"but for that after a restart: not ours", cfg, spaced(notOurs), none, supervise.ReasonConfirming, 57, 0, 1},
		{"but for that after a restart: unknown", cfg, spaced(blind), none, supervise.ReasonConfirming, 57, 0, 1},
		{"but for that after a restart: running", cfg, spaced(running), none, supervise.ReasonConfirming, 57, 0, 1},
		{"but for that after a restart: restarting", cfg, spaced(restarting), none, supervise.ReasonConfirming, 57, 0, 1},
	})
}

// TestStepReadStep looks twice at one time, as a runner does that reads the expensive guard right before it acts.
func TestStepReadStep(t *testing.T) {
	cfg := supervise.Config{}
	check(t, []row{
		{"free", cfg, all(looks(30, 60, down), look(60, down)), restart, supervise.ReasonDown, 60, 2, 0},
		{"locked", cfg, all(looks(30, 60, down), look(60, busy)), none, supervise.ReasonBusy, noNext, 2, 0},
		{"unreadable", cfg, all(looks(30, 60, down), look(60, unguarded)), none, supervise.ReasonGuardUnknown, noNext, 2, 0},
		{"asked again at the next sweep", cfg, all(looks(30, 60, down), look(60, busy), look(90, down)), restart, supervise.ReasonDown, 90, 2, 0},
		{"locked for ever, it never acts", cfg, all(looks(30, 60, down), look(60, busy), look(90, down), look(90, busy)), none, supervise.ReasonBusy, noNext, 2, 0},
		{"at the end of a pause, locked", cfg, all(paused, looks(270, 2040, down), look(2040, busy)), none, supervise.ReasonBusy, noNext, 2, 0},
		{"and free after it", cfg, all(paused, looks(270, 2040, down), look(2040, busy), look(2070, down)), restart, supervise.ReasonDown, 2070, 2, 0},
		{"before giving up, locked", cfg, all(three, look(240, busy), look(270, down)), giveUp, supervise.ReasonCrashLoop, 270, 2, 3},
	})
}
