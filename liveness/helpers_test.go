package liveness_test

import (
	"math"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// start is where the tests' time begins.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return start.Add(secs(seconds)) }

func secs(seconds float64) time.Duration {
	return time.Duration(math.Round(seconds * float64(time.Second)))
}

// tick is the smallest step of time, in seconds.
const tick = 1e-9

// failer is a test, a benchmark, a fuzz target or a rapid check.
type failer interface {
	Helper()
	Fatal(args ...any)
}

func newKernel(t failer, cfg liveness.Config) *liveness.Kernel {
	t.Helper()
	k, err := liveness.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// the names that the tables use
const (
	none  = liveness.ActionNone
	probe = liveness.ActionProbe
)

// The usual kernels with all time counted, so that a row can jump: 82.5 s of silence, and 45 s under probes.
var (
	passive  = liveness.Config{Mode: liveness.ModePassive, MaxGap: -1}
	active   = liveness.Config{Mode: liveness.ModeActive, MaxGap: -1}
	disabled = liveness.Config{Mode: liveness.ModeDisabled}
)

// blind is a look that failed.
var blind liveness.Observation

// seen is a look that found these counters and no handshake ever.
func seen(received, sent int64) liveness.Observation {
	return liveness.Observation{Known: true, ReceiveBytes: received, TransmitBytes: sent}
}

// shaken is a look that found these counters and the last handshake at this second.
func shaken(received, sent int64, second float64) liveness.Observation {
	obs := seen(received, sent)
	obs.Handshake, obs.Stamp = true, at(second).UnixNano()
	return obs
}

// mute is obs without a way to send a probe.
func mute(obs liveness.Observation) liveness.Observation {
	obs.NoProbe = true
	return obs
}

// What WireGuard's own messages add to the counters, and what data may.
const (
	initiation = 148
	response   = 92
	keepalive  = 32
	data       = 1001
)
