package supervise_test

import (
	"math"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// start is where the tests' time begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(secs(seconds)) }

func secs(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// checker is a test, a benchmark, a fuzz target or a rapid check.
type checker interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

func newKernel(t checker, cfg supervise.Config) *supervise.Kernel {
	t.Helper()
	k, err := supervise.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// What looks find.
var (
	blind      = supervise.Observation{}
	running    = supervise.Observation{Status: supervise.StatusRunning}
	restarting = supervise.Observation{Status: supervise.StatusRestarting}
	down       = supervise.Observation{Status: supervise.StatusDown}

	notOurs   = guarded(down, supervise.GuardNotOurs)
	parked    = guarded(down, supervise.GuardParked)
	busy      = guarded(down, supervise.GuardBusy)
	unguarded = guarded(down, supervise.GuardUnknown) // whether it is locked could not be read
)

// guarded is obs with somebody's hand on the target.
func guarded(obs supervise.Observation, g supervise.Guard) supervise.Observation {
	obs.Guard = g
	return obs
}

// run is obs of the run of this name.
func run(obs supervise.Observation, name string) supervise.Observation {
	obs.Run = supervise.ID(name)
	return obs
}

// gen is obs of the target of this name.
func gen(obs supervise.Observation, name string) supervise.Observation {
	obs.Generation = supervise.ID(name)
	return obs
}

// acting says that a decision wants an outcome.
func acting(d supervise.Decision) bool { return d.Action != supervise.ActionNone }

// The limits of the defaults, in seconds, for the tables.
const (
	tick    = 1e-9
	spacing = 27 // nine tenths of a sweep
)
