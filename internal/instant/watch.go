package instant

import "time"

// A Watch says what the time between a kernel's last Step or Record and now means for the instants in its state. It is
// the one place where two laws that all kernels share are worked out: unwatched time is no evidence, and the clock may
// step.
type Watch struct {
	// From is the earliest instant at which something that is seen now for the first time can have happened: the last
	// Step or Record, at most the largest gap ago.
	From Time

	back   uint64 // nanoseconds that the clock went back: as if no time had passed, all instants move along
	excess uint64 // nanoseconds beyond the largest gap that nobody looked: they count toward no silence
}

// Since is the Watch from last to now. A negative maxGap means that no gap is too large; an unset last is a first look,
// which has no past to be measured from.
func Since(last, now Time, maxGap time.Duration) Watch {
	switch {
	case !last.IsSet():
		return Watch{From: now}
	case now < last:
		return Watch{From: now, back: uint64(last - now)}
	case maxGap < 0 || uint64(now-last) <= uint64(maxGap):
		return Watch{From: last}
	}
	return Watch{From: now - Time(maxGap), excess: uint64(now-last) - uint64(maxGap)}
}

// Move moves an instant that an obligation is measured from: a step back of the clock takes it along. Unset stays unset.
func (w Watch) Move(t Time) Time {
	if !t.IsSet() {
		return t
	}
	if uint64(t-Earliest) < w.back {
		return Earliest
	}
	return t - Time(w.back)
}

// MoveSilence moves the beginning of a silence, which unwatched time shortens as well.
func (w Watch) MoveSilence(t Time) Time {
	t = w.Move(t)
	if !t.IsSet() {
		return t
	}
	if uint64(Latest-t) < w.excess {
		return Latest
	}
	return t + Time(w.excess)
}

// Late says that nobody looked for longer than the largest gap.
func (w Watch) Late() bool { return w.excess > 0 }

// Calm says that nothing moves: the clock went on and somebody looked in time.
func (w Watch) Calm() bool { return w.back == 0 && w.excess == 0 }
