package supervise_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// TestTheWindow has a row at, just before and just after each end of the window and of the pause.
func TestTheWindow(t *testing.T) {
	cfg := supervise.Config{Window: 10 * time.Minute, MaxRestarts: 2, MaxGap: -1}
	pair := all(looks(30, 60, down), restarted(60, true), looks(90, 120, down), restarted(120, true), look(630, down)) // one more at 660
	most := supervise.Config{MaxRestarts: 16, Window: 16 * time.Minute, Confirm: 1, MaxGap: -1}
	check(t, []row{
		{"the last restart that is tried", supervise.Config{}, all(three[:len(three)-3], looks(150, 180, down)), restart, supervise.ReasonDown, 180, 2, 2},
		{"and the one that is not", supervise.Config{}, three, giveUp, supervise.ReasonCrashLoop, 240, 2, 3},
		{"a restart that failed counts", supervise.Config{MaxRestarts: 1}, all(looks(30, 60, down), restarted(60, false), looks(90, 120, down)), giveUp, supervise.ReasonCrashLoop, 120, 2, 1},
		{"one that was not recorded does not", supervise.Config{MaxRestarts: 1}, looks(30, 120, down), restart, supervise.ReasonDown, 120, 2, 0},

		{"just before a restart is as old as the window", cfg, all(pair, look(660-tick, down)), giveUp, supervise.ReasonCrashLoop, 660 - tick, 2, 2},
		{"a restart exactly as old still counts", cfg, all(pair, look(660, down)), giveUp, supervise.ReasonCrashLoop, 660, 2, 2},
		{"just after, it does not", cfg, all(pair, look(660+tick, down)), restart, supervise.ReasonDown, 660 + tick, 2, 1},
		{"who does not give up may restart once the window slides on", cfg, all(pair, look(660, down), look(690, down)), restart, supervise.ReasonDown, 690, 2, 1},

		{"fifteen of sixteen", most, sixteen(15), restart, supervise.ReasonDown, 930, 1, 15},
		{"sixteen of sixteen", most, sixteen(16), giveUp, supervise.ReasonCrashLoop, 990, 1, 16},
		{"the seventeenth pushes the first out", most, all(sixteen(16), restarted(990, true), look(1017, down)), giveUp, supervise.ReasonCrashLoop, 1017, 1, 16},

		{"the pause begins when giving up is recorded", supervise.Config{}, all(three, gaveUp(250, true), look(270, down)), none, supervise.ReasonPaused, 2050, 2, 3},
		{"also when it failed", supervise.Config{}, all(three, gaveUp(250, false), look(270, down)), none, supervise.ReasonPaused, 2050, 2, 3},
		{"who does not give up is told again", supervise.Config{}, all(three, look(241, down)), giveUp, supervise.ReasonCrashLoop, 241, 2, 3},
		{"just before its end", supervise.Config{}, all(paused, looks(270, 2010, down), look(2040-tick, down)), none, supervise.ReasonPaused, 2040, 2, 0},
		{"at its end, in the same step", supervise.Config{}, all(paused, looks(270, 2010, down), look(2040, down)), restart, supervise.ReasonDown, 2040, 2, 0},
		{"just after its end", supervise.Config{}, all(paused, looks(270, 2010, down), look(2040+tick, down)), restart, supervise.ReasonDown, 2040 + tick, 2, 0},
		{"failures during a pause do not extend it", supervise.Config{}, all(paused, look(250, blind), looks(270, 2040, down)), restart, supervise.ReasonDown, 2040, 2, 0},
		{"at its end the target must be confirmed to be down", supervise.Config{}, all(paused, looks(270, 2010, down), look(2020, blind), look(2040, down)), none, supervise.ReasonConfirming, 2067, 1, 0},
		{"a pause shorter than the window leaves it empty", supervise.Config{Pause: time.Minute}, all(paused, looks(270, 300, down)), restart, supervise.ReasonDown, 300, 2, 0},
		{"and the count begins anew", supervise.Config{Pause: time.Minute}, all(paused, looks(270, 300, down), restarted(300, true), looks(330, 360, down)), restart, supervise.ReasonDown, 360, 2, 1},
	})
}

// sixteen is n restarts, each at the end of the minute in which it was decided, and the look after them.
func sixteen(n int) (events []event) {
	for i := range n {
		at := float64(30 + 60*i)
		events = append(events, look(at, down), restarted(at, true))
	}
	return append(events, look(float64(30+60*n), down))
}

// loops is what a state says of crash loops.
func loops(s supervise.State) string {
	return fmt.Sprintf("%v %v", sinceStart(s.CrashLoopSince()), sinceStart(s.LastCrashLoop()))
}

// sinceStart is a time as the tables write it: "-" while there is none.
func sinceStart(at time.Time) string {
	if at.IsZero() {
		return "-"
	}
	return fmt.Sprint(at.Sub(start).Seconds())
}

