package backoff_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/internal/walk"
)

// small is a configuration whose limits differ and are a few seconds long, so that a walk closes.
var small = backoff.Config{
	Max:           2 * time.Second,
	MaxRetries:    4,
	MaxElapsed:    6 * time.Second,
	ResetAfter:    3 * time.Second,
	MaxRetryAfter: 4 * time.Second,
}

// horizon is longer than any limit of small, and mostFailures one more than it needs to exhaust.
const (
	horizon      = 7 * time.Second
	mostFailures = 6
)

// edge is one record of a walk, as much later as pause.
type edge struct {
	before, after backoff.State
	out           backoff.Outcome
	pause         time.Duration
}

// TestWalk visits every state that is reachable under a small configuration and checks the invariants on every edge.
func TestWalk(t *testing.T) {
	k := newKernel(t, small)
	reasons := map[backoff.Reason]int{}
	result := walk.All(backoff.State{}, 100_000, func(s backoff.State, visit func(backoff.State)) {
		reasons[s.Reason()]++
		for _, pause := range []time.Duration{-time.Second, 0, time.Second, 2 * time.Second, 3 * time.Second, 7 * time.Second} {
			for _, out := range []backoff.Outcome{{}, {OK: true}, {RetryAfter: time.Second}, {RetryAfter: time.Minute}, {OK: true, RetryAfter: time.Minute}} {
				now := start.Add(pause)
				after := k.Record(s, out, now)
				checkEdge(t, k, edge{s, after, out, pause})
				visit(after.Settle(horizon, mostFailures).Shift(-pause))
			}
		}
	})
	t.Logf("%d states, %d edges", result.States, result.Edges)
	if !result.Closed {
		t.Errorf("the space did not close")
	}
	for r := backoff.ReasonFresh; r <= backoff.ReasonMaxElapsed; r++ {
		if reasons[r] == 0 {
			t.Errorf("%v was never reached", r)
		}
	}
}

// checkEdge checks what every record must keep.
func checkEdge(t *testing.T, k *backoff.Kernel, e edge) {
	t.Helper()
	cfg, now := k.Config(), start.Add(e.pause)
	wait, healthy, failures := e.after.Delay(), e.before.Failures() > 0 && e.after.Failures() == 0, e.after.Failures()
	spent := failures > uint32(cfg.MaxRetries) || e.after.Elapsed() >= cfg.MaxElapsed
	asked := e.after.Reason() == backoff.ReasonRetryAfter
	since, ok := e.before.Healthy()
	for _, check := range []struct {
		ok  bool
		law string
	}{
		{wait >= 0 && wait <= cfg.MaxRetryAfter, "2: a valid wait"},
		{wait == 0 || e.after.Due().Equal(now.Add(wait)), "4: the next attempt is due the delay after the record"},
		{!healthy || e.out.OK && ok && since+max(0, e.pause) >= cfg.ResetAfter, "6: only ok records for reset_after end a streak"},
		{e.out.OK || failures == e.before.Failures()+1, "6: a failure grows the streak"},
		{e.after.Remaining(now.Add(-time.Hour)) == wait, "7: a remaining wait is never longer than the wait"},
		{e.out.OK || e.after.Exhausted() == spent, "8, 13: exhausted at a limit, and only there"},
		{!e.before.Exhausted() || e.after.Exhausted() || failures == 0, "9: only the end of the streak lifts exhaustion"},
		{e.out.OK || asked || spent || wait == min(1<<(failures-1)*cfg.Initial, cfg.Max), "10, 11: the schedule's delay"},
		{!asked || wait == cfg.MaxRetryAfter || wait == e.out.RetryAfter, "a Retry-After is granted up to its bound"},
	} {
		if !check.ok {
			t.Fatalf("law %s: from %+v, %v later %+v, to %+v", check.law, e.before, e.pause, e.out, e.after)
		}
	}
	checkExit(t, k, e.after, now)
}

// checkExit gives s as much success as it may ask for.
func checkExit(t *testing.T, k *backoff.Kernel, s backoff.State, now time.Time) {
	t.Helper()
	well := k.Record(s, backoff.Outcome{OK: true}, now)
	well = k.Record(well, backoff.Outcome{OK: true}, now.Add(k.Config().ResetAfter))
	if well.Reason() != backoff.ReasonOK || well.Failures() != 0 {
		t.Fatalf("law 9: health left %+v", well)
	}
}
