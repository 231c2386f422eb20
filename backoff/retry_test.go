package backoff_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/evenkeel-go/evenkeel/backoff"
)

var errDown = errors.New("the server is down")

// attempts is a script of errors, one for each attempt; the last repeats. It notes when each attempt came.
type attempts struct {
	errs  []error
	began time.Time
	came  []time.Duration
}

func (a *attempts) next(now time.Time) error {
	if a.began.IsZero() {
		a.began = now
	}
	a.came = append(a.came, now.Sub(a.began))
	return a.errs[min(len(a.came), len(a.errs))-1]
}

// retries is a row of a table: what happens, and when Retry tries again.
type retries struct {
	name string
	cfg  backoff.Config
	errs []error
	came string // the times of the attempts
	want error
	text string // of the error
}

var retryRows = []retries{
	{"success at once", backoff.Config{}, []error{nil}, "[0s]", nil, ""},
	{"success after three failures", backoff.Config{}, []error{errDown, errDown, errDown, nil}, "[0s 1s 3s 7s]", nil, ""},
	{"a permanent failure", backoff.Config{}, []error{errDown, backoff.Permanent(errDown)}, "[0s 1s]", errDown, "the server is down"},
	{"a permanent failure within another", backoff.Config{}, []error{fmt.Errorf("login: %w", backoff.Permanent(errDown))}, "[0s]", errDown, "login: the server is down"},
	{"permanent outweighs Retry-After", backoff.Config{}, []error{backoff.After(time.Minute, backoff.Permanent(errDown))}, "[0s]", errDown, "the server is down"},
	{"Retry-After is a floor for one wait", backoff.Config{}, []error{backoff.After(10*time.Second, errDown), errDown, nil}, "[0s 10s 12s]", nil, ""},
	{"a short Retry-After changes nothing", backoff.Config{}, []error{errDown, backoff.After(time.Second, errDown), nil}, "[0s 1s 3s]", nil, ""},
	{"a negative one neither", backoff.Config{}, []error{backoff.After(-time.Hour, errDown), nil}, "[0s 1s]", nil, ""},
	{"a long one is bounded", backoff.Config{}, []error{fmt.Errorf("login: %w", backoff.After(time.Hour, errDown)), nil}, "[0s 5m0s]", nil, ""},
	{"retries run out", backoff.Config{MaxRetries: 2}, []error{errDown}, "[0s 1s 3s]", errDown, "backoff: max_retries after 3 failures: the server is down"},
	{"time runs out", backoff.Config{MaxElapsed: 5 * time.Second}, []error{errDown}, "[0s 1s 3s 7s]", errDown, "backoff: max_elapsed after 4 failures: the server is down"},
	{"success ends it whatever reset_after says", backoff.Config{ResetAfter: time.Hour}, []error{errDown, nil}, "[0s 1s]", nil, ""},
}

// check compares what Retry returned, and when the attempts came.
func (row retries) check(t *testing.T, a *attempts, err error) {
	t.Helper()
	if got := fmt.Sprint(a.came); got != row.came {
		t.Errorf("attempts at %s, want %s", got, row.came)
	}
	if !errors.Is(err, row.want) || row.want != nil && err.Error() != row.text {
		t.Errorf("got %v, want %v (%s)", err, row.want, row.text)
	}
}

// TestRetry runs on the real clock, in the time of a bubble.
func TestRetry(t *testing.T) {
	for _, row := range retryRows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := &attempts{errs: row.errs}
				err := backoff.Retry(t.Context(), newKernel(t, row.cfg), nil, func(context.Context) error { return a.next(time.Now()) })
				row.check(t, a, err)
			})
		})
	}
}

