package liveness_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// A counter left by another life proves nothing: the peer starts dead, and the first byte brings it to life.
func ExampleKernel_Step() {
	kernel, err := liveness.New(liveness.Config{Mode: liveness.ModePassive})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

	state, decision := kernel.Step(liveness.State{}, liveness.Observation{Known: true, ReceiveBytes: 5000}, now)
	fmt.Println(decision.Live, "-", decision.Reason)

	_, decision = kernel.Step(state, liveness.Observation{Known: true, ReceiveBytes: 5032}, now.Add(time.Second))
	fmt.Println(decision.Live, "-", decision.Reason, "- until", decision.Next.Format(time.TimeOnly))

	// Output:
	// false - never_heard
	// true - live - until 00:01:23
}

// A peer that data is sent to has to answer, long before its silence alone would tell.
func ExampleKernel_Explain() {
	kernel, err := liveness.New(liveness.Config{Mode: liveness.ModePassive})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	look := liveness.Observation{Known: true, Handshake: true, Stamp: now.UnixNano()}

	state, decision := kernel.Step(liveness.State{}, look, now)
	fmt.Println(kernel.Explain(state, decision))

	look.TransmitBytes += 1500
	state, decision = kernel.Step(state, look, now.Add(10*time.Second))
	fmt.Println(kernel.Explain(state, decision))

	state, decision = kernel.Step(state, look, now.Add(40*time.Second))
	fmt.Println(kernel.Explain(state, decision))

	// Output:
	// live: last sign of life 0s ago, limit 1m22.5s; without news the next change is in 1m22.5s
	// live: last sign of life 10s ago, limit 1m22.5s; without news the next change is in 30s
	// dead: data was sent and nothing came back for 30s; any RX but handshake initiations, or a handshake, revives it
}

// A dead peer is probed on; Record is told what became of each probe.
func ExampleKernel_Record() {
	kernel, err := liveness.New(liveness.Config{Mode: liveness.ModeActive})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	look := liveness.Observation{Known: true}

	var state liveness.State
	for range 3 {
		var decision liveness.Decision
		state, decision = kernel.Step(state, look, now)
		fmt.Println(now.Format(time.TimeOnly), decision.Action, "-", decision.Reason)
		if decision.Action == liveness.ActionProbe {
			state = kernel.Record(state, liveness.Outcome{Action: liveness.ActionProbe, OK: true}, now)
			_, decision = kernel.Step(state, look, now)
		}
		now = decision.Next
	}

	// Output:
	// 00:00:00 probe - never_heard
	// 00:00:15 probe - never_heard
	// 00:00:30 probe - never_heard
}

// All peers of an interface are swept at once; only what its caller has to act on is reported.
func ExampleKernel_Sweep() {
	kernel, err := liveness.New(liveness.Config{Mode: liveness.ModePassive})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	names := []string{"office", "warehouse", "shop"}
	states := make([]liveness.State, len(names))
	looks := []liveness.Observation{
		{Known: true, Handshake: true, Stamp: now.UnixNano()},
		{Known: true, Handshake: true, Stamp: now.Add(-time.Hour).UnixNano()},
		{Known: true, Handshake: true, Stamp: now.Add(-time.Minute).UnixNano()},
	}
	report := func(i int, d liveness.Decision) { fmt.Println(names[i], "is live:", d.Live) }

	next := kernel.Sweep(states, looks, now, report)
	fmt.Println("then at", next.Format(time.TimeOnly))
	kernel.Sweep(states, looks, next, report)

	// Output:
	// office is live: true
	// shop is live: true
	// then at 00:00:22
	// shop is live: false
}

// While the shop is dead its traffic falls back to the office, whose prefix is broader.
func ExamplePlanRoutes() {
	shop := liveness.Claimant{ID: "shop", Live: true, Routes: []netip.Prefix{netip.MustParsePrefix("10.0.7.0/24")}}
	office := liveness.Claimant{ID: "office", Live: true, Routes: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/16")}}

	var owners liveness.Owners
	for _, live := range []bool{true, false, true} {
		shop.Live = live
		plan, err := liveness.PlanRoutes([]liveness.Claimant{shop, office}, owners, owners, false)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, change := range plan.Changes {
			fmt.Println(change)
		}
		owners = plan.Owners
	}

	// Output:
	// install 10.0.0.0/16 to office
	// install 10.0.7.0/24 to shop
	// withdraw 10.0.7.0/24 from shop, 10.0.0.0/16 carries on
	// install 10.0.7.0/24 to shop
}
