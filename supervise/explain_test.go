package supervise_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// TestExplanationsHaveTheirNumbers has one row for each sentence.
func TestExplanationsHaveTheirNumbers(t *testing.T) {
	for _, r := range []struct {
		events []event
		want   string
	}{
		{all(look(0, notOurs)), "not_ours: another operation has the target; hands off, and sightings start again"},
		{all(look(0, blind)), "unknown: the target could not be looked at, which proves nothing; sightings and health start again"},
		{all(look(0, restarting)), "restarting: the runtime restarts the target itself; hands off, and sightings start again"},
		{all(once, looks(120, 150, running)), "recovering: running for 1m0s of the 10m0s that clear its record of 1 restarts"},
		{all(look(0, running)), "running: running, and nothing is held against it"},
		{all(look(0, parked)), "parked: down, seen 1 of 2 times, and parked by an operator; restarted when that is lifted"},
		{all(look(0, down), look(20, down)), "confirming: seen down 1 of 2 times; the next sighting counts in 7s"},
		{all(looks(0, 30, busy)), "busy: down and locked; restarted when the lock is gone"},
		{all(looks(0, 30, unguarded)), "guard_unknown: down, and whether it is locked could not be read; nothing is done until it can be"},
		{all(paused, looks(270, 300, down)), "paused: in a crash loop, left alone for 30m0s; tried again in 29m0s"},
		{three, "crash_loop: down after 3 restarts within 15m0s, limit 3; give up for 30m0s"},
		{all(looks(30, 60, down), restarted(60, true), looks(90, 120, down)), "down: seen down 2 times, and restarted 1 times within 15m0s, limit 3; restart now"},
	} {
		k, s, d := play(t, supervise.Config{}, r.events)
		if got := k.Explain(s, d); got != r.want {
			t.Errorf("got  %s\nwant %s", got, r.want)
		}
	}
	if got := newKernel(t, supervise.Config{}).Explain(supervise.State{}, supervise.Decision{}); got != "reason(0): no decision of this kernel" {
		t.Errorf("no decision is explained as %q", got)
	}
}

// TestDecisionsInLogs leaves out what is zero.
func TestDecisionsInLogs(t *testing.T) {
	for _, r := range []struct {
		d    supervise.Decision
		want string
	}{
		{supervise.Decision{Reason: supervise.ReasonRunning}, "[action=none reason=running]"},
		{
			supervise.Decision{Action: giveUp, Reason: supervise.ReasonCrashLoop, Next: at(7), Sightings: 2, Restarts: 3},
			"[action=give_up reason=crash_loop sightings=2 restarts=3 next=" + at(7).String() + "]",
		},
	} {
		if got := r.d.LogValue().String(); got != r.want {
			t.Errorf("got %s, want %s", got, r.want)
		}
	}
}

// TestNextIsInTheTermsOfNow keeps the zone of the time that it was asked at.
func TestNextIsInTheTermsOfNow(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	_, d := newKernel(t, supervise.Config{}).Step(supervise.State{}, down, start.In(zone))
	if d.Next.Location() != zone || !d.Next.Equal(at(spacing)) {
		t.Errorf("got %v", d.Next)
	}
}
