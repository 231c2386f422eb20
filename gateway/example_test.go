package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// A kernel is asked what to do, and told what became of it.
func ExampleKernel_Step() {
	kernel, err := gateway.New(gateway.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	lost := gateway.Observation{Config: gateway.ConfigAbsent}

	state, decision := kernel.Step(gateway.State{}, lost, now)
	fmt.Println(decision.Action, "-", decision.Reason)

	state = kernel.Record(state, gateway.Outcome{Action: decision.Action, OK: false}, now)
	state, decision = kernel.Step(state, lost, now)
	fmt.Println(decision.Action, "-", kernel.Explain(state, decision))

	// Output:
	// register - never_registered
	// none - retry_wait: there is no configuration, and 1 failed in a row; registering again in 30s
}

// A silent tunnel is rebuilt, and no periodic refresh stands in the way.
func ExampleKernel_Explain() {
	kernel, err := gateway.New(gateway.Config{RefreshInterval: time.Minute, MaxGap: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	silent := gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeNever}

	state, _ := kernel.Step(gateway.State{}, silent, now)
	state, decision := kernel.Step(state, silent, now.Add(3*time.Minute))
	fmt.Println(kernel.Explain(state, decision))

	// Output:
	// tunnel_silent: silent for 3m0s, limit 3m0s; rebuild the tunnel now
}

// memory is a store for the example.
type memory struct{ key string }

func (m *memory) Load(context.Context) (string, error) {
	if m.key == "" {
		return "", fs.ErrNotExist
	}
	return m.key, nil
}

func (m *memory) Save(_ context.Context, key string) error {
	m.key = key
	return nil
}

// The first registration fails after the key material was minted; the second one loads it.
func ExampleEnroller() {
	minted := 0
	enroller := &gateway.Enroller[string]{
		Store: &memory{},
		Mint: func(context.Context) (string, error) {
			minted++
			return fmt.Sprint("key ", minted), nil
		},
	}
	register := func(gatewayUp bool) error {
		key, err := enroller.Material(context.Background())
		if err != nil {
			return err
		}
		if !gatewayUp {
			return errors.New("the gateway is down")
		}
		fmt.Println("registered with", key)
		return nil
	}

	fmt.Println(register(false))
	fmt.Println(register(true))
	fmt.Println("minted:", minted)

	// Output:
	// the gateway is down
	// registered with key 1
	// <nil>
	// minted: 1
}
