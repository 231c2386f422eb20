package liveness_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// TestWhatIsProgress has two looks each after the first; next is 82.5 s after the last progress.
func TestWhatIsProgress(t *testing.T) {
	check(t, []row{
		live("nothing moved", passive, 82.5, alive, look(50, shaken(1000, 1000, 0))),
		live("one byte received", passive, 132.5, alive, look(50, shaken(1001, 1000, 0))),
		live("a keepalive of ours is none", passive, 82.5, alive, look(50, shaken(1000, 1000+keepalive, 0))),
		live("one initiation is none", passive, 82.5, alive, look(50, shaken(1148, 1000, 0))),
		live("a byte less than an initiation is", passive, 132.5, alive, look(50, shaken(1147, 1000, 0))),
		live("a byte more too", passive, 132.5, alive, look(50, shaken(1149, 1000, 0))),
		live("an initiation and a keepalive are", passive, 132.5, alive, look(50, shaken(1180, 1000, 0))),
		live("an initiation with a new handshake is", passive, 132.5, alive, look(50, shaken(1148, 1000, 50))),
		live("with the first handshake ever too, though that lies ahead", passive, 132.5, look(0, seen(0, 0)), look(10, seen(1, 0)), look(50, shaken(149, 0, 60))),

		live("two initiations in less than 5 s are something else", passive, 92.5-tick, alive, look(5, shaken(1000, 1000, 0)), look(10-tick, shaken(1296, 1000, 0))),
		live("two in 5 s are two", passive, 82.5, alive, look(5, shaken(1000, 1000, 0)), look(10, shaken(1296, 1000, 0))),
		live("three in 5 s are something else", passive, 92.5, alive, look(5, shaken(1000, 1000, 0)), look(10, shaken(1444, 1000, 0))),
		live("three in 10 s are three", passive, 82.5, alive, look(5, shaken(1000, 1000, 0)), look(15, shaken(1444, 1000, 0))),
		live("one at once", passive, 82.5, alive, look(0, shaken(1148, 1000, 0))),
		live("the time counts from the last good look", passive, 82.5, alive, look(5, shaken(1000, 1000, 0)), look(9, blind), look(10, shaken(1296, 1000, 0))),
	})
}

// TestAStampIsComparedForChange dates each event at its stamp, as far as that is possible.
func TestAStampIsComparedForChange(t *testing.T) {
	misread := shaken(1000, 1000, 0)
	misread.Stamp = 42
	check(t, []row{
		live("between the looks: at its stamp", passive, 127.5, alive, look(40, shaken(1000, 1000, 0)), look(50, shaken(1000, 1000, 45))),
		live("as old as the look before", passive, 122.5, alive, look(40, shaken(1000, 1000, 0)), look(50, shaken(1000, 1000, 40))),
		live("older than the look before: there", passive, 122.5, alive, look(40, shaken(1000, 1000, 0)), look(50, shaken(1000, 1000, 39))),
		live("older than the one known: a change all the same", passive, 122.5, alive, look(40, shaken(1000, 1000, 0)), look(50, shaken(1000, 1000, -1000))),
		live("from the future: now", passive, 132.5, alive, look(40, shaken(1000, 1000, 0)), look(50, shaken(1000, 1000, 51))),
		live("after a record: there at the earliest", active, 60+tick, alive, probed(45+tick, true), look(50, shaken(1000, 1000, 42))),
		live("turned to never", passive, 82.5, alive, look(50, seen(1000, 1000))),
		live("come back as it was", passive, 82.5, alive, look(50, seen(1000, 1000)), look(51, shaken(1000, 1000, 0))),
		live("come back as another", passive, 133.5, alive, look(50, seen(1000, 1000)), look(51, shaken(1000, 1000, 51))),
		live("misread", passive, 82.5, alive, look(50, misread)),
		live("misread, and back as it was", passive, 82.5, alive, look(50, misread), look(51, shaken(1000, 1000, 0))),
		dead("an initiation is a knock while the stamp is gone", passive, liveness.ReasonOneWay, alive, look(5, shaken(1296, 1000, 0)), look(10, seen(1444, 1000)), look(15, seen(1592, 1000))),
	})
}