// TestRetryOnAMockClock runs on a clock that moves only when the test moves it. The bubble tells when Retry waits.
func TestRetryOnAMockClock(t *testing.T) {
	for _, row := range retryRows {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				mock := clock.NewMock()
				mock.Set(start)
				a, done := &attempts{errs: row.errs}, make(chan error, 1)
				go func() {
					done <- backoff.Retry(t.Context(), newKernel(t, row.cfg), mock, func(context.Context) error { return a.next(mock.Now()) })
				}()
				for range 1000 {
					synctest.Wait()
					select {
					case err := <-done:
						row.check(t, a, err)
						return
					default:
						mock.Add(500 * time.Millisecond)
					}
				}
				t.Errorf("no end after %v", a.came)
			})
		})
	}
}

// TestRetryEndsWithItsContext cancels it at each point where it can be.
func TestRetryEndsWithItsContext(t *testing.T) {
	for _, row := range []struct {
		name    string
		cancel  time.Duration // when; negative: before the call
		takes   time.Duration // what an attempt takes
		came    string
		failure error // that is reported beside the context's
	}{
		{"before the first attempt", -1, 0, "[]", nil},
		{"during the first attempt", time.Second, 2 * time.Second, "[0s]", errDown},
		{"during the first wait", 500 * time.Millisecond, 0, "[0s]", errDown},
		{"during a later attempt", 4 * time.Second, 2 * time.Second, "[0s 3s]", errDown},
		{"during a later wait", 5 * time.Second, 0, "[0s 1s 3s]", errDown},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if row.cancel < 0 {
					cancel()
				} else {
					time.AfterFunc(row.cancel, cancel)
				}
				began, a := time.Now(), &attempts{errs: []error{errDown}}
				err := backoff.Retry(ctx, newKernel(t, backoff.Config{}), nil, func(context.Context) error {
					defer time.Sleep(row.takes)
					return a.next(time.Now())
				})
				if got := fmt.Sprint(a.came); got != row.came {
					t.Errorf("attempts at %s, want %s", got, row.came)
				}
				if !errors.Is(err, context.Canceled) || errors.Is(err, errDown) != (row.failure != nil) {
					t.Errorf("got %v, want the context's error with %v", err, row.failure)
				}
				if late := time.Since(began) - row.cancel; row.cancel >= 0 && late > row.takes {
					t.Errorf("it ended %v late", late)
				}
			})
		})
	}
}

func TestRetryEndsWithADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := backoff.Retry(ctx, newKernel(t, backoff.Config{}), nil, func(context.Context) error { return errDown })
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, errDown) {
			t.Errorf("got %v", err)
		}
	})
}

// TestRetryHandsOnItsContext also ends an attempt that waits for it.
func TestRetryHandsOnItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		calls := 0
		err := backoff.Retry(ctx, newKernel(t, backoff.Config{}), nil, func(ctx context.Context) error {
			calls++
			<-ctx.Done()
			return ctx.Err()
		})
		if !errors.Is(err, context.Canceled) || calls != 1 {
			t.Errorf("got %v after %d attempts", err, calls)
		}
	})
}

// TestASuccessCountsAlthoughTheContextEnded keeps the result of the last attempt.
func TestASuccessCountsAlthoughTheContextEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := backoff.Retry(ctx, newKernel(t, backoff.Config{}), nil, func(context.Context) error {
		cancel()
		return nil
	})
	if err != nil {
		t.Errorf("got %v after a success", err)
	}
}

func TestMarkedErrors(t *testing.T) {
	if err := backoff.Permanent(nil); err != nil {
		t.Errorf("nothing became permanent: %v", err)
	}
	if err := backoff.After(time.Second, nil); err != nil {
		t.Errorf("nothing asks for a wait: %v", err)
	}
	marked := fmt.Errorf("outer: %w", backoff.After(time.Second, backoff.Permanent(errDown)))
	if !errors.Is(marked, errDown) || !strings.HasSuffix(marked.Error(), ": the server is down") {
		t.Errorf("got %v", marked)
	}
	if d, ok := backoff.RetryAfter(marked); d != time.Second || !ok {
		t.Errorf("got %v, %v", d, ok)
	}
	for _, err := range []error{nil, errDown, backoff.Permanent(errDown)} {
		if d, ok := backoff.RetryAfter(err); d != 0 || ok {
			t.Errorf("%v asks for %v", err, d)
		}
	}
}
