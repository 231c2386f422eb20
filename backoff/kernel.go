package backoff

import (
	"math"
	"math/bits"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// A Kernel is the rules of one schedule. It never changes, and any number of goroutines may share it.
type Kernel struct {
	cfg   Config
	key   uint64
	seed  uint64 // mixed
	bands []band // after the first failure, the second, ...; the last one repeats
}

// State is the streak of failures of one thing that is tried. Its zero value means "nothing tried yet". It is
// comparable and free of pointers; JSON keeps it whole.
type State struct {
	last     instant.Time  // the last Record; unset: none yet
	first    instant.Time  // the first failure of the streak; unset: no streak
	okSince  instant.Time  // the first ok since the last failure, while reset_after is awaited
	delay    time.Duration // from last to the next attempt, as drawn then
	failures uint32        // in a row
	reason   Reason        // of the last Record
}

// Outcome is how an attempt ended. Its zero value is a failure.
type Outcome struct {
	// OK says that the attempt succeeded.
	OK bool
	// RetryAfter is the wait that the other side asked for, a floor for the next one only. Zero means that it asked for
	// none; a negative one is ignored.
	RetryAfter time.Duration
}

// Jitter is the band under a delay in which the real one is drawn.
type Jitter uint8

const (
	// JitterNone draws nothing: the delay itself.
	JitterNone Jitter = iota
	// JitterEqual draws from the upper half, [d/2, d].
	JitterEqual
	// JitterFull draws from everything, [min, d]. It spreads a fleet best.
	JitterFull
	// JitterDown takes off up to JitterFraction, [d(1-f), d].
	JitterDown
)

// Reason says what the last Record did to the schedule.
type Reason uint8

const (
	// ReasonFresh is the reason of the zero State: nothing was tried yet.
	ReasonFresh Reason = iota
	// ReasonOK says that a success ended the streak.
	ReasonOK
	// ReasonRecovering says that the attempt succeeded, but that reset_after of health has not passed yet: the streak
	// stands.
	ReasonRecovering
	// ReasonBackoff says that the attempt failed and that the schedule's delay runs.
	ReasonBackoff
	// ReasonRetryAfter says that the other side asked for a longer wait than the schedule's.
	ReasonRetryAfter
	// ReasonMaxRetries says that the attempt failed and was the last one that max_retries allows.
	ReasonMaxRetries
	// ReasonMaxElapsed says that the attempt failed when max_elapsed had passed since the first failure.
	ReasonMaxElapsed
)

// New checks cfg and fills in its defaults.
func New(cfg Config) (*Kernel, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	return &Kernel{cfg: cfg, key: Key(cfg.Key), seed: mix(cfg.Seed), bands: bands(cfg)}, nil
}

// Config gives the values in effect, defaults filled in.
func (k *Kernel) Config() Config { return k.cfg }

// Keyed is the same schedule for another key, sharing its tables: one kernel serves a fleet.
func (k *Kernel) Keyed(key string) *Kernel {
	other := *k
	other.cfg.Key, other.key = key, Key(key)
	return &other
}

// Delay is the delay after the n-th failure in a row, jitter included: between min and max for every n from 1 on, and
// the same whenever and wherever it is asked for the same seed, key and n. After no failure there is no delay.
func (k *Kernel) Delay(n uint32, key uint64) time.Duration {
	if n == 0 {
		return 0
	}
	b := k.bands[min(uint64(n), uint64(len(k.bands)))-1]
	// The upper half of a 128-bit product spreads 64 random bits evenly over the band. They are a hash, so that a fleet
	// spreads, a replay is exact and every machine draws the same.
	offset, _ := bits.Mul64(mix(mix(k.seed^key)^uint64(n)), b.width)
	return b.low + time.Duration(offset)
}

// Record folds the outcome of an attempt that ended at now into s: it counts the streak, draws the next delay and keeps
// it. A now before the last one is taken for a step of the clock, during which no time has passed.
func (k *Kernel) Record(s State, out Outcome, now time.Time) State {
	t := instant.Of(now)
	watch := instant.Since(s.last, t, -1)
	s.first, s.okSince, s.last = watch.Move(s.first), watch.Move(s.okSince), t
	if out.OK {
		s = k.succeed(s)
	} else {
		s = k.fail(s)
	}
	if floor := min(out.RetryAfter, k.cfg.MaxRetryAfter); floor > s.delay && !s.Exhausted() {
		s.delay, s.reason = floor, ReasonRetryAfter
	}
	return s
}

func (k *Kernel) succeed(s State) State {
	if !s.okSince.IsSet() {
		s.okSince = s.last
	}
	if s.failures == 0 || s.last.Sub(s.okSince) >= k.cfg.ResetAfter {
		return State{last: s.last, reason: ReasonOK}
	}
	s.delay = 0
	if !s.Exhausted() {
		s.reason = ReasonRecovering
	}
	return s
}

func (k *Kernel) fail(s State) State {
	if s.failures == 0 {
		s.first = s.last
	}
	if s.failures < math.MaxUint32 {
		s.failures++
	}
	s.okSince, s.delay = 0, 0
	switch {
	case k.cfg.MaxRetries > 0 && int64(s.failures) > int64(k.cfg.MaxRetries):
		s.reason = ReasonMaxRetries
	case k.cfg.MaxElapsed > 0 && s.last.Sub(s.first) >= k.cfg.MaxElapsed:
		s.reason = ReasonMaxElapsed
	default:
		s.delay, s.reason = k.Delay(s.failures, k.key), ReasonBackoff
	}
	return s
}

// Failures is the length of the streak: how many attempts failed in a row.
func (s State) Failures() uint32 { return s.failures }

// Delay is how long to wait after the last attempt, as it was drawn then; zero after a success and when exhausted.
func (s State) Delay() time.Duration { return s.delay }

// Due is when the next attempt is due; the zero time where nothing need be waited for, or where no attempt is left.
func (s State) Due() time.Time {
	if s.delay == 0 {
		return time.Time{}
	}
	return s.last.Add(s.delay).Std()
}

// Remaining is how much of the wait is left at now, never more than the wait itself, whatever the clock did.
func (s State) Remaining(now time.Time) time.Duration {
	t := instant.Of(now)
	if t <= s.last {
		return s.delay
	}
	return max(0, s.delay-t.Sub(s.last))
}

// Exhausted says that max_retries or max_elapsed allows no further attempt. Only the end of the streak lifts it.
func (s State) Exhausted() bool { return s.reason == ReasonMaxRetries || s.reason == ReasonMaxElapsed }

// Reason says what the last Record did.
func (s State) Reason() Reason { return s.reason }
