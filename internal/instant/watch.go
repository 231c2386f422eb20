package instant

import "time"

// A Watch says what the time between a kernel's last Step or Record and now means for the instants in its state. It is
// the one place where two laws that all kernels share are worked out: unwatched time is no evidence, and the clock may
// step.
type Watch struct {
	// Back is how far the clock went back, or zero. All instants that a kernel measures from move back by it, as if no
	// time had passed.
	Back time.Duration
	// Excess is how much longer than the largest gap nobody looked, or zero. The beginnings of silences move forward by
	// it, so that the excess counts toward none.
	Excess time.Duration
	// From is the earliest instant at which something that is seen now for the first time can have happened: the last
	// Step or Record, at most the largest gap ago.
	From Time
}

// Since is the Watch from last to now. A negative maxGap means that no gap is too large; an unset last is a first look,
// which has no past to be measured from.
func Since(last, now Time, maxGap time.Duration) Watch {
	switch {
	case !last.IsSet():
		return Watch{From: now}
	case now < last:
		return Watch{Back: last.Sub(now), From: now}
	}
	gap := now.Sub(last)
	if maxGap < 0 || gap <= maxGap {
		return Watch{From: last}
	}
	return Watch{Excess: gap - maxGap, From: now.Add(-maxGap)}
}

// Move moves an instant that an obligation is measured from: a step back of the clock takes it along.
func (w Watch) Move(t Time) Time {
	if w.Back == 0 {
		return t
	}
	return t.Add(-w.Back)
}

// MoveSilence moves the beginning of a silence, which unwatched time shortens as well.
func (w Watch) MoveSilence(t Time) Time { return w.Move(t).Add(w.Excess) }
