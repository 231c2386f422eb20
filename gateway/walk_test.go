package gateway_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/walk"
)

// small is a configuration whose limits differ and are a few seconds long, so that a walk closes.
var small = gateway.Config{
	PollInterval:     time.Second,
	RefreshInterval:  4 * time.Second,
	HandshakeTimeout: 3 * time.Second,
	ForceInterval:    5 * time.Second,
	MaxGap:           2 * time.Second,
	Retry:            backoff.Config{Initial: time.Second, Max: 2 * time.Second, MaxRetryAfter: 3 * time.Second},
}

// horizon is longer than any limit of small.
const horizon = 6 * time.Second

// edge is one step of a walk: the state before, what was seen, and what was decided.
type edge struct {
	before, after gateway.State
	obs           gateway.Observation
	d             gateway.Decision
}

// TestWalk visits every state that is reachable under a small configuration and checks the invariants on every edge.
func TestWalk(t *testing.T) {
	k := newKernel(t, small)
	reasons := map[gateway.Reason]int{}
	result := walk.All(gateway.State{}, 2_000_000, func(s gateway.State, visit func(gateway.State)) {
		for _, pause := range []float64{-1, 0, 1, 2, 3, 7} {
			now := start.Add(secs(pause))
			for _, obs := range looks(s, now) {
				after, d := k.Step(s, obs, now)
				reasons[d.Reason]++
				checkEdge(t, k, edge{s, after, obs, d}, now)
				visit(canonical(after, now))
				if acting(d) {
					for _, out := range outcomes(d.Action) {
						visit(canonical(k.Record(after, out, now), now))
					}
				}
			}
		}
	})
	t.Logf("%d states, %d edges", result.States, result.Edges)
	if !result.Closed {
		t.Errorf("the space did not close")
	}
	for r := gateway.ReasonDisabled; r <= gateway.ReasonHandshakeUnknown; r++ {
		if reasons[r] == 0 {
			t.Errorf("%v was never reached", r)
		}
	}
}

// known is the stamp of the last handshake in a canonical state.
const known = 1

// looks is everything that can be seen of a state.
func looks(s gateway.State, now time.Time) []gateway.Observation {
	all := []gateway.Observation{{Disabled: true}, {Problem: true}, blind, absent, unheard, opaque}
	return append(all, gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeSeen, Stamp: s.Heard()},
		gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeSeen, Stamp: now.UnixNano()},
		gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeSeen, Stamp: now.Add(-2 * time.Second).UnixNano()})
}

func outcomes(a gateway.Action) []gateway.Outcome {
	return []gateway.Outcome{{Action: a, OK: true}, {Action: a}, {Action: a, RetryAfter: 3 * time.Second}}
}

// canonical is s as it would be had the step been at start, in one form for all states that behave alike.
func canonical(s gateway.State, now time.Time) gateway.State {
	return s.Settle(horizon, 2).Shift(start.Sub(now)).Unstamped(known)
}

// checkEdge checks what every step must keep.
func checkEdge(t *testing.T, k *gateway.Kernel, e edge, now time.Time) {
	t.Helper()
	cfg := k.Config()
	dead := e.d.Silence >= cfg.HandshakeTimeout
	forcedAgo := e.after.LastAttempt().Sub(e.after.LastForced()) + now.Sub(e.after.LastAttempt())
	for _, check := range []struct {
		ok  bool
		law string
	}{
		{e.d.Reason != 0 && e.d.Silence >= 0, "2: a valid decision"},
		{!acting(e.d) || e.d.Next.Equal(now), "4: an action's next is now"},
		{e.d.Action != gateway.ActionNone || e.d.Next.IsZero() || e.d.Next.After(now), "4: a wait's next lies ahead"},
		{e.d.Next.IsZero() == (e.d.Action == stop || e.d.Reason == gateway.ReasonConfigUnknown), "9: a wait has a deadline"},
		{e.d.Action != force || e.after.LastForced().IsZero() || forcedAgo >= cfg.ForceInterval, "10: forced refreshes are apart"},
		{e.d.Action != refresh || !dead, "11: no periodic refresh of a silent tunnel"},
		{e.d.Action != force || dead, "14: a tunnel that is heard is not rebuilt"},
		{e.d.Action != force || e.obs.Handshake != gateway.HandshakeUnknown, "5: unknown is not bad news"},
	} {
		if !check.ok {
			t.Fatalf("law %s: from %+v, seeing %+v, to %+v with %+v", check.law, e.before, e.obs, e.after, e.d)
		}
	}
	if again, d := k.Step(e.after, e.obs, now); again != e.after || d != e.d {
		t.Fatalf("law 3: the same look again gave %+v after %+v", d, e.d)
	}
	checkNext(t, k, e, now)
}

// checkNext steps on, the observation unchanged, to just before Next and to Next.
func checkNext(t *testing.T, k *gateway.Kernel, e edge, now time.Time) {
	t.Helper()
	if acting(e.d) || e.d.Next.IsZero() {
		return
	}
	s, d := e.after, e.d
	for now.Before(e.d.Next) {
		step := min(k.Config().MaxGap, e.d.Next.Sub(now))
		if last := now.Add(step); last.Equal(e.d.Next) && step > 1 {
			step-- // a nanosecond before, nothing changes yet
		}
		now = now.Add(step)
		s, d = k.Step(s, e.obs, now)
		if changed := d.Action != e.d.Action || d.Reason != e.d.Reason; changed != now.Equal(e.d.Next) {
			t.Fatalf("law 4: next was %v, at %v %+v became %+v", e.d.Next, now, e.d, d)
		}
	}
}
