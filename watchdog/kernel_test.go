package watchdog_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// event is a look at a time, or the record of a ping.
type event struct {
	at     float64
	obs    watchdog.Observation
	record *watchdog.Outcome
}

func beat(at float64, name string) event { return event{at: at, obs: by(name)} }

func quiet(at float64) event { return event{at: at} }

func sent(at float64, ok bool) event {
	return event{at: at, record: &watchdog.Outcome{Action: ping, OK: ok}}
}

// the names that the tables use
const (
	ping = watchdog.ActionPing
	none = watchdog.ActionNone
	tick = 1e-9
)

// noNext stands for a decision that only something new can change.
var noNext = math.NaN()

// row is a timeline, and what is to be decided at its last event.
type row struct {
	name   string
	cfg    watchdog.Config
	events []event
	action watchdog.Action
	reason watchdog.Reason
	next   float64
}

// play runs a timeline and gives what it ends with.
func play(t *testing.T, cfg watchdog.Config, events []event) (k *watchdog.Kernel, s watchdog.State, d watchdog.Decision) {
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

// check plays a row and gives what was decided at its end.
func (r row) check(t *testing.T) watchdog.Decision {
	t.Helper()
	k, s, d := play(t, r.cfg, r.events)
	var want time.Time
	if !math.IsNaN(r.next) {
		want = at(r.next)
	}
	if d.Action != r.action || d.Reason != r.reason || !d.Next.Equal(want) {
		t.Errorf("got %v because %v, next %v; want %v because %v, next %v", d.Action, d.Reason, d.Next, r.action, r.reason, want)
	}
	why := k.Explain(s, d)
	if !strings.HasPrefix(why, d.Reason.String()+": ") || strings.Contains(why, "%!") {
		t.Errorf("explained as %q", why)
	}
	return d
}

// TestDecisions has a row at, just before and just after each boundary of what is not withheld.
func TestDecisions(t *testing.T) {
	tight := watchdog.Config{Timeout: 80 * time.Second, Sources: []watchdog.Source{{Name: "main", Budget: 5 * time.Second}}}
	for _, r := range []row{
		{"no timeout", watchdog.Config{}, []event{beat(0, "main")}, none, watchdog.ReasonOff, noNext},
		{"a negative timeout", watchdog.Config{Timeout: -1}, []event{beat(0, "main")}, none, watchdog.ReasonOff, noNext},
		{"off, whoever is late", watchdog.Config{Sources: pair.Sources, MaxGap: -1}, []event{beat(0, "a"), beat(1000, "b")}, none, watchdog.ReasonOff, noNext},

		{"nobody beats", one, []event{quiet(7)}, none, watchdog.ReasonNoBeat, 87},
		{"nobody beats, though a ping is due", one, []event{beat(0, "main"), quiet(40)}, none, watchdog.ReasonNoBeat, 80},
		{"nobody beats: the first that is late comes next", pair, []event{beat(0, "b"), beat(10, "a"), quiet(15)}, none, watchdog.ReasonNoBeat, 40},
		{"nobody beats: whichever of them that is", pair, []event{beat(0, "b"), beat(25, "a"), quiet(26)}, none, watchdog.ReasonNoBeat, 50},
		{"a stranger is nobody", one, []event{beat(0, "stranger")}, none, watchdog.ReasonNoBeat, 80},
		{"a stranger's beat is nobody's", one, []event{beat(0, "main"), beat(40, "stranger")}, none, watchdog.ReasonNoBeat, 80},

		{"the first beat pings", one, []event{beat(0, "main")}, ping, watchdog.ReasonBeat, 0},
		{"who does not ping is told again", one, []event{beat(0, "main"), beat(1, "main")}, ping, watchdog.ReasonBeat, 1},
		{"any loop may ping", pair, []event{beat(0, "b")}, ping, watchdog.ReasonBeat, 0},
		{"an outcome of nothing changes nothing", one, []event{beat(0, "main"), {at: 5, record: &watchdog.Outcome{OK: true}}, beat(6, "main")}, ping, watchdog.ReasonBeat, 6},

		{"just before a quarter of the timeout", one, []event{beat(0, "main"), sent(0, true), beat(20-tick, "main")}, none, watchdog.ReasonRecent, 20},
		{"at a quarter of the timeout", one, []event{beat(0, "main"), sent(0, true), beat(20, "main")}, ping, watchdog.ReasonBeat, 20},
		{"just after a quarter of the timeout", one, []event{beat(0, "main"), sent(0, true), beat(20+tick, "main")}, ping, watchdog.ReasonBeat, 20 + tick},
		{"failed, just before an eighth of it", one, []event{beat(0, "main"), sent(0, false), beat(10-tick, "main")}, none, watchdog.ReasonRecent, 10},
		{"failed, at an eighth of it", one, []event{beat(0, "main"), sent(0, false), beat(10, "main")}, ping, watchdog.ReasonBeat, 10},
		{"failed, just after an eighth of it", one, []event{beat(0, "main"), sent(0, false), beat(10+tick, "main")}, ping, watchdog.ReasonBeat, 10 + tick},
		{"from the end of the send", one, []event{beat(0, "main"), sent(7, true), beat(26, "main")}, none, watchdog.ReasonRecent, 27},
		{"sent, then failed soon: the good one counts", one, []event{beat(0, "main"), sent(0, true), sent(5, false), beat(16, "main")}, none, watchdog.ReasonRecent, 20},
		{"sent, then failed late: the failed one counts", one, []event{beat(0, "main"), sent(0, true), sent(20, false), beat(25, "main")}, none, watchdog.ReasonRecent, 30},
		{"both at once over", one, []event{beat(0, "main"), sent(0, true), sent(10, false), beat(20, "main")}, ping, watchdog.ReasonBeat, 20},
		{"failed, then sent", one, []event{beat(0, "main"), sent(0, false), sent(10, true), beat(25, "main")}, none, watchdog.ReasonRecent, 30},
		{"a ping before the first look", one, []event{sent(0, true), beat(5, "main")}, none, watchdog.ReasonRecent, 20},

		{"recent: another loop may be late before the next ping", pair, []event{beat(0, "b"), beat(0, "a"), beat(40, "a"), sent(40, true), beat(45, "a")}, none, watchdog.ReasonRecent, 50},
		{"recent: the loop that goes on beating is never late", tight, []event{beat(0, "main"), sent(0, true), beat(1, "main")}, none, watchdog.ReasonRecent, 20},
		{"a beat that comes late still counts", one, []event{beat(0, "main"), beat(1000, "main")}, ping, watchdog.ReasonBeat, 1000},

		{"a ping is due on unwatched time too", with(one, 5*time.Second), []event{beat(0, "main"), sent(0, true), beat(20, "main")}, ping, watchdog.ReasonBeat, 20},
		{"the largest gap counts whole", with(pair, 20*time.Second), []event{quiet(0), quiet(20)}, none, watchdog.ReasonNoBeat, 30},
		{"just above it, the excess does not count", with(pair, 20*time.Second), []event{quiet(0), quiet(20 + tick)}, none, watchdog.ReasonNoBeat, 30 + tick},
		{"nor far above it", with(pair, 20*time.Second), []event{beat(0, "a"), beat(0, "b"), quiet(1000)}, none, watchdog.ReasonNoBeat, 1010},
		{"a stopped program goes on", with(pair, 20*time.Second), []event{beat(0, "a"), beat(0, "b"), beat(1000, "a")}, ping, watchdog.ReasonBeat, 1000},
		{"a largest gap that is not given is the timeout", watchdog.Config{Timeout: 80 * time.Second, Sources: []watchdog.Source{{Name: "a", Budget: 200 * time.Second}}}, []event{quiet(0), quiet(1000)}, none, watchdog.ReasonNoBeat, 1120},

		{"the clock goes back: a silence moves along", one, []event{beat(1000, "main"), quiet(1010), quiet(10)}, none, watchdog.ReasonNoBeat, 80},
		{"the clock goes back: so does one without a beat", one, []event{quiet(1000), quiet(1010), quiet(10)}, none, watchdog.ReasonNoBeat, 80},
		{"the clock goes back: a good ping moves along", one, []event{beat(1000, "main"), sent(1000, true), beat(100, "main")}, none, watchdog.ReasonRecent, 120},
		{"the clock goes back: a failed one too", one, []event{beat(1000, "main"), sent(1000, false), beat(100, "main")}, none, watchdog.ReasonRecent, 110},
		{"the clock goes back while a ping is sent", one, []event{beat(1000, "main"), sent(500, true), beat(505, "main")}, none, watchdog.ReasonRecent, 520},
	} {
		t.Run(r.name, func(t *testing.T) {
			if d := r.check(t); d.Late != "" || d.Overdue != 0 {
				t.Errorf("names %q as late by %v", d.Late, d.Overdue)
			}
		})
	}
}

// TestWithheld has a row at, just before and just after each end of a budget: in whose name the ping is withheld, if it
// is.
func TestWithheld(t *testing.T) {
	swapped := pair
	swapped.Sources = []watchdog.Source{pair.Sources[1], pair.Sources[0]}
	fed := []event{beat(0, "b"), beat(10, "a"), beat(20, "a"), beat(30, "a"), beat(40, "a")}
	upTo := func(last ...event) []event { return append(slices.Clip(fed), last...) }
	for _, r := range []struct {
		name    string
		cfg     watchdog.Config
		events  []event
		late    string
		overdue float64
	}{
		{"never beaten, just before the budget", one, []event{quiet(7), quiet(87 - tick)}, "", 0},
		{"never beaten, at the budget since the first look", one, []event{quiet(7), quiet(87)}, "main", 0},
		{"never beaten, just after the budget", one, []event{quiet(7), quiet(47), quiet(87 + tick)}, "main", tick},
		{"a ping recorded before the first look begins no silence", one, []event{sent(0, true), quiet(50), quiet(130 - tick)}, "", 0},
		{"the other one has never beaten", pair, []event{beat(0, "a"), beat(25, "a"), beat(50, "a")}, "b", 0},

		{"the other one, just before its budget", pair, upTo(beat(50-tick, "a")), "", 0},
		{"the other one, at its budget", pair, upTo(beat(50, "a")), "b", 0},
		{"the other one, just after its budget", pair, upTo(beat(50+tick, "a")), "b", tick},
		{"nobody else's beat helps", pair, upTo(beat(50, "a"), beat(60, "a"), beat(70, "a")), "b", 20},
		{"nor a stranger's", one, []event{beat(0, "main"), beat(80, "stranger")}, "main", 0},
		{"nor a look without one", pair, upTo(beat(50, "a"), quiet(51)), "b", 1},
		{"the beat of the late loop ends it", pair, upTo(beat(50, "a"), beat(60, "b")), "", 0},
		{"for the others as well", pair, upTo(beat(50, "a"), beat(60, "b"), beat(61, "a")), "", 0},
		{"unless another is late meanwhile", pair, upTo(beat(50, "a"), beat(81, "b")), "a", 1},
		{"a recent ping makes no difference", pair, upTo(sent(45, true), beat(50, "a")), "b", 0},

		{"the most overdue is named: by the budget", pair, []event{beat(0, "a"), beat(0, "b"), quiet(60)}, "a", 30},
		{"the most overdue is named: by the beat", pair, upTo(quiet(75)), "b", 25},
		{"of two as late, the first is named", pair, []event{beat(0, "b"), beat(20, "a"), quiet(60)}, "a", 10},
		{"whichever of them that is", swapped, []event{beat(0, "b"), beat(20, "a"), quiet(60)}, "b", 10},

		{"each gap forgives its own excess alone", with(pair, 20*time.Second), []event{quiet(0), quiet(100), quiet(200)}, "a", 10},
		{"a gap ends no silence", with(pair, 20*time.Second), []event{quiet(0), quiet(15), quiet(30), quiet(1000)}, "a", 20},
		{"the time of a send is watched", with(pair, 20*time.Second), []event{beat(0, "a"), sent(40, true), quiet(40)}, "a", 10},
		{"the clock goes back: who is late stays so", pair, upTo(beat(60, "a"), beat(7, "a")), "b", 10},

		{"the last of eight", eight(), append(allBut("h"), beat(17, "a")), "h", 0},
		{"the last of eight, just before", eight(), append(allBut("h"), beat(17-tick, "a")), "", 0},
		{"the first of eight", eight(), append(allBut("a"), beat(11, "b")), "a", 1},
	} {
		t.Run(r.name, func(t *testing.T) {
			want := row{cfg: r.cfg, events: r.events, action: none, reason: watchdog.ReasonWithheld, next: noNext}
			if r.late == "" {
				checkNotWithheld(t, want)
				return
			}
			if d := want.check(t); d.Late != r.late || d.Overdue != secs(r.overdue) {
				t.Errorf("got %s late by %v, want %s by %v", d.Late, d.Overdue, r.late, secs(r.overdue))
			}
		})
	}
}

// allBut begins with a look at 0, and lets all of the eight loops but one beat at 9.
func allBut(name string) []event {
	events := []event{quiet(0)}
	for _, source := range eight().Sources {
		if source.Name != name {
			events = append(events, beat(9, source.Name))
		}
	}
	return events
}

// checkNotWithheld plays a row at whose end nobody is late.
func checkNotWithheld(t *testing.T, r row) {
	t.Helper()
	last := r.events[len(r.events)-1]
	r.action, r.reason, r.next = ping, watchdog.ReasonBeat, last.at
	if last.obs == nobody {
		end := r.events[len(r.events)-2].at + r.cfg.Timeout.Seconds() // of the one look before
		r.action, r.reason, r.next = none, watchdog.ReasonNoBeat, end
	}
	if d := r.check(t); d.Late != "" || d.Overdue != 0 {
		t.Errorf("names %q as late by %v", d.Late, d.Overdue)
	}
}

func TestStateAnswers(t *testing.T) {
	k := newKernel(t, one)
	var s watchdog.State
	if !s.LastPing().IsZero() || !s.LastFailed().IsZero() {
		t.Errorf("a fresh state knows %v %v", s.LastPing(), s.LastFailed())
	}
	s = k.Record(s, watchdog.Outcome{Action: ping, OK: true}, at(5))
	s = k.Record(s, watchdog.Outcome{Action: ping}, at(6))
	s, _ = k.Step(s, by("main"), at(7))
	if !s.LastPing().Equal(at(5)) || !s.LastFailed().Equal(at(6)) {
		t.Errorf("got %v %v", s.LastPing(), s.LastFailed())
	}
}

// TestExplanationsHaveTheirNumbers has one row for each sentence.
func TestExplanationsHaveTheirNumbers(t *testing.T) {
	for _, r := range []struct {
		cfg    watchdog.Config
		events []event
		want   string
	}{
		{watchdog.Config{}, []event{quiet(0)}, "off: the service manager expects no ping"},
		{pair, []event{quiet(0), quiet(31)}, "withheld: a has been silent for 31s, limit 30s; only its beat brings the pings back"},
		{one, []event{quiet(0), quiet(30)}, "no_beat: no loop beats now; the first is late in 50s"},
		{one, []event{sent(0, true), beat(3, "main")}, "recent: the last ping was sent 3s ago, one is due each 20s; something changes in 17s"},
		{one, []event{sent(0, false), beat(3, "main")}, "recent: a ping failed 3s ago, tried again after 10s; something changes in 7s"},
		{one, []event{beat(0, "main")}, "beat: a loop beats and none is late; no ping was sent yet; ping now"},
		{one, []event{sent(0, true), beat(25, "main")}, "beat: a loop beats and none is late; the last ping was sent 25s ago, one is due each 20s; ping now"},
	} {
		k, s, d := play(t, r.cfg, r.events)
		if got := k.Explain(s, d); got != r.want {
			t.Errorf("got  %s\nwant %s", got, r.want)
		}
	}
	if got := newKernel(t, one).Explain(watchdog.State{}, watchdog.Decision{}); got != "reason(0): no decision of this kernel" {
		t.Errorf("no decision is explained as %q", got)
	}
}
