package backoff

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Clock tells the time and wakes. The mock and the real clock of github.com/benbjohnson/clock satisfy it.
type Clock interface {
	// Now is the time.
	Now() time.Time
	// After sends the time once d has passed.
	After(d time.Duration) <-chan time.Time
}

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Retry calls attempt until it succeeds, waiting between failures as the schedule of k says; a nil clock is the real
// one. An error from [Permanent] ends it at once, one from [After] makes the next wait at least as long. It returns nil
// after a success, the last failure wrapped when the schedule is exhausted or the failure permanent, and the context's
// error together with the last failure when ctx ends.
func Retry(ctx context.Context, k *Kernel, clock Clock, attempt func(context.Context) error) error {
	if clock == nil {
		clock = realClock{}
	}
	var s State
	var failure error
	for {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, failure)
		}
		if failure = attempt(ctx); failure == nil {
			return nil
		}
		var permanent *permanentError
		if errors.As(failure, &permanent) {
			return failure
		}
		after, _ := RetryAfter(failure)
		s = k.Record(s, Outcome{RetryAfter: after}, clock.Now())
		if s.Exhausted() {
			return fmt.Errorf("backoff: %v after %d failures: %w", s.Reason(), s.Failures(), failure)
		}
		select {
		case <-ctx.Done():
		case <-clock.After(s.Delay()):
		}
	}
}

type permanentError struct{ error }

func (e *permanentError) Unwrap() error { return e.error }

// Permanent marks a failure that trying again can't mend. A nil err stays nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &permanentError{err}
}

type afterError struct {
	error
	after time.Duration
}

func (e *afterError) Unwrap() error { return e.error }

// After marks a failure whose other side asked to be left alone for d, as an HTTP Retry-After does. A nil err stays nil.
func After(d time.Duration, err error) error {
	if err == nil {
		return nil
	}
	return &afterError{err, d}
}

// RetryAfter is the wait that an error from [After] asks for; false where err carries none.
func RetryAfter(err error) (time.Duration, bool) {
	var after *afterError
	if !errors.As(err, &after) {
		return 0, false
	}
	return after.after, true
}
