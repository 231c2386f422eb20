package liveness_test

import (
	"slices"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// still is a look of a peer that has been silent since second 0.
func still(at float64) event { return look(at, shaken(1000, 1000, 0)) }

// quiet is a live peer that is silent and probed.
func quiet(name string, cfg liveness.Config, action liveness.Action, next float64, events ...event) row {
	return row{name, cfg, events, true, action, liveness.ReasonQuiet, next}
}

// TestASilentPeerIsProbed every 15 s, and dead at 45 s if two probes were sent before.
func TestASilentPeerIsProbed(t *testing.T) {
	failed := func(name string, events ...event) row {
		return row{name, active, events, false, probe, liveness.ReasonProbesFailed, events[len(events)-1].at}
	}
	check(t, []row{
		live("just before the first probe", active, 15, alive, still(15-tick)),
		quiet("at the first probe", active, probe, 15, alive, still(15)),
		quiet("just after", active, probe, 15+tick, alive, still(15+tick)),
		quiet("who sends none is told again", active, probe, 20, alive, still(15), still(20)),
		quiet("one was sent", active, none, 30, alive, still(15), probed(15, true), still(15)),
		quiet("just before the second", active, none, 30, alive, still(15), probed(15, true), still(30-tick)),
		quiet("at the second", active, probe, 30, alive, still(15), probed(15, true), still(30)),
		quiet("the pause counts from when one was sent", active, none, 33, alive, still(15), probed(18, true), still(30)),
		quiet("just before death", active, none, 45, alive, probed(15, true), probed(30, true), still(45-tick)),
		failed("at death the third is due", alive, probed(15, true), probed(30, true), still(45)),
		failed("just after", alive, probed(15, true), probed(30, true), still(45+tick)),
		quiet("with one probe less it lives", active, probe, 45, alive, probed(30, true), still(45)),
		quiet("until the next is sent, and then dies at once", active, probe, 50, alive, probed(30, true), still(45), still(50)),
		{"so", active, []event{alive, probed(30, true), still(45), probed(45, true), still(45)}, false, none, liveness.ReasonProbesFailed, 60},
		quiet("without any it lives as a passive one", active, probe, 82.5-tick, alive, still(82.5-tick)),
		{"and no longer", active, []event{alive, still(82.5)}, false, probe, liveness.ReasonSilent, 82.5},
		live("an answer starts it all again", active, 59, alive, probed(15, true), probed(30, true), look(44, shaken(1096, 1064, 0)), look(58, shaken(1096, 1064, 0))),
		quiet("probes from before the answer don't count", active, probe, 89, alive, probed(15, true), probed(30, true), look(44, shaken(1096, 1032, 0)), look(89, shaken(1096, 1032, 0))),
		quiet("one that was sent without need puts the next one off", active, none, 64, alive, look(44, shaken(1001, 1000, 0)), probed(49, true), look(59, shaken(1001, 1000, 0))),
		{"a dead peer is probed on", active, []event{alive, probed(15, true), probed(30, true), still(45), probed(45, true), still(60)}, false, probe, liveness.ReasonProbesFailed, 60},
		{"and left alone between", active, []event{alive, probed(15, true), probed(30, true), still(45), probed(45, true), still(60 - tick)}, false, none, liveness.ReasonProbesFailed, 60},
		{"one that was never heard is probed at once", active, []event{look(0, seen(0, 0))}, false, probe, liveness.ReasonNeverHeard, 0},
		{"and again", active, []event{look(0, seen(0, 0)), probed(0, true), look(1, seen(0, 0))}, false, none, liveness.ReasonNeverHeard, 15},
		{"an answer revives", active, []event{alive, probed(15, true), probed(30, true), still(45), probed(45, true), look(46, shaken(1001, 1000, 0))}, true, none, liveness.ReasonLive, 61},
		{"other outcomes are none", active, []event{alive, {at: 20, record: &liveness.Outcome{OK: true}}, still(20)}, true, probe, liveness.ReasonQuiet, 20},
	})
}

// TestOtherProbes has other counts and intervals than the defaults.
func TestOtherProbes(t *testing.T) {
	once := with(active, func(c *liveness.Config) { c.FailureCount = 1 })
	long := with(active, func(c *liveness.Config) { c.ProbeInterval = 60 * time.Second })
	many := with(active, func(c *liveness.Config) { c.FailureCount, c.ProbeInterval = 255, time.Second })
	rest := []event{alive}
	for second := 1.0; second < 255; second++ {
		rest = append(rest, probed(second, true))
	}
	rest = slices.Clip(rest)
	check(t, []row{
		live("failure_count 1: just before", once, 15, alive, still(15-tick)),
		{"failure_count 1: none has to be sent", once, []event{alive, still(15)}, false, probe, liveness.ReasonProbesFailed, 15},
		quiet("probes that take longer than the window: they decide", long, probe, 90, alive, still(90)),
		quiet("just before their end", long, probe, 180-tick, alive, still(180-tick)),
		{"at their end, whether or not one was sent", long, []event{alive, still(180)}, false, probe, liveness.ReasonSilent, 180},
		quiet("as many as can be: just before", many, none, 255, append(rest, still(255-tick))...),
		{"as many as can be", many, append(rest, still(255)), false, probe, liveness.ReasonProbesFailed, 255},
	})
}

// TestWithoutProbesAPeerIsPassive has none that can be sent, by what is seen or by what failed.
func TestWithoutProbesAPeerIsPassive(t *testing.T) {
	long := with(active, func(c *liveness.Config) { c.ProbeInterval = 60 * time.Second })
	silent := func(at float64) event { return look(at, mute(shaken(1000, 1000, 0))) }
	check(t, []row{
		live("no address", active, 82.5, alive, silent(50)),
		live("no address, just before", active, 82.5, alive, silent(82.5-tick)),
		dead("no address, at the window", active, liveness.ReasonSilent, alive, silent(82.5)),
		dead("no address, and never heard", active, liveness.ReasonNeverHeard, look(0, mute(seen(0, 0)))),
		live("no address, though probes were sent before", active, 82.5, alive, probed(15, true), probed(30, true), silent(50)),
		dead("no address, and a window shorter than the probes", long, liveness.ReasonSilent, alive, silent(82.5)),
		live("a send that fails", active, 30, alive, still(15), probed(15, false), still(16)),
		{"it is tried again", active, []event{alive, probed(15, false), still(30)}, true, probe, liveness.ReasonLive, 30},
		live("failed sends are no evidence", active, 60, alive, probed(15, false), probed(30, false), probed(45, false), still(46)),
		live("nor is what was sent before the failure", active, 60, alive, probed(15, true), probed(30, true), probed(45, false), still(46)),
		quiet("a good one makes the sends count again", active, none, 75, alive, probed(15, false), probed(30, false), probed(60, true), still(61)),
		{"so the next one decides", active, []event{alive, probed(15, true), probed(30, false), probed(45, true), still(45)}, false, none, liveness.ReasonProbesFailed, 60},
		{"failing sends: dead at the window", active, []event{alive, probed(75, false), still(82.5)}, false, none, liveness.ReasonSilent, 90},
		{"an address that is found does not revive", long, []event{alive, silent(82.5), still(90)}, false, probe, liveness.ReasonSilent, 90},
		dead("an address that is lost does not either", active, liveness.ReasonProbesFailed, alive, probed(15, true), probed(30, true), still(45), silent(46)),
		{"a send that fails does not either", active, []event{alive, probed(15, true), probed(30, true), still(45), probed(45, false), still(46)}, false, none, liveness.ReasonProbesFailed, 60},
		{"nor does one that succeeds", long, []event{alive, probed(70, false), still(82.5), probed(82.5, true), still(83)}, false, none, liveness.ReasonSilent, 142.5},
	})
}
