package liveness_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// checkEdge checks what every step of a judging kernel must keep, whatever it saw; the numbers are those of doc.go.
func checkEdge(t failer, k *liveness.Kernel, e edge) {
	t.Helper()
	cfg := k.Config()
	was, torn := e.before.Live(), e.d.Reason == liveness.ReasonTorn
	progressed := hasProgressed(k, e)
	unprobed, everProbed := e.after.Unprobed()
	silence, heard := e.after.Silence()
	judging := cfg.Mode != liveness.ModeDisabled
	for _, check := range []struct {
		ok  bool
		law string
	}{
		{e.d.Reason >= liveness.ReasonDisabled && e.d.Reason <= liveness.ReasonOneWay && e.d.Silence >= 0, "2: a valid decision"},
		{e.d.Live == e.after.Live() && e.d.Changed == (was != e.d.Live), "2: the decision and the state agree"},
		{e.d.Silence == silence || !heard && e.d.Silence == 0, "2: the silence is the state's"},
		{e.d.Action != probe || e.d.Next.Equal(e.now), "4: a probe's next is now"},
		{e.d.Action == probe || torn || e.d.Next.IsZero() || e.d.Next.After(e.now), "4: a wait's next lies ahead"},
		{!torn || e.d.Next.Equal(e.now), "4: a torn look is looked at again"},
		{!e.d.Live || !judging || e.d.Reason == liveness.ReasonUnknown || !e.d.Next.IsZero() || farAhead(e), "9: a life that nothing confirms ends"},
		{e.obs.Known || e.d.Action == none, "5: unknown causes no probe"},
		{e.obs.Known && !torn || !judging || !e.d.Changed, "5, 13: unknown and torn looks hold the verdict"},
		{was || !e.d.Live || !judging || progressed, "10: only progress revives"},
		{!was || e.d.Live || hasCause(k, e), "11: only four causes kill"},
		{e.d.Action != probe || cfg.Mode == liveness.ModeActive && !e.obs.NoProbe, "12: a probe can be sent"},
		{e.d.Action != probe || !everProbed || unprobed >= cfg.ProbeInterval, "12: probes are apart"},
		{e.d.Action != probe || !heard || silence >= cfg.ProbeInterval, "12: only the silent are probed"},
		{!e.d.Changed || e.after.Since().Equal(e.now), "2: a change is dated"},
	} {
		if !check.ok {
			t.Fatal("law", check.law, describe(e))
		}
	}
	if again, d := k.Step(e.after, e.obs, e.now); !torn {
		e.d.Changed = false
		if again != e.after || d != e.d {
			t.Fatal("law 3: the same look again gave", d.Reason, d, describe(e))
		}
	}
}

// hasProgressed says that the last sign of life is news of this step: one since the last, or the first handshake.
func hasProgressed(k *liveness.Kernel, e edge) bool {
	passed := max(0, e.now.Sub(e.before.Last()))
	if gap := k.Config().MaxGap; gap >= 0 || e.before.Last().IsZero() {
		passed = min(passed, max(0, gap))
	}
	silence, heard := e.after.Silence()
	_, stampedBefore := e.before.Stamp()
	_, stampedAfter := e.after.Stamp()
	return heard && (silence <= passed || stampedAfter && !stampedBefore)
}

// describe is an edge in words, for failures.
func describe(e edge) string {
	return fmt.Sprintf(": from %+v at %v, seeing %+v, to %+v with %+v", e.before, e.now, e.obs, e.after, e.d)
}

// farAhead says that the end of time comes before the end of this life.
func farAhead(e edge) bool { return e.now.Year() > 2100 }

// hasCause says that a peer that has just died had one of the four causes, and that it is the reason given.
func hasCause(k *liveness.Kernel, e edge) bool {
	cfg := k.Config()
	window, patience := cfg.Window(), cfg.ProbeInterval*time.Duration(cfg.FailureCount)
	silence, heard := e.after.Silence()
	unanswered, sent := e.after.Unanswered()
	probing := cfg.Mode == liveness.ModeActive && !e.obs.NoProbe && !e.after.Unsending()
	switch e.d.Reason {
	case liveness.ReasonNeverHeard:
		return !heard
	case liveness.ReasonOneWay:
		return e.after.KnocksSince() >= 4
	case liveness.ReasonUnanswered:
		return sent && cfg.UnansweredAfter > 0 && unanswered >= cfg.UnansweredAfter
	case liveness.ReasonProbesFailed:
		return probing && silence >= patience && e.after.ProbesSince() >= cfg.FailureCount-1
	case liveness.ReasonSilent:
		return silence >= window && (!probing || silence >= patience)
	default:
		return false
	}
}

// TestEveryReasonIsExplained asks for each in words, and for none of another kernel.
func TestEveryReasonIsExplained(t *testing.T) {
	k := newKernel(t, passive)
	seen := map[string]bool{}
	for r := liveness.ReasonDisabled; r <= liveness.ReasonOneWay; r++ {
		seen[k.Explain(liveness.State{}, liveness.Decision{Reason: r})] = true
	}
	if len(seen) != int(liveness.ReasonOneWay) {
		t.Errorf("%d reasons have %d explanations", liveness.ReasonOneWay, len(seen))
	}
	if why := k.Explain(liveness.State{}, liveness.Decision{}); why != "dead: no decision of this kernel" {
		t.Errorf("got %q", why)
	}
}
