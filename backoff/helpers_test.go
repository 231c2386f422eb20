package backoff_test

import (
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// start is where the tests' time begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// tick is the smallest difference between two instants.
const tick = time.Nanosecond

func at(seconds float64) time.Time { return start.Add(secs(seconds)) }

func secs(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// failer is what the tests and the properties have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func newKernel(t failer, cfg backoff.Config) *backoff.Kernel {
	t.Helper()
	k, err := backoff.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
