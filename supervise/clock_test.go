package supervise_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// TestIDs is of runs and generations: the first ones are adopted, and later ones mean what they say.
func TestIDs(t *testing.T) {
	cfg := supervise.Config{}
	check(t, []row{
		{"the first run is adopted", cfg, all(look(0, down), look(30, run(down, "a"))), restart, supervise.ReasonDown, 30, 2, 0},
		{"the same run is no news", cfg, all(look(0, run(down, "a")), look(30, run(down, "a"))), restart, supervise.ReasonDown, 30, 2, 0},
		{"a run that is not known is no news", cfg, all(look(0, run(down, "a")), look(30, down), look(60, run(down, "a"))), restart, supervise.ReasonDown, 60, 2, 0},
		{"a new run starts confirmation again", cfg, all(look(0, run(down, "a")), look(30, run(down, "b"))), none, supervise.ReasonConfirming, 57, 1, 0},
		{"also after a look that did not know it", cfg, all(look(0, run(down, "a")), look(30, down), look(60, run(down, "b"))), none, supervise.ReasonConfirming, 87, 1, 0},
		{"one that comes back is new", cfg, all(look(0, run(down, "a")), look(30, run(down, "b")), look(60, run(down, "a"))), none, supervise.ReasonConfirming, 87, 1, 0},
		{"a new run keeps the spacing", cfg, all(look(0, run(down, "a")), restarted(0, true), look(27-tick, run(down, "b"))), none, supervise.ReasonConfirming, 27, 0, 1},
		{"a new run keeps the restarts", cfg, all(look(30, run(down, "a")), three, look(270, run(down, "b")), look(300, run(down, "b"))), giveUp, supervise.ReasonCrashLoop, 300, 2, 3},
		{"and the pause", cfg, all(look(30, run(down, "a")), paused, look(270, run(down, "b")), look(300, run(down, "b"))), none, supervise.ReasonPaused, 2040, 2, 3},

		{"the first generation is adopted", cfg, all(three, look(240, gen(down, "a"))), giveUp, supervise.ReasonCrashLoop, 240, 2, 3},
		{"the same generation is no news", cfg, all(look(0, gen(down, "a")), look(30, gen(down, "a"))), restart, supervise.ReasonDown, 30, 2, 0},
		{"a generation that is not known is no news", cfg, all(look(0, gen(down, "a")), look(30, down), look(60, gen(down, "a"))), restart, supervise.ReasonDown, 60, 2, 0},
		{"a new generation has no sightings", cfg, all(look(0, gen(down, "a")), look(30, gen(down, "b"))), none, supervise.ReasonConfirming, 57, 1, 0},
		{"no restarts, and no spacing", cfg, all(look(30, gen(down, "a")), three[:len(three)-2], look(181, gen(down, "b")), look(208, gen(down, "b"))), restart, supervise.ReasonDown, 208, 2, 0},
		{"no pause", cfg, all(look(30, gen(down, "a")), paused, look(270, gen(down, "b")), look(300, gen(down, "b"))), restart, supervise.ReasonDown, 300, 2, 0},
		{"no health", supervise.Config{ResetAfter: time.Minute}, all(look(0, gen(running, "a")), looks(30, 60, running), look(90, gen(running, "b")), restarted(100, true), look(110, running)), none, supervise.ReasonRecovering, 150, 0, 1},
		{"no crash loop", cfg, all(look(30, gen(down, "a")), paused, look(270, gen(running, "b"))), none, supervise.ReasonRunning, noNext, 0, 0},
		{"and its first run is adopted", cfg, all(look(0, gen(run(down, "a"), "a")), look(30, gen(down, "b")), look(60, run(down, "b"))), restart, supervise.ReasonDown, 60, 2, 0},
		{"a new one is seen while the status is unknown", cfg, all(look(30, gen(down, "a")), paused, look(270, gen(blind, "b")), looks(300, 330, down)), restart, supervise.ReasonDown, 330, 2, 0},
		{"and while it is not ours", cfg, all(look(30, gen(down, "a")), paused, look(270, gen(notOurs, "b")), looks(300, 330, down)), restart, supervise.ReasonDown, 330, 2, 0},
		{"ids without a status cause nothing", cfg, all(look(0, gen(run(blind, "a"), "a"))), none, supervise.ReasonUnknown, noNext, 0, 0},
	})
}

