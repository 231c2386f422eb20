package liveness_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// TestUnwatchedTimeIsNoEvidence has the default max_gap of 30 s.
func TestUnwatchedTimeIsNoEvidence(t *testing.T) {
	usual, probing := liveness.Config{Mode: liveness.ModePassive}, liveness.Config{Mode: liveness.ModeActive}
	tight := liveness.Config{Mode: liveness.ModePassive, MaxGap: 20 * time.Second}
	sent := look(10, shaken(1000, 1000+data, 0))
	unanswered := func(at float64) event { return look(at, shaken(1000, 1000+data, 0)) }
	check(t, []row{
		live("as long as the largest gap: all of it counts", usual, 82.5, alive, still(30)),
		live("just longer: only that much", usual, 82.5+tick, alive, still(30+tick)),
		live("hours are 30 s", usual, 10000+52.5, alive, still(10000)),
		live("each gap forgives its own excess", usual, 112.5, alive, still(40), still(90)),
		dead("a loop that is always late sees the end", usual, liveness.ReasonSilent, alive, still(100), still(200), still(300)),
		live("just before that", usual, 222.5, alive, still(100), still(200), still(222.5-tick)),
		live("data too waits for watched time only", tight, 1010, alive, sent, unanswered(1000)),
		quiet("time until a record is watched", probing, none, 82.5, alive, still(15), probed(80, true), still(80)),
		quiet("a probe is due on unwatched time too", probing, probe, 1000, alive, still(20), probed(20, true), still(1000)),
		live("a handshake is no older than the largest gap", usual, 1052.5, alive, look(1000, shaken(1000, 1000, 500))),
		live("a first one is as old as it is", usual, 1002.5, look(0, seen(0, 0)), look(1000, shaken(0, 0, 920))),
		live("knocks may fill all of a gap", usual, 1052.5, alive, look(1000, shaken(1000+3*initiation, 1000, 0))),
	})
}

// TestTheClockGoesBack and takes all that is measured along.
func TestTheClockGoesBack(t *testing.T) {
	check(t, []row{
		live("the silence moves along", passive, 32.5, alive, still(50), still(0)),
		live("long before 1970", passive, -2e9+32.5, alive, still(50), still(-2e9)),
		live("unanswered data moves along", passive, -40, alive, look(10, shaken(1000, 1000+data, 0)), look(20, shaken(1000, 1000+data, 0)), look(-60, shaken(1000, 1000+data, 0))),
		quiet("the last probe moves along", active, none, -83, alive, still(15), probed(18, true), still(20), still(-96)),
		live("a byte received", passive, -17.5, alive, still(50), look(-100, shaken(1001, 1000, 0))),
		live("a handshake: now", passive, -17.5, alive, still(50), look(-100, shaken(1000, 1000, 70))),
		live("the time for knocks moves along", passive, -67.5, alive, still(50), look(-100, blind), look(-95, shaken(1000+2*initiation, 1000, 0))),
		live("just before that", passive, -12.5-tick, alive, still(50), look(-100, blind), look(-95-tick, shaken(1000+2*initiation, 1000, 0))),
	})
}

// TestStateAnswers reports when things were.
func TestStateAnswers(t *testing.T) {
	k := newKernel(t, active)
	var s liveness.State
	if s.Live() || !s.Since().IsZero() || !s.LastProgress().IsZero() || !s.LastProbe().IsZero() {
		t.Errorf("a fresh state knows %v %v %v %v", s.Live(), s.Since(), s.LastProgress(), s.LastProbe())
	}
	s, d := k.Step(s, seen(0, 0), at(1))
	if s.Live() || d.Changed || !s.Since().Equal(at(1)) {
		t.Errorf("the first look: %v since %v, changed %v", s.Live(), s.Since(), d.Changed)
	}
	s, d = k.Step(k.Record(s, liveness.Outcome{Action: probe}, at(2)), seen(1, 0), at(3))
	if !s.Live() || !d.Changed || !s.Since().Equal(at(3)) || !s.LastProgress().Equal(at(3)) || !s.LastProbe().Equal(at(2)) {
		t.Errorf("got %v since %v, progress %v, probe %v", s.Live(), s.Since(), s.LastProgress(), s.LastProbe())
	}
	s, d = k.Step(s, seen(1, 0), at(8))
	if d.Changed || !s.Since().Equal(at(3)) || d.Silence != 5*time.Second {
		t.Errorf("nothing new: changed %v, since %v, silence %v", d.Changed, s.Since(), d.Silence)
	}
	s, _ = k.Step(s, seen(1, 0), at(-100))
	if !s.Since().Equal(at(3)) || !s.LastProgress().Equal(at(-105)) {
		t.Errorf("after a step back: since %v, progress %v", s.Since(), s.LastProgress())
	}
}

// TestARestoredStateGoesOn through JSON and under another kernel, which revives nobody.
func TestARestoredStateGoesOn(t *testing.T) {
	patient := with(passive, func(c *liveness.Config) { c.DeadAfter = time.Hour })
	for _, row := range []struct {
		name          string
		before, after liveness.Config
		looks         []event
		live          bool
		reason        liveness.Reason
	}{
		{"a live peer", passive, passive, []event{alive, still(50)}, true, liveness.ReasonLive},
		{"a live peer under a shorter window", patient, passive, []event{alive, still(100)}, false, liveness.ReasonSilent},
		{"a live peer under a longer window", passive, patient, []event{alive, still(80)}, true, liveness.ReasonLive},
		{"a dead peer under a longer window", passive, patient, []event{alive, still(90)}, false, liveness.ReasonSilent},
		{"one that was never heard", passive, active, []event{look(0, seen(0, 0))}, false, liveness.ReasonNeverHeard},
		{"one that failed its probes, now passive", active, patient, []event{alive, probed(15, true), probed(30, true), still(45)}, false, liveness.ReasonProbesFailed},
		{"one that knocked", passive, patient, []event{alive, look(20, shaken(1000+4*initiation, 1000, 0)), look(21, shaken(1000, 1000, 0))}, false, liveness.ReasonOneWay},
		{"one that was taken for live unjudged", disabled, passive, []event{alive, still(1)}, true, liveness.ReasonLive},
		{"and has never shown life", disabled, passive, []event{look(0, seen(0, 0))}, false, liveness.ReasonNeverHeard},
		{"a dead peer that is judged no longer", passive, disabled, []event{look(0, seen(0, 0))}, true, liveness.ReasonDisabled},
	} {
		t.Run(row.name, func(t *testing.T) {
			before, after := newKernel(t, row.before), newKernel(t, row.after)
			var s liveness.State
			for _, e := range row.looks {
				if e.record != nil {
					s = before.Record(s, *e.record, at(e.at))
				} else {
					s, _ = before.Step(s, e.obs, at(e.at))
				}
			}
			last := row.looks[len(row.looks)-1]
			s, d := after.Step(reread(t, s), last.obs, at(last.at))
			if d.Live != row.live || d.Reason != row.reason {
				t.Errorf("got live %v because %v", d.Live, d.Reason)
			}
			if again, next := after.Step(s, last.obs, at(last.at)); again.Live() != row.live || next.Changed {
				t.Errorf("and then live %v because %v", again.Live(), next.Reason)
			}
		})
	}
}

// reread is s as its JSON keeps it.
func reread(t failer, s liveness.State) liveness.State {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back liveness.State
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back != s {
		t.Fatal(string(text), "came back as another")
	}
	return back
}
