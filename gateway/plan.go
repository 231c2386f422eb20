package gateway

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// never is the time of a plan that nothing but a new observation can change.
const never = instant.Latest

// A plan is what is to be done, from when on, and why: the one place where both the decision and its deadline come
// from. Before at, waiting is the reason for doing nothing.
type plan struct {
	at      instant.Time
	action  Action
	reason  Reason
	waiting Reason
}

// plan works down the rules; the first that matches decides.
func (k *Kernel) plan(s *State, obs Observation) plan {
	switch {
	case obs.Disabled:
		return plan{s.last, ActionStop, ReasonDisabled, 0}
	case obs.Problem:
		return plan{s.last, ActionStop, ReasonMisconfigured, 0}
	case obs.Config == ConfigAbsent:
		return k.planMissing(s)
	case obs.Config == ConfigPresent:
		return k.planPresent(s, obs)
	}
	return plan{never, ActionNone, ReasonConfigUnknown, ReasonConfigUnknown}
}

// planMissing is the plan while there is no configuration.
func (k *Kernel) planMissing(s *State) plan {
	if !s.attempt.IsSet() {
		return plan{s.last, ActionRegister, ReasonNeverRegistered, 0}
	}
	wait := k.cfg.Retry.Initial
	if s.failures > 0 {
		wait = k.retry.Delay(s.failures, k.key)
	}
	return s.notBefore(plan{s.attempt.Add(wait), ActionRegister, ReasonConfigMissing, ReasonRetryWait})
}

// planPresent is the plan for a tunnel that is configured.
func (k *Kernel) planPresent(s *State, obs Observation) plan {
	calm := calmReason(obs.Handshake)
	refresh := s.notBefore(plan{deadline(max(s.attempt, s.adopted), k.cfg.RefreshInterval), ActionRefresh, ReasonRefreshDue, calm})
	since := s.silentSince(obs)
	if !since.IsSet() {
		return refresh
	}
	dead := deadline(since, k.cfg.HandshakeTimeout)
	force := s.notBefore(plan{max(dead, s.forced.Add(k.cfg.ForceInterval)), ActionForceRefresh, ReasonTunnelSilent, ReasonForceWait})
	switch {
	case s.last >= dead: // no periodic refresh: it can't mend a dead tunnel
		return force
	case dead < refresh.at && force.waiting != refresh.waiting:
		refresh.at = dead // the verdict changes before the refresh is due
	}
	return refresh
}

func calmReason(h HandshakeStatus) Reason {
	switch h {
	case HandshakeNever:
		return ReasonHandshakePending
	case HandshakeSeen:
		return ReasonHealthy
	}
	return ReasonHandshakeUnknown
}

// notBefore puts p off until the time that the server asked for.
func (s *State) notBefore(p plan) plan {
	if s.floor > p.at {
		p.at, p.waiting = s.floor, ReasonRetryAfter
	}
	return p
}

// deadline is limit after since; a negative limit is off.
func deadline(since instant.Time, limit time.Duration) instant.Time {
	if limit < 0 {
		return never
	}
	return since.Add(limit)
}