// TestGaps has a row at, just before and just after max_gap, and what a longer one leaves alone.
func TestGaps(t *testing.T) {
	cfg := supervise.Config{}
	check(t, []row{
		{"just below max_gap", cfg, all(look(0, down), look(90-tick, down)), restart, supervise.ReasonDown, 90 - tick, 2, 0},
		{"at max_gap", cfg, all(look(0, down), look(90, down)), restart, supervise.ReasonDown, 90, 2, 0},
		{"just above it sightings start again", cfg, all(look(0, down), look(90+tick, down)), none, supervise.ReasonConfirming, 117 + tick, 1, 0},
		{"also those that had been enough", cfg, all(looks(0, 30, down), look(1000, down)), none, supervise.ReasonConfirming, 1027, 1, 0},
		{"and one that is enough is seen at once", supervise.Config{Confirm: 1}, all(look(0, down), look(1000, down)), restart, supervise.ReasonDown, 1000, 1, 0},
		{"no gap is too long", supervise.Config{MaxGap: -1}, all(look(0, down), look(1e6, down)), restart, supervise.ReasonDown, 1e6, 2, 0},
		{"of one's own", supervise.Config{MaxGap: 40 * time.Second}, all(look(0, down), look(40+tick, down)), none, supervise.ReasonConfirming, 67 + tick, 1, 0},
		{"three sweeps unless it is given", supervise.Config{SweepInterval: 10 * time.Second}, all(look(0, down), look(30+tick, down)), none, supervise.ReasonConfirming, 39 + tick, 1, 0},
		{"a restart that took long is watched", cfg, all(looks(30, 60, down), restarted(1000, true), look(1030, down)), none, supervise.ReasonConfirming, 1057, 1, 1},
		{"so is an outcome of nothing", cfg, all(look(0, down), event{at: 90, record: &supervise.Outcome{}}, look(180, down)), restart, supervise.ReasonDown, 180, 2, 0},
		{"the window slides through a gap", cfg, all(three, looks(1100, 1130, down)), restart, supervise.ReasonDown, 1130, 2, 0},
		{"the pause ends in a gap", cfg, all(paused, looks(3000, 3030, down)), restart, supervise.ReasonDown, 3030, 2, 0},
		{"the spacing ends in a gap", cfg, all(looks(30, 60, down), restarted(60, true), look(1000, down)), none, supervise.ReasonConfirming, 1027, 1, 0},
	})
}

// TestTheClockGoesBack has each instant that is measured from move along, as if no time had passed.
func TestTheClockGoesBack(t *testing.T) {
	cfg := supervise.Config{}
	check(t, []row{
		{"a sighting moves along", cfg, all(look(1000, down), look(1010, down), look(10, down)), none, supervise.ReasonConfirming, 27, 1, 0},
		{"and the step is no sighting", cfg, all(look(1000, down), look(999, down), look(998, down)), none, supervise.ReasonConfirming, 998 + spacing, 1, 0},
		{"so does the spacing", cfg, all(look(1000, down), restarted(1000, true), look(0, down)), none, supervise.ReasonConfirming, 27, 0, 1},
		{"health moves along", cfg, all(restarted(1000, true), look(1030, running), look(1090, running), look(0, running)), none, supervise.ReasonRecovering, 540, 0, 1},
		{"and is whole across the step", cfg, all(restarted(1000, true), look(1030, running), look(0, running), looks(30, 600, running)), none, supervise.ReasonRunning, noNext, 0, 0},
		{"the last look that saw it run moves along", cfg, all(restarted(1000, true), look(1030, running), look(1060, guarded(running, supervise.GuardNotOurs)), look(0, guarded(running, supervise.GuardNotOurs)), look(60+tick, running)), none, supervise.ReasonRecovering, 660 + tick, 0, 1},
		{"the pause moves along", cfg, all(paused, look(240, down), look(0, down)), none, supervise.ReasonPaused, 1800, 2, 3},
		{"restarts move along", supervise.Config{MaxGap: -1}, all(three, look(0, down), look(720, down)), giveUp, supervise.ReasonCrashLoop, 720, 2, 3},
		{"and leave the window when they should", supervise.Config{MaxGap: -1}, all(three, look(0, down), look(720+tick, down)), restart, supervise.ReasonDown, 720 + tick, 2, 2},
		{"back while a restart ran", cfg, all(looks(930, 960, down), restarted(60, true), look(87, down)), none, supervise.ReasonConfirming, 87 + spacing, 1, 1},
		{"back while giving up was told", cfg, all(three, gaveUp(100, true), look(130, down)), none, supervise.ReasonPaused, 1900, 2, 3},
		{"a step is no gap", cfg, all(looks(1e6, 1e6+30, down), look(0, down)), restart, supervise.ReasonDown, 0, 2, 0},
	})
}

// TestTheClockGoesBackWhatIsReportedStays is of the times that consumers watch.
func TestTheClockGoesBackWhatIsReportedStays(t *testing.T) {
	_, s, d := play(t, supervise.Config{}, all(three[:len(three)-3], restarted(180, false), looks(210, 240, down), gaveUp(240, true), look(-1000, down)))
	if !s.LastRestart().Equal(at(180)) || !s.LastFailedRestart().Equal(at(180)) || loops(s) != "240 240" {
		t.Errorf("the clock moved %v %v %s", s.LastRestart(), s.LastFailedRestart(), loops(s))
	}
	if d.Reason != supervise.ReasonPaused || !d.Next.Equal(at(800)) {
		t.Errorf("got %+v", d)
	}
}

// TestExtremeTimesSaturate takes a kernel to both ends of what an instant can hold, and beyond.
func TestExtremeTimesSaturate(t *testing.T) {
	k := newKernel(t, supervise.Config{Pause: 1<<63 - 1, Window: 1<<63 - 1, ResetAfter: 1<<63 - 1, MaxGap: -1})
	var s supervise.State
	for _, now := range []time.Time{{}, time.Unix(0, 0), time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), {}} {
		for _, obs := range []supervise.Observation{down, running, blind} {
			var d supervise.Decision
			s, d = k.Step(s, obs, now)
			checkValid(t, k, d, now)
			s = k.Record(s, supervise.Outcome{Action: giveUp}, now)
			s = k.Record(s, supervise.Outcome{Action: restart}, now)
		}
	}
}
