package gateway

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

type instantTime = instant.Time

// Shift moves every instant of s by d, so that a walk can keep now in one place.
func (s State) Shift(d time.Duration) State {
	s.last, s.attempt, s.forced, s.floor = s.last.Add(d), s.attempt.Add(d), s.forced.Add(d), s.floor.Add(d)
	s.adopted, s.heard, s.never = s.adopted.Add(d), s.heard.Add(d), s.never.Add(d)
	return s
}

// Settle puts s into one form for all states that no step can tell apart: what lies longer ago than horizon lies
// exactly so long ago, what is over is gone, and more failures than count are as many as count.
func (s State) Settle(horizon time.Duration, failures uint32) State {
	if !s.last.IsSet() {
		return s
	}
	oldest := s.last.Add(-horizon)
	for _, at := range []*instantTime{&s.attempt, &s.forced, &s.adopted, &s.heard, &s.never} {
		if at.IsSet() {
			*at = max(*at, oldest)
		}
	}
	if s.floor <= s.last {
		s.floor = 0
	}
	s.failures = min(s.failures, failures)
	return s
}

// Heard is the stamp of the last handshake, zero while none was seen.
func (s State) Heard() int64 { return s.stamp }

// Unstamped is s with another stamp.
func (s State) Unstamped(stamp int64) State {
	if s.heard.IsSet() {
		s.stamp = stamp
	}
	return s
}
