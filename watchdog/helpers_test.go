package watchdog_test

import (
	"math"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// start is where the tests' time begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(secs(seconds)) }

func secs(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// failer is a test, a benchmark, a fuzz target or a rapid check.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func newKernel(t failer, cfg watchdog.Config) *watchdog.Kernel {
	t.Helper()
	k, err := watchdog.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// nobody is what a look without a beat finds.
var nobody watchdog.Observation

// by is a beat of the loop of this name.
func by(name string) watchdog.Observation { return watchdog.Observation{Source: watchdog.ID(name)} }

// one watches one loop: pings are due every 20 s, and 10 s after one that failed.
var one = watchdog.Config{Timeout: 80 * time.Second}

// pair watches two loops with budgets of their own, and counts all time.
var pair = watchdog.Config{
	Timeout: 80 * time.Second,
	Sources: []watchdog.Source{{Name: "a", Budget: 30 * time.Second}, {Name: "b", Budget: 50 * time.Second}},
	MaxGap:  -1,
}

// with is cfg with another largest gap.
func with(cfg watchdog.Config, maxGap time.Duration) watchdog.Config {
	cfg.MaxGap = maxGap
	return cfg
}

// eight watches as many loops as one watchdog can, a to h, each with a budget one second longer than the one before.
func eight() watchdog.Config {
	cfg := watchdog.Config{Timeout: 80 * time.Second, MaxGap: -1}
	for i := range watchdog.MostSources {
		cfg.Sources = append(cfg.Sources, watchdog.Source{Name: string(rune('a' + i)), Budget: secs(float64(10 + i))})
	}
	return cfg
}
