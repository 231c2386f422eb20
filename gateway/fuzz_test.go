package gateway_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// FuzzTimeline reads bytes as a life of a kernel, two for each step, and checks what every step must keep.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0x00, 0x01, 0x30, 0x12, 0xb4, 0x26})
	f.Add([]byte("a peer that goes and comes back"))
	k := newKernel(f, gateway.Config{})
	f.Fuzz(func(t *testing.T, life []byte) {
		var s gateway.State
		now := start
		for ; len(life) >= 2; life = life[2:] {
			now = now.Add(time.Duration(int(life[0])-16) * 5 * time.Second)
			obs := gateway.Observation{
				Disabled: life[1]&0xf0 == 0xf0, Problem: life[1]&0xf0 == 0xe0,
				Config: gateway.ConfigStatus(life[1] & 3), Handshake: gateway.HandshakeStatus(life[1] >> 2 & 3),
				Stamp: now.Add(-time.Duration(life[1]>>4) * 20 * time.Second).UnixNano(),
			}
			before := s
			var d gateway.Decision
			s, d = k.Step(s, obs, now)
			checkStep(t, before, s, d, now)
			if acting(d) && life[1]&0x40 == 0 {
				s = k.Record(s, gateway.Outcome{Action: d.Action, OK: life[1]&0x80 == 0, RetryAfter: time.Duration(life[0]) * time.Second}, now)
			}
		}
	})
}

func checkStep(t *testing.T, before, s gateway.State, d gateway.Decision, now time.Time) {
	t.Helper()
	if d.Reason == 0 || d.Reason > gateway.ReasonHandshakeUnknown || d.Silence < 0 || !d.Next.IsZero() && d.Next.Before(now) {
		t.Fatalf("from %+v at %v: %+v", before, now, d)
	}
	if acting(d) != d.Next.Equal(now) {
		t.Fatalf("from %+v at %v: an action's next is now, and only its: %+v", before, now, d)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &before); err != nil || before != s {
		t.Fatalf("%s came back as %+v: %v", text, before, err)
	}
}

// FuzzState decodes any bytes: a state that is taken makes valid decisions and survives its own encoding.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"last":"2026-01-01T00:05:00Z","attempt":"2026-01-01T00:04:00Z","forced":"2026-01-01T00:01:00Z","floor":"2026-01-01T00:06:00Z","heard":"2026-01-01T00:02:00Z","never":"2026-01-01T00:03:00Z","stamp":7,"failures":3}`))
	k := newKernel(f, gateway.Config{})
	f.Fuzz(func(t *testing.T, text []byte) {
		var s gateway.State
		if json.Unmarshal(text, &s) != nil {
			if s != (gateway.State{}) {
				t.Fatalf("a refused state left %+v behind", s)
			}
			return
		}
		for _, obs := range []gateway.Observation{blind, absent, unheard, opaque, heard(0)} {
			after, d := k.Step(s, obs, start)
			checkStep(t, s, after, d, start)
		}
	})
}