// TestATornLookIsPassedOverWhole, and the second one running is the new baseline.
func TestATornLookIsPassedOverWhole(t *testing.T) {
	torn := func(name string, live bool, next float64, events ...event) row {
		return row{name, passive, events, live, none, liveness.ReasonTorn, next}
	}
	check(t, []row{
		torn("RX went back", true, 10, alive, look(10, shaken(999, 1000, 0))),
		torn("TX went back", true, 10, alive, look(10, shaken(1000, 999, 0))),
		torn("one went back, the other grew", true, 10, alive, look(10, shaken(2000, 999, 0))),
		torn("beyond the window the verdict holds", true, 100, alive, look(100, shaken(0, 0, 0))),
		torn("of a dead peer too", false, 11, look(0, seen(1000, 0)), look(11, shaken(0, 0, 11))),
		torn("a good look between two", true, 12, alive, look(10, shaken(0, 0, 0)), look(11, shaken(1000, 1000, 0)), look(12, shaken(0, 0, 0))),
		live("it was torn: what comes after counts from before", passive, 82.5, alive, look(10, shaken(0, 1000, 0)), look(11, shaken(1000, 1000, 0))),
		live("and grows from there", passive, 93.5, alive, look(10, shaken(0, 1000, 0)), look(11, shaken(1001, 1000, 0))),
		live("its handshake was passed over as well", passive, 92.5, alive, look(10, shaken(0, 1000, 9)), look(11, shaken(1000, 1000, 9))),
		live("twice running: the baseline", passive, 82.5, alive, look(10, shaken(0, 0, 0)), look(10, shaken(0, 0, 0))),
		live("twice running, and RX that grew is no progress", passive, 82.5, alive, look(10, shaken(2000, 999, 0)), look(11, shaken(2000, 999, 0))),
		live("twice running, and TX that grew is no data", passive, 82.5, alive, look(10, shaken(999, 1000+data, 0)), look(11, shaken(999, 1000+data, 0))),
		live("twice running with a failed look between", passive, 82.5, alive, look(10, shaken(0, 0, 0)), look(11, blind), look(12, shaken(0, 0, 0))),
		live("growth from the baseline", passive, 94.5, alive, look(10, shaken(0, 0, 0)), look(11, shaken(5, 5, 0)), look(12, shaken(6, 5, 0))),
		live("growth between the two proves nothing", passive, 82.5, alive, look(10, shaken(0, 0, 0)), look(11, shaken(5, 5, 0))),
		live("the handshake of the second counts", passive, 92.5, alive, look(10, shaken(0, 0, 10)), look(11, shaken(0, 0, 10))),
		dead("beyond the window the second one decides", passive, liveness.ReasonSilent, alive, look(100, shaken(0, 0, 0)), look(100, shaken(0, 0, 0))),
		live("the baseline forgets data that was sent", passive, 82.5, alive, look(5, shaken(1000, 2001, 0)), look(10, shaken(0, 0, 0)), look(11, shaken(0, 0, 0)), look(50, shaken(0, 0, 0))),
		live("and the knocks", passive, 82.5, alive, look(15, shaken(1444, 1000, 0)), look(20, shaken(0, 0, 0)), look(20, shaken(0, 0, 0)), look(25, shaken(148, 0, 0))),
		{"the first look can't be torn", passive, []event{look(0, seen(-5, -5))}, false, none, liveness.ReasonNeverHeard, noNext},
	})
}

