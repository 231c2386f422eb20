package watchdog_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// FuzzTimeline reads bytes as a life of a kernel, two for each step, and checks what every step must keep.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0x10, 0x00, 0x10, 0x01, 0x18, 0x00, 0x18, 0x00, 0x30, 0x41, 0x08, 0x80})
	f.Add([]byte("two loops, one of which hangs"))
	k := newKernel(f, with(pair, 40*time.Second))
	f.Fuzz(func(t *testing.T, life []byte) {
		var s watchdog.State
		now := start
		for ; len(life) >= 2; life = life[2:] {
			now = now.Add(time.Duration(int(life[0])-16) * time.Second)
			obs := []watchdog.Observation{by("a"), by("b"), nobody, by("stranger")}[life[1]&3]
			before := s
			var d watchdog.Decision
			s, d = k.Step(s, obs, now)
			checkStep(t, k, before, obs, s, d, now)
			if d.Action == ping && life[1]&0x40 == 0 {
				s = k.Record(s, watchdog.Outcome{Action: ping, OK: life[1]&0x80 == 0}, now.Add(time.Duration(life[1]>>2&3)*time.Second))
			}
		}
	})
}

func checkStep(t *testing.T, k *watchdog.Kernel, before watchdog.State, obs watchdog.Observation, s watchdog.State, d watchdog.Decision, now time.Time) {
	t.Helper()
	checkValid(t, d, now)
	checkKept(t, s)
	if d.Action == ping && obs != by("a") && obs != by("b") {
		t.Fatalf("from %+v at %v: a ping for %+v", before, now, obs)
	}
	late := false
	for i, source := range k.Config().Sources {
		late = late || s.Silence(i) >= source.Budget
	}
	if late != (d.Reason == watchdog.ReasonWithheld) {
		t.Fatalf("from %+v at %v: a loop is late: %v, and yet %+v", before, now, late, d)
	}
	if again, same := k.Step(s, obs, now); again != s || same != d {
		t.Fatalf("from %+v at %v: the same look again gave %+v after %+v", before, now, same, d)
	}
}

// FuzzState decodes any bytes: a state that is taken makes valid decisions and survives its own encoding.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"last":"2026-01-01T00:05:00Z","began":"2026-01-01T00:00:00Z","good":"2026-01-01T00:04:00Z","failed":"2026-01-01T00:03:00Z","beats":["","2026-01-01T00:02:00Z"]}`))
	k := newKernel(f, pair)
	f.Fuzz(func(t *testing.T, text []byte) {
		var s watchdog.State
		if json.Unmarshal(text, &s) != nil {
			if s != (watchdog.State{}) {
				t.Fatalf("a refused state left %+v behind", s)
			}
			return
		}
		checkKept(t, s)
		for _, obs := range []watchdog.Observation{nobody, by("a"), by("b"), by("stranger")} {
			after, d := k.Step(s, obs, start)
			checkValid(t, d, start)
			checkKept(t, after)
			checkKept(t, k.Record(after, watchdog.Outcome{Action: d.Action, OK: true}, at(1)))
		}
	})
}
