// Package instant keeps points in time in eight bytes, so that the state of a kernel stays small, free of pointers and
// comparable with ==, and does all arithmetic on them without overflow.
package instant

import (
	"fmt"
	"math"
	"time"
)

// Time is an instant with nanosecond precision between the years 1678 and 2262; what lies outside counts as the nearer
// end. The zero Time is no instant ("unset"), while the Unix epoch and year 1 are instants like any other: it holds the
// nanoseconds since the epoch with the sign bit flipped, which also makes < and > compare instants as they compare
// numbers, unset before all others.
type Time uint64

const (
	signBit = 1 << 63

	// Earliest is the first instant that a Time can hold.
	Earliest Time = 1
	// Latest is the last one; a deadline that lies further away saturates there and is never reached in practice.
	Latest Time = math.MaxUint64
)

// The first and the last second that lie wholly within the range.
const (
	minSeconds = math.MinInt64 / int64(time.Second)
	maxSeconds = math.MaxInt64/int64(time.Second) - 1
)

// Of is the instant of t, the nearer end where t lies outside the range.
func Of(t time.Time) Time {
	sec := t.Unix()
	if sec >= minSeconds && sec <= maxSeconds {
		return OfNanos(t.UnixNano())
	}
	switch ns := t.UnixNano(); {
	case time.Unix(0, ns).Equal(t): // within the last fraction of a second
		return OfNanos(ns)
	case sec < 0:
		return Earliest
	}
	return Latest
}

// OfNanos is the instant ns nanoseconds after the Unix epoch.
func OfNanos(ns int64) Time {
	return max(Time(uint64(ns)^signBit), Earliest)
}

// Nanos is the number of nanoseconds since the Unix epoch.
func (t Time) Nanos() int64 { return int64(uint64(t) ^ signBit) }

// IsSet tells an instant from the zero Time.
func (t Time) IsSet() bool { return t != 0 }

// Add is the instant d after t, saturating; unset stays unset.
func (t Time) Add(d time.Duration) Time {
	switch {
	case !t.IsSet():
		return t
	case d >= 0:
		if uint64(Latest-t) < uint64(d) {
			return Latest
		}
		return t + Time(d)
	}
	back := uint64(-(d + 1)) + 1 // the magnitude, also of the smallest duration
	if uint64(t-Earliest) < back {
		return Earliest
	}
	return t - Time(back)
}

// Sub is the time from u to t, saturating at the ends of time.Duration. Both must be set.
func (t Time) Sub(u Time) time.Duration {
	if t >= u {
		return time.Duration(min(uint64(t-u), math.MaxInt64))
	}
	return -time.Duration(min(uint64(u-t), math.MaxInt64))
}

// On is t as a time.Time in the terms of now, which is the instant at: with its location and its monotonic reading, so
// that a caller can compare and print both alike.
func (t Time) On(now time.Time, at Time) time.Time { return now.Add(t.Sub(at)) }

// Std is t as a time.Time in UTC; the zero time.Time for unset.
func (t Time) Std() time.Time {
	if !t.IsSet() {
		return time.Time{}
	}
	return time.Unix(0, t.Nanos()).UTC()
}

// MarshalText writes t as RFC 3339 with nanoseconds, and nothing for unset.
func (t Time) MarshalText() ([]byte, error) {
	if !t.IsSet() {
		return nil, nil
	}
	return t.Std().AppendFormat(nil, time.RFC3339Nano), nil
}

// UnmarshalText reads what MarshalText writes. An instant outside the range is an error: it could not be kept.
func (t *Time) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*t = 0
		return nil
	}
	std, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return fmt.Errorf("%q is not an RFC 3339 time", text)
	}
	if at := Of(std); at.Std().Equal(std) {
		*t = at
		return nil
	}
	return fmt.Errorf("%s lies outside the years 1678 to 2262", text)
}

// Short is d without the digits that no person reads: whole milliseconds from 100 ms on, and microseconds below.
func Short(d time.Duration) time.Duration {
	if d >= 100*time.Millisecond || d <= -100*time.Millisecond {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Microsecond)
}