// TestUnanswered has data sent at 10 s in most rows.
func TestUnanswered(t *testing.T) {
	sent := look(10, shaken(1000, 1000+data, 0))
	off := with(passive, func(c *liveness.Config) { c.UnansweredAfter = -1 })
	soon := with(passive, func(c *liveness.Config) { c.UnansweredAfter = 20 * time.Second })
	check(t, []row{
		live("just sent", passive, 40, alive, sent),
		live("just before the limit", passive, 40, alive, sent, look(40-tick, shaken(1000, 1000+data, 0))),
		dead("at the limit", passive, liveness.ReasonUnanswered, alive, sent, look(40, shaken(1000, 1000+data, 0))),
		dead("just after the limit", passive, liveness.ReasonUnanswered, alive, sent, look(40+tick, shaken(1000, 1000+data, 0))),
		dead("the shortest limit", soon, liveness.ReasonUnanswered, alive, sent, look(30, shaken(1000, 1000+data, 0))),
		live("turned off", off, 82.5, alive, sent, look(70, shaken(1000, 1000+data, 0))),
		live("more data does not put it off", passive, 40, alive, sent, look(30, shaken(1000, 1000+3*data, 0))),
		live("an answer", passive, 102.5, alive, sent, look(20, shaken(1001, 1000+data, 0)), look(60, shaken(1001, 1000+data, 0))),
		live("an answer in the same look", passive, 92.5, alive, look(10, shaken(1001, 1000+data, 0)), look(60, shaken(1001, 1000+data, 0))),
		live("a handshake answers too", passive, 102.5, alive, sent, look(20, shaken(1000, 1000+data, 20)), look(60, shaken(1000, 1000+data, 20))),
		live("a knock is no answer", passive, 40, alive, sent, look(20, shaken(1148, 1000+data, 0))),
		live("data after an answer counts anew", passive, 60, alive, sent, look(20, shaken(1001, 1000+data, 0)), look(30, shaken(1001, 1000+2*data, 0))),
		live("keepalives, initiations and responses are no data", passive, 82.5, alive, look(10, shaken(1000, 1000+keepalive+initiation+response, 0)), look(60, shaken(1000, 1272, 0))),
		live("what was sent before the first look is none", passive, 82.5, look(0, shaken(0, 1<<40, 0)), look(60, shaken(0, 1<<40, 0))),
		{"an answer that is late revives", passive, []event{alive, sent, look(50, shaken(1000, 1000+data, 0)), look(51, shaken(1001, 1000+data, 0))}, true, none, liveness.ReasonLive, 133.5},
		{"a probe that is due comes first", active, []event{alive, sent, look(14, shaken(1000, 1000+data, 0))}, true, none, liveness.ReasonLive, 15},
	})
}

// TestOneWay has a peer that knocks every 5 s.
func TestOneWay(t *testing.T) {
	knock := func(n int64) event { return look(float64(5*n), shaken(1000+n*initiation, 1000, 0)) }
	check(t, []row{
		live("three knocks", passive, 82.5, alive, knock(1), knock(2), knock(3)),
		dead("four knocks", passive, liveness.ReasonOneWay, alive, knock(1), knock(2), knock(3), knock(4)),
		dead("five knocks", passive, liveness.ReasonOneWay, alive, knock(1), knock(2), knock(3), knock(4), knock(5)),
		dead("four in one look", passive, liveness.ReasonOneWay, alive, knock(4)),
		live("four in less than 15 s are something else", passive, 97.5-tick, alive, look(15-tick, shaken(1000+4*initiation, 1000, 0))),
		dead("four in 15 s", passive, liveness.ReasonOneWay, alive, look(15, shaken(1000+4*initiation, 1000, 0))),
		live("progress between them", passive, 100, alive, knock(1), knock(2), look(17.5, shaken(1297, 1000, 0)), look(20, shaken(1297+initiation, 1000, 0)), look(25, shaken(1297+2*initiation, 1000, 0))),
		live("a handshake between them", passive, 92.5, alive, knock(1), look(10, shaken(1296, 1000, 10)), look(15, shaken(1444, 1000, 10)), look(20, shaken(1592, 1000, 10)), look(25, shaken(1740, 1000, 10))),
		live("a byte revives it", passive, 103.5, alive, knock(4), look(21, shaken(1593, 1000, 0))),
		dead("more knocks don't", passive, liveness.ReasonOneWay, alive, knock(4), look(1e6, shaken(1592+1e5*initiation, 1000, 0))),
		{"one that never spoke and knocks is as before", passive, []event{look(0, seen(0, 0)), look(20, seen(4*initiation, 0))}, false, none, liveness.ReasonNeverHeard, noNext},
	})
}
