package liveness_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// event is a look at a time, or the record of a probe.
type event struct {
	at     float64
	obs    liveness.Observation
	record *liveness.Outcome
}

func look(at float64, obs liveness.Observation) event { return event{at: at, obs: obs} }

func probed(at float64, ok bool) event {
	return event{at: at, record: &liveness.Outcome{Action: probe, OK: ok}}
}

// alive is a first look that takes the peer for live, with 1000 bytes on either counter and progress at second 0.
var alive = look(0, shaken(1000, 1000, 0))

// noNext stands for a decision that only something new can change.
var noNext = math.NaN()

// row is a life and what is decided at the look that ends it.
type row struct {
	name   string
	cfg    liveness.Config
	events []event
	live   bool
	action liveness.Action
	reason liveness.Reason
	next   float64
}

// live and dead are rows without an action.
func live(name string, cfg liveness.Config, next float64, events ...event) row {
	return row{name, cfg, events, true, none, liveness.ReasonLive, next}
}

func dead(name string, cfg liveness.Config, reason liveness.Reason, events ...event) row {
	return row{name, cfg, events, false, none, reason, noNext}
}

// check lives each row and compares the last decision.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			k := newKernel(t, row.cfg)
			var s liveness.State
			var d liveness.Decision
			for _, e := range row.events {
				if e.record != nil {
					s = k.Record(s, *e.record, at(e.at))
				} else {
					s, d = k.Step(s, e.obs, at(e.at))
				}
			}
			want := time.Time{}
			if !math.IsNaN(row.next) {
				want = at(row.next)
			}
			if d.Live != row.live || d.Action != row.action || d.Reason != row.reason || !d.Next.Equal(want) {
				t.Errorf("got live %v, %v because %v, next %v; want live %v, %v because %v, next %v",
					d.Live, d.Action, d.Reason, d.Next, row.live, row.action, row.reason, want)
			}
			if s.Live() != d.Live {
				t.Errorf("the state says live %v, the decision %v", s.Live(), d.Live)
			}
			checkExplained(t, k, s, d)
		})
	}
}

// checkExplained wants a sentence that begins with the verdict, and names the probe where one is due.
func checkExplained(t *testing.T, k *liveness.Kernel, s liveness.State, d liveness.Decision) {
	t.Helper()
	verdict := "dead: "
	if d.Live {
		verdict = "live: "
	}
	why := k.Explain(s, d)
	if !strings.HasPrefix(why, verdict) || strings.Contains(why, "%!") || strings.Contains(why, "no decision of this kernel") {
		t.Errorf("explained as %q", why)
	}
	if strings.Contains(why, "probe now") != (d.Action == probe) {
		t.Errorf("%v explained as %q", d.Action, why)
	}
}

// with is cfg after change.
func with(cfg liveness.Config, change func(*liveness.Config)) liveness.Config {
	change(&cfg)
	return cfg
}

// TestAPeerDiesAtItsWindow has a row at, just before and just after each of the four windows.
func TestAPeerDiesAtItsWindow(t *testing.T) {
	after := with(passive, func(c *liveness.Config) { c.DeadAfter = 75 * time.Second })
	idle := with(passive, func(c *liveness.Config) { c.Keepalive = -1 })
	patient := with(passive, func(c *liveness.Config) { c.Keepalive, c.IdleWindow = -1, 40*time.Second })
	both := with(passive, func(c *liveness.Config) { c.LocalKeepalive = 25 * time.Second })
	about := with(passive, func(c *liveness.Config) { c.LocalKeepalive = 27500 * time.Millisecond })
	slower := with(passive, func(c *liveness.Config) { c.LocalKeepalive = 27500*time.Millisecond + 1 })
	five := with(passive, func(c *liveness.Config) { c.FailureCount = 5 })
	var rows []row
	for _, window := range []struct {
		name string
		cfg  liveness.Config
		ends float64
	}{
		{"dead_after", after, 75},
		{"no keepalive", idle, 180},
		{"an idle window", patient, 40},
		{"both sides", both, 210},
		{"ours a tenth slower", about, 212.5},
		{"ours slower still", slower, 82.5},
		{"three keepalives", passive, 82.5},
		{"five keepalives", five, 137.5},
	} {
		rows = append(rows,
			live(window.name+": just before", window.cfg, window.ends, alive, look(window.ends-tick, shaken(1000, 1000, 0))),
			dead(window.name+": at", window.cfg, liveness.ReasonSilent, alive, look(window.ends, shaken(1000, 1000, 0))),
			dead(window.name+": just after", window.cfg, liveness.ReasonSilent, alive, look(window.ends+tick, shaken(1000, 1000, 0))),
		)
	}
	check(t, rows)
}

