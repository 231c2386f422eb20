package backoff

import "time"

// Shift moves every instant of s by d, so that a walk can keep now in one place.
func (s State) Shift(d time.Duration) State {
	s.last, s.first, s.okSince = s.last.Add(d), s.first.Add(d), s.okSince.Add(d)
	return s
}

// Settle puts s into one form for all states that no record can tell apart: what lies longer ago than horizon lies
// exactly so long ago, and more failures than count are as many as count.
func (s State) Settle(horizon time.Duration, failures uint32) State {
	oldest := s.last.Add(-horizon)
	if s.first.IsSet() {
		s.first = max(s.first, oldest)
	}
	if s.okSince.IsSet() {
		s.okSince = max(s.okSince, oldest)
	}
	s.failures = min(s.failures, failures)
	return s
}

// Elapsed is the time from the streak's first failure to the last record.
func (s State) Elapsed() time.Duration {
	if !s.first.IsSet() {
		return 0
	}
	return s.last.Sub(s.first)
}

// Healthy is the time from the first success since the last failure to the last record; false where there is none.
func (s State) Healthy() (time.Duration, bool) {
	if !s.okSince.IsSet() {
		return 0, false
	}
	return s.last.Sub(s.okSince), true
}
