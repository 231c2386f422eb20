package liveness

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// Knocks is how many initiations make up growth within elapsed.
func Knocks(growth uint64, elapsed time.Duration) uint64 { return knocks(growth, elapsed) }

// IsData says that growth of the bytes sent within elapsed is more than WireGuard's own messages.
func (k *Kernel) IsData(growth uint64, elapsed time.Duration) bool { return k.isData(growth, elapsed) }

// Calm says that Sweep takes its quick path for a peer.
func (k *Kernel) Calm(s State, obs Observation, now time.Time) bool {
	_, calm := k.calm(&s, &obs, instant.Of(now))
	return calm
}

// Shift moves every instant of s by d, so that a walk can keep now in one place.
func (s State) Shift(d time.Duration) State {
	for _, at := range []*instant.Time{&s.last, &s.looked, &s.progress, &s.data, &s.probed} {
		*at = at.Add(d)
	}
	return s
}

// Settle puts s into one form for all states that no step of k can tell apart, as long as growth that is data is data
// in any time and initiations come at most two in a look: what lies longer ago than horizon lies exactly so long ago,
// nothing is counted beyond what decides, and what is only reported is left out.
func (s State) Settle(k *Kernel, horizon time.Duration) State {
	s.changed = 0
	if s.looked.IsSet() {
		s.looked = max(s.looked, s.last.Add(-rekeyTimeout))
	}
	for _, at := range []*instant.Time{&s.progress, &s.data} {
		if at.IsSet() {
			*at = max(*at, s.last.Add(-horizon))
		}
	}
	if s.probed.IsSet() {
		s.probed = max(s.probed, s.last.Add(-k.cfg.ProbeInterval))
	}
	s.probes, s.knocks = min(s.probes, uint8(k.cfg.FailureCount)), min(s.knocks, mostKnocks)
	return s
}

// Recount is s with other counters, if it has any, and another stamp, if it has one.
func (s State) Recount(received, sent, stamp int64) State {
	if s.looked.IsSet() {
		s.received, s.sent = received, sent
	}
	if s.is(stamped) {
		s.stamp = stamp
	}
	return s
}

// Counters are those of the last look that counted.
func (s State) Counters() (received, sent int64) { return s.received, s.sent }

// Stamp is that of the last handshake seen, and whether there was one.
func (s State) Stamp() (stamp int64, known bool) { return s.stamp, s.is(stamped) }

// Last is when the last Step or Record was.
func (s State) Last() time.Time { return s.last.Std() }

// Silence, Unanswered and Unprobed are how long at the last step there had been no progress, no answer to data, and no
// probe; ok says whether that is known.
func (s State) Silence() (d time.Duration, ok bool)    { return s.since(s.progress) }
func (s State) Unanswered() (d time.Duration, ok bool) { return s.since(s.data) }
func (s State) Unprobed() (d time.Duration, ok bool)   { return s.since(s.probed) }

func (s State) since(at instant.Time) (time.Duration, bool) {
	if !at.IsSet() {
		return 0, false
	}
	return s.last.Sub(at), true
}

// KnocksSince and ProbesSince count since the last progress.
func (s State) KnocksSince() int { return int(s.knocks) }
func (s State) ProbesSince() int { return int(s.probes) }

// Unsending says that the last probe could not be sent.
func (s State) Unsending() bool { return s.is(unsending) }