// TestAPeerStartsDead has the first look as the baseline, and a first handshake at its own age.
func TestAPeerStartsDead(t *testing.T) {
	misread := seen(1000, 1000)
	misread.Handshake, misread.Stamp = true, time.Date(2001, 1, 1, 0, 0, 0, -1, time.UTC).UnixNano()
	old := misread
	old.Stamp++
	check(t, []row{
		dead("a counter left by another life proves nothing", passive, liveness.ReasonNeverHeard, look(0, seen(1<<40, 1<<40))),
		dead("and nothing more when it stands still", passive, liveness.ReasonNeverHeard, look(0, seen(1000, 0)), look(80, seen(1000, 0))),
		live("it grows", passive, 92.5, look(0, seen(1000, 0)), look(10, seen(1001, 0))),
		live("from nothing too", passive, 92.5, look(0, seen(0, 0)), look(10, seen(1, 0))),
		dead("data sent to a peer that never spoke", passive, liveness.ReasonNeverHeard, look(0, seen(0, 0)), look(1, seen(0, data)), look(50, seen(0, data))),
		live("a handshake now", passive, 182.5, look(100, shaken(0, 0, 100))),
		live("a handshake just younger than the window", passive, 100+tick, look(100, shaken(0, 0, 17.5+tick))),
		dead("a handshake as old as the window", passive, liveness.ReasonSilent, look(100, shaken(0, 0, 17.5))),
		dead("a handshake just older", passive, liveness.ReasonSilent, look(100, shaken(0, 0, 17.5-tick))),
		dead("a handshake just in the future", passive, liveness.ReasonNeverHeard, look(100, shaken(0, 0, 100+tick))),
		dead("which stays no sign of life when its time has come", passive, liveness.ReasonNeverHeard, look(100, shaken(0, 0, 110)), look(111, shaken(0, 0, 110))),
		live("and the next handshake is one", passive, 194.5, look(100, shaken(0, 0, 110)), look(111, shaken(0, 0, 110)), look(112, shaken(0, 0, 112))),
		live("a first handshake at a later look, at its own age", passive, 102.5, look(0, seen(0, 0)), look(100, shaken(0, 0, 20))),
		dead("or too old at once", passive, liveness.ReasonSilent, look(0, seen(0, 0)), look(100, shaken(0, 0, -100))),
		dead("a stamp before 2001 is an age misread", passive, liveness.ReasonNeverHeard, look(0, misread)),
		dead("one of 2001 is a time, and old", passive, liveness.ReasonSilent, look(0, old)),
		live("a misread stamp hides no progress", passive, 92.5, look(0, misread), look(10, func() liveness.Observation { o := misread; o.ReceiveBytes++; return o }())),
		live("nor is it the first", passive, 88.5, look(0, misread), look(10, shaken(1000, 1000, 6))),
	})
}

// TestDisabledIsAlwaysLive, whatever is seen.
func TestDisabledIsAlwaysLive(t *testing.T) {
	always := func(name string, events ...event) row {
		return row{name, disabled, events, true, none, liveness.ReasonDisabled, noNext}
	}
	check(t, []row{
		always("nothing was seen", look(0, blind)),
		always("no handshake", look(0, seen(0, 0))),
		always("long silence", alive, look(1e6, shaken(1000, 1000, 0))),
		always("a counter that goes back", alive, look(1, shaken(0, 0, 0))),
		always("data without an answer", alive, look(1, shaken(1000, 9000, 0)), look(100, shaken(1000, 9000, 0))),
	})
}

// TestUnknownHoldsTheVerdict, and the first good look decides.
func TestUnknownHoldsTheVerdict(t *testing.T) {
	holds := func(name string, cfg liveness.Config, live bool, events ...event) row {
		return row{name, cfg, events, live, none, liveness.ReasonUnknown, noNext}
	}
	check(t, []row{
		holds("before anything was seen", passive, false, look(0, blind)),
		holds("of a live peer, beyond its window", passive, true, alive, look(50, blind), look(300, blind)),
		holds("of a dead peer", passive, false, look(0, seen(0, 0)), look(1, blind)),
		holds("of one that would be probed", active, true, alive, look(60, blind)),
		holds("of one that was never heard, though probes are due", active, false, look(0, blind)),
		dead("then the counters stand still", passive, liveness.ReasonSilent, alive, look(50, blind), look(300, blind), look(301, shaken(1000, 1000, 0))),
		live("then they grew", passive, 383.5, alive, look(50, blind), look(300, blind), look(301, shaken(1001, 1000, 0))),
		live("then there was a handshake, at the last look at the earliest", passive, 382.5, alive, look(50, blind), look(300, blind), look(301, shaken(1000, 1000, 200))),
		dead("a first look after unknown ones is the baseline", passive, liveness.ReasonNeverHeard, look(0, blind), look(1, seen(1000, 0))),
	})
}
