package supervise_test

import (
	"fmt"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// A target that is down twice is restarted, and what became of it is recorded.
func ExampleKernel_Step() {
	kernel, err := supervise.New(supervise.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	down := supervise.Observation{Status: supervise.StatusDown}

	state, decision := kernel.Step(supervise.State{}, down, now)
	fmt.Println(decision.Action, "-", decision.Reason)

	now = now.Add(30 * time.Second)
	state, decision = kernel.Step(state, down, now)
	fmt.Println(decision.Action, "-", decision.Reason)

	state = kernel.Record(state, supervise.Outcome{Action: decision.Action, OK: true}, now)
	state, decision = kernel.Step(state, down, now)
	fmt.Println(decision.Action, "-", kernel.Explain(state, decision))

	// Output:
	// none - confirming
	// restart - down
	// none - confirming: seen down 0 of 2 times; the next sighting counts in 27s
}

// A guard that is expensive to read is read once, right before the act, and the kernel is asked again at the same time:
// the second look is no sighting, and can only hold the act back.
func ExampleKernel_Step_readsTheLockLast() {
	kernel, err := supervise.New(supervise.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var state supervise.State
	var decision supervise.Decision
	for sweep := range 4 {
		seen := supervise.Observation{Status: supervise.StatusDown}
		state, decision = kernel.Step(state, seen, now)
		if backupRuns := sweep < 3; decision.Action == supervise.ActionRestart && backupRuns {
			seen.Guard = supervise.GuardBusy
			state, decision = kernel.Step(state, seen, now)
		}
		fmt.Println(kernel.Explain(state, decision))
		now = now.Add(30 * time.Second)
	}

	// Output:
	// confirming: seen down 1 of 2 times; the next sighting counts in 27s
	// busy: down and locked; restarted when the lock is gone
	// busy: down and locked; restarted when the lock is gone
	// down: seen down 2 times, and restarted 0 times within 15m0s, limit 3; restart now
}

// A target that no restart helps is given up for a while.
func ExampleKernel_Explain() {
	kernel, err := supervise.New(supervise.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	down := supervise.Observation{Status: supervise.StatusDown}
	var state supervise.State
	for after := time.Duration(0); after <= time.Hour; after += 30 * time.Second {
		var decision supervise.Decision
		state, decision = kernel.Step(state, down, start.Add(after))
		if decision.Action == supervise.ActionGiveUp {
			fmt.Printf("at %v %s\n", after, kernel.Explain(state, decision))
		}
		state = kernel.Record(state, supervise.Outcome{Action: decision.Action, OK: true}, start.Add(after))
	}
	fmt.Println("in a crash loop since", state.CrashLoopSince().Sub(start))

	// Output:
	// at 3m30s crash_loop: down after 3 restarts within 15m0s, limit 3; give up for 30m0s
	// at 36m30s crash_loop: down after 3 restarts within 15m0s, limit 3; give up for 30m0s
	// in a crash loop since 3m30s
}
