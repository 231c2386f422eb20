package gateway_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// start is where the tests' time begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(secs(seconds)) }

func secs(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

func newKernel(t testing.TB, cfg gateway.Config) *gateway.Kernel {
	t.Helper()
	k, err := gateway.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// What looks find.
var (
	blind   = gateway.Observation{}
	absent  = gateway.Observation{Config: gateway.ConfigAbsent}
	unheard = gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeNever}
	opaque  = gateway.Observation{Config: gateway.ConfigPresent}
)

// heard is a tunnel whose last handshake was at this second.
func heard(second float64) gateway.Observation {
	return gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeSeen, Stamp: at(second).UnixNano()}
}

// acting says that a decision wants an outcome.
func acting(d gateway.Decision) bool {
	return d.Action != gateway.ActionNone && d.Action != gateway.ActionStop
}
