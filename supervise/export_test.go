package supervise

import (
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// Generation is the last one that was seen, zero while none was.
func (s State) Generation() uint64 { return s.generation }

// measured are the instants that are measured from, but the last step.
func (s *State) measured() []*instant.Time {
	all := []*instant.Time{&s.counted, &s.spaced, &s.running, &s.seen, &s.gaveUp}
	for i := range s.restarts {
		all = append(all, &s.restarts[i])
	}
	return all
}

// Shift moves every instant of s that is measured from by d, so that a walk can keep now in one place.
func (s State) Shift(d time.Duration) State {
	s.last = s.last.Add(d)
	for _, at := range s.measured() {
		*at = at.Add(d)
	}
	return s
}

// Settle puts s into one form for all states that no step under cfg can tell apart: what lies longer ago than the limit
// that it is compared with lies exactly so long ago, what is not looked at any more is gone, what is only reported is left
// out, but for whether there is a crash loop.
func (s State) Settle(cfg Config) State {
	capped := func(at instant.Time, age time.Duration) instant.Time {
		if !at.IsSet() {
			return at
		}
		return max(at, s.last.Add(-age))
	}
	s.counted, s.gaveUp = capped(s.counted, cfg.SweepInterval), capped(s.gaveUp, cfg.Pause)
	if int(s.sightings) == cfg.Confirm {
		s.counted = s.last
	}
	s.running, s.seen = capped(s.running, cfg.ResetAfter), capped(s.seen, cfg.MaxGap+1)
	if !s.running.IsSet() {
		s.seen = 0
	}
	for i, at := range s.restarts {
		s.restarts[i] = capped(at, cfg.Window+1)
		if i > 0 && s.last.Sub(at) > cfg.Window {
			s.restarts[i] = 0 // the first one is held against the target until it is healthy
		}
	}
	s.spaced = capped(s.spaced, cfg.SweepInterval)
	s.restarted, s.failed, s.crashed = 0, 0, 0
	s.crashing = min(s.crashing, instant.Earliest)
	return s
}

// Renamed is s with the ids that it knows as 1.
func (s State) Renamed() State {
	s.run, s.generation = min(s.run, 1), min(s.generation, 1)
	return s
}
