package evenkeel_test

import (
	"fmt"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// A tunnel that never has a handshake, looked at every ten seconds for seven minutes.
func Example() {
	kernel, err := gateway.New(gateway.Config{})
	silent := gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeNever}
	var state gateway.State
	for now := time.Unix(0, 0).UTC(); err == nil && now.Minute() < 7; now = now.Add(10 * time.Second) {
		next, d := kernel.Step(state, silent, now)
		if state = next; d.Action != gateway.ActionNone {
			fmt.Println(now.Format(time.TimeOnly), d.Action, "-", kernel.Explain(state, d))
			state = kernel.Record(state, gateway.Outcome{Action: d.Action, OK: true}, now)
		}
	}
	// Output:
	// 00:03:00 force_refresh - tunnel_silent: silent for 3m0s, limit 3m0s; rebuild the tunnel now
	// 00:06:00 force_refresh - tunnel_silent: silent for 6m0s, limit 3m0s; rebuild the tunnel now
}
