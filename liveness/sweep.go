package liveness

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// Sweep steps many peers in place: looks[i] is what was seen of the peer whose state is states[i]. It calls report for
// each peer for which something is to be done, whose verdict changed, or whose look may be torn, and returns when
// something changes next although nothing new is seen, the zero time for never. A peer in which nothing moved costs a
// fraction of a Step; the states come out the same. It panics, like an index out of range, if looks is shorter than
// states.
func (k *Kernel) Sweep(states []State, looks []Observation, now time.Time, report func(i int, d Decision)) time.Time {
	t := instant.Of(now)
	soonest := instant.Latest
	for i := range states {
		s, obs := &states[i], &looks[i]
		if next, calm := k.calm(s, obs, t); calm {
			s.last, s.looked = t, t
			soonest = min(soonest, next)
			continue
		}
		d := k.step(s, obs, t)
		if d.next != 0 {
			soonest = min(soonest, d.next)
			d.Next = d.next.On(now, t)
		}
		if d.Action != ActionNone || d.Changed || d.Reason == ReasonTorn {
			report(i, d.Decision)
		}
	}
	if soonest == instant.Latest {
		return time.Time{}
	}
	return soonest.On(now, t)
}

// calm says that nothing moved since the last look, that this one came in time, and that nothing is due yet; then next
// is when something is.
func (k *Kernel) calm(s *State, obs *Observation, t instant.Time) (next instant.Time, calm bool) {
	same := obs.Known && s.looked == s.last && s.received == obs.ReceiveBytes && s.sent == obs.TransmitBytes && !s.is(torn) &&
		(!obs.Handshake || s.is(stamped) && s.stamp == obs.Stamp)
	if k.cfg.Mode == ModeDisabled || s.knocks >= mostKnocks && s.is(live) {
		return 0, false
	}
	if !same || !s.changed.IsSet() || t < s.last || k.cfg.MaxGap >= 0 && t.Sub(s.last) > k.cfg.MaxGap || !s.is(live) && s.cause == 0 {
		return 0, false
	}
	next = k.nextChange(s, obs)
	return next, t < next
}
