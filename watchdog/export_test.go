package watchdog

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// instants are all that a state holds but its last step.
func (s *State) instants() []*instant.Time {
	all := []*instant.Time{&s.began, &s.good, &s.failed}
	for i := range s.beats {
		all = append(all, &s.beats[i])
	}
	return all
}

// Shift moves every instant of s by d, so that a walk can keep now in one place.
func (s State) Shift(d time.Duration) State {
	s.last = s.last.Add(d)
	for _, at := range s.instants() {
		*at = at.Add(d)
	}
	return s
}

// Settle puts s into one form for all states that differ only in what lies longer ago than horizon: it lies exactly so
// long ago. No step can tell them apart but by how much a loop is overdue.
func (s State) Settle(horizon time.Duration) State {
	for _, at := range s.instants() {
		if at.IsSet() {
			*at = max(*at, s.last.Add(-horizon))
		}
	}
	return s
}

// Silence is how long the i-th source had been silent at the last step.
func (s State) Silence(i int) time.Duration { return s.last.Sub(max(s.beats[i], s.began)) }
