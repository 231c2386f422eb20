package evenkeel_test

import (
	"fmt"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// A tunnel that never has a handshake, looked at every ten seconds for seven minutes.
func Example() {
	kernel, err := gateway.New(gateway.Config{})
	if err != nil {
		panic(err)
	}
	var state gateway.State
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	silent := gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeNever}
	for range 42 {
		var d gateway.Decision
		state, d = kernel.Step(state, silent, now)
		if d.Action != gateway.ActionNone {
			fmt.Println(now.Format(time.TimeOnly), d.Action, "-", kernel.Explain(state, d))
			state = kernel.Record(state, gateway.Outcome{Action: d.Action, OK: true}, now)
		}
		now = now.Add(10 * time.Second)
	}
	// Output:
	// 12:03:00 force_refresh - tunnel_silent: silent for 3m0s, limit 3m0s; rebuild the tunnel now
	// 12:06:00 force_refresh - tunnel_silent: silent for 6m0s, limit 3m0s; rebuild the tunnel now
}