// TestCrashLoop follows when one began and when the last one did, through what ends it and what does not.
func TestCrashLoop(t *testing.T) {
	again := all(paused, looks(270, 2040, down), restarted(2040, true), looks(2070, 2100, down), restarted(2100, true),
		looks(2130, 2160, down), restarted(2160, true), looks(2190, 2220, down))
	for _, r := range []struct {
		name   string
		events []event
		want   string
	}{
		{"none before the first give up", three, "- -"},
		{"it begins with the first one", all(three, gaveUp(250, true)), "250 250"},
		{"also with one that failed", all(three, gaveUp(250, false)), "250 250"},
		{"the end of a pause does not end it", all(paused, looks(270, 2040, down)), "240 240"},
		{"nor does a restart that works", all(paused, looks(270, 2040, down), restarted(2040, true), looks(2070, 2640, running)), "240 240"},
		{"a second give up is told", again, "240 240"},
		{"and is no new event", all(again, gaveUp(2220, true)), "240 240"},
		{"just before health", all(paused, looks(270, 840, running), look(870-tick, running)), "240 240"},
		{"health ends it, and the last one is kept", all(paused, looks(270, 870, running)), "- 240"},
		{"a new generation ends it too", all(paused, look(270, gen(down, "a")), look(300, gen(down, "b"))), "- 240"},
		{"the first generation is adopted", all(paused, look(270, gen(down, "a"))), "240 240"},
		{"a new run does not", all(paused, look(270, run(down, "a")), look(300, run(down, "b"))), "240 240"},
		{"the next one is a new event", all(paused, looks(270, 870, running), gaveUp(3000, true)), "3000 3000"},
		{"after a new generation as well", all(paused, look(270, gen(down, "a")), look(300, gen(down, "b")), gaveUp(400, true)), "400 400"},
		{"one that comes back from a gap is the same", all(paused, look(1000, down), gaveUp(1001, true)), "240 240"},
	} {
		t.Run(r.name, func(t *testing.T) {
			if _, s, _ := play(t, supervise.Config{}, r.events); loops(s) != r.want {
				t.Errorf("got %s, want %s", loops(s), r.want)
			}
		})
	}
}

// drive sweeps a target that is always down, at times that tick gives one after the other, for as long as until. It
// lists the actions, which take as long as takes and all end as ok says.
func drive(k *supervise.Kernel, sweep func() time.Duration, until, takes time.Duration, ok bool) string {
	var s supervise.State
	var actions []string
	var now, free time.Duration
	for now = sweep(); now <= until; now += sweep() {
		if now < free {
			continue // a busy loop does not look
		}
		var d supervise.Decision
		if s, d = k.Step(s, down, start.Add(now)); acting(d) {
			actions = append(actions, fmt.Sprintf("%v@%g", d.Action, now.Seconds()))
			free = now + takes
			s = k.Record(s, supervise.Outcome{Action: d.Action, OK: ok}, start.Add(free))
		}
	}
	return strings.Join(actions, " ")
}

func every30() time.Duration { return 30 * time.Second }

// TestVerification is the timings that the rules were made for: a target that is down for good, swept every 30 s.
func TestVerification(t *testing.T) {
	const twice = "restart@60 restart@120 restart@180 give_up@240 restart@2040 restart@2100 restart@2160 give_up@2220 restart@4020"
	for _, r := range []struct {
		name  string
		cfg   supervise.Config
		takes time.Duration
		ok    bool
		want  string
	}{
		{"restarts that do not help", supervise.Config{}, 0, true, twice},
		{"restarts that fail", supervise.Config{}, 0, false, twice},
		{
			"restarts that take as long as the tickers may jitter",
			supervise.Config{},
			3 * time.Second, true,
			"restart@60 restart@120 restart@180 give_up@240 restart@2070 restart@2130 restart@2190 give_up@2250",
		},
		{
			"restarts that take longer are spaced from their ends",
			supervise.Config{},
			4 * time.Second, true,
			"restart@60 restart@150 restart@240 give_up@330 restart@2160 restart@2250 restart@2340 give_up@2430",
		},
		{
			"one sighting, one restart",
			supervise.Config{Confirm: 1, MaxRestarts: 1, Window: 30 * time.Second},
			0, true,
			"restart@30 give_up@60 restart@1860 give_up@1890 restart@3690 give_up@3720",
		},
		{"a window that just fills", supervise.Config{Window: 3 * time.Minute}, 0, true, twice},
		{
			"a short pause",
			supervise.Config{MaxRestarts: 2, Pause: 20 * time.Minute},
			0, true,
			"restart@60 restart@120 give_up@180 restart@1380 restart@1440 give_up@1500 restart@2700 restart@2760 give_up@2820 restart@4020",
		},
	} {
		t.Run(r.name, func(t *testing.T) {
			if got := drive(newKernel(t, r.cfg), every30, 4050*time.Second, r.takes, r.ok); got != r.want {
				t.Errorf("got  %s\nwant %s", got, r.want)
			}
		})
	}
}

// TestTickersMayJitter sweeps every 28 to 32 s: each sweep counts, and so the actions come at the same sweeps.
func TestTickersMayJitter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var times []time.Duration
		var now time.Duration
		sweep := func() time.Duration {
			wait := time.Duration(rapid.Int64Range(int64(28*time.Second), int64(32*time.Second)).Draw(t, "sweep"))
			now += wait
			times = append(times, now)
			return wait
		}
		got := strings.Fields(drive(newKernel(t, supervise.Config{}), sweep, 2200*time.Second, 0, true))
		ends := 8 // the first sweep at which the pause is over
		for ends < len(times) && times[ends] < times[7]+30*time.Minute {
			ends++
		}
		for i, sweep := range []int{1, 3, 5, 7, ends, ends + 2} {
			want := []string{"restart", "restart", "restart", "give_up", "restart", "restart"}[i] + fmt.Sprintf("@%g", times[sweep].Seconds())
			if i >= len(got) || got[i] != want {
				t.Fatalf("got %v, want %s as number %d", got, want, i+1)
			}
		}
	})
}
