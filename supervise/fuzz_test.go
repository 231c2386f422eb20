package supervise_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// FuzzTimeline reads bytes as a life of a kernel, two for each step, and checks what every step must keep.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0x16, 0x03, 0x16, 0x03, 0x16, 0x03, 0x16, 0x43, 0x16, 0x01, 0x04, 0x23, 0x40, 0x0b})
	f.Add([]byte("a target that dies, is restarted and dies again"))
	k := newKernel(f, supervise.Config{MaxRestarts: 2, Pause: 3 * time.Minute, ResetAfter: 90 * time.Second})
	f.Fuzz(func(t *testing.T, bytes []byte) {
		var s supervise.State
		now := start
		for ; len(bytes) >= 2; bytes = bytes[2:] {
			now = now.Add(time.Duration(int(bytes[0])-16) * 5 * time.Second)
			obs := supervise.Observation{
				Status: supervise.Status(bytes[1] & 3), Guard: supervise.Guard(bytes[1] >> 2 & 7),
				Run: uint64(bytes[1] >> 5 & 1), Generation: uint64(bytes[0] & 1),
			}
			before := s
			var d supervise.Decision
			s, d = k.Step(s, obs, now)
			checkStep(t, k, before, obs, s, d, now)
			if acting(d) && bytes[1]&0x40 == 0 {
				s = k.Record(s, supervise.Outcome{Action: d.Action, OK: bytes[1]&0x80 == 0}, now.Add(time.Duration(bytes[0]&7)*time.Second))
				checkKept(t, s)
			}
		}
	})
}

func checkStep(t *testing.T, k *supervise.Kernel, before supervise.State, obs supervise.Observation, s supervise.State, d supervise.Decision, now time.Time) {
	t.Helper()
	checkValid(t, k, d, now)
	checkKept(t, s)
	if acting(d) && (obs.Status != supervise.StatusDown || obs.Guard != supervise.GuardNone || d.Sightings < k.Config().Confirm) {
		t.Fatalf("from %+v at %v, seeing %+v: %+v", before, now, obs, d)
	}
	if again, same := k.Step(s, obs, now); again != s || same != d {
		t.Fatalf("from %+v at %v: the same look again gave %+v after %+v", before, now, same, d)
	}
}

// FuzzState decodes any bytes: a state that is taken makes valid decisions and survives its own encoding.
func FuzzState(f *testing.F) {
	const last = `{"version":1,"last":"2026-01-01T00:05:00Z",`
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(last + `"counted":"2026-01-01T00:04:00Z","sightings":2,"seen":"2026-01-01T00:01:00Z"}`))
	f.Add([]byte(last + `"running":"2026-01-01T00:02:00Z","seen":"2026-01-01T00:05:00Z","run":"7","generation":"18446744073709551615"}`))
	f.Add([]byte(last + `"spaced":"2026-01-01T00:03:00Z","restarts":["2026-01-01T00:03:00Z","2026-01-01T00:01:00Z"],"last_restart":"2026-01-01T00:03:00Z","last_failed_restart":"2026-01-01T00:01:00Z"}`))
	f.Add([]byte(last + `"gave_up":"2026-01-01T00:04:00Z","crash_loop_since":"2026-01-01T00:04:00Z","last_crash_loop":"2026-01-01T00:04:00Z"}`))
	k := newKernel(f, supervise.Config{})
	f.Fuzz(func(t *testing.T, text []byte) {
		var s supervise.State
		if json.Unmarshal(text, &s) != nil {
			if s != (supervise.State{}) {
				t.Fatalf("a refused state left %+v behind", s)
			}
			return
		}
		checkKept(t, s)
		for _, obs := range []supervise.Observation{blind, running, restarting, down, notOurs, parked, busy, unguarded, gen(run(down, "a"), "b")} {
			after, d := k.Step(s, obs, start)
			checkStep(t, k, s, obs, after, d, start)
			for _, a := range []supervise.Action{restart, giveUp} {
				checkKept(t, k.Record(after, supervise.Outcome{Action: a}, at(1)))
			}
		}
	})
}
