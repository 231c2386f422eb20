package liveness_test

import (
	"encoding/json"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// drawSpan draws a duration in whole seconds, so that boundaries are met often.
func drawSpan(t *rapid.T, name string, low, high int) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Second
}

// drawJudging draws what Validate accepts of a mode that judges, with limits in whole seconds.
func drawJudging(t *rapid.T) liveness.Config {
	cfg := liveness.Config{
		Mode:            rapid.SampledFrom([]liveness.Mode{liveness.ModePassive, liveness.ModeActive, liveness.ModeActive}).Draw(t, "mode"),
		FailureCount:    rapid.IntRange(1, 5).Draw(t, "failures"),
		Keepalive:       10 * drawSpan(t, "keepalive", 1, 4),
		LocalKeepalive:  drawSpan(t, "ours", 0, 60),
		ProbeInterval:   drawSpan(t, "probe", 1, 30),
		UnansweredAfter: drawSpan(t, "unanswered", 20, 50),
		CheckInterval:   drawSpan(t, "check", 1, 10),
	}
	if rapid.Bool().Draw(t, "derived") {
		cfg.DeadAfter = 0
	} else {
		cfg.DeadAfter = drawSpan(t, "dead after", 1, 100)
	}
	cfg.MaxGap = cfg.CheckInterval + drawSpan(t, "gap", 0, 60)
	for name, field := range map[string]*time.Duration{"keepalives": &cfg.Keepalive, "all time": &cfg.MaxGap, "no rule of answers": &cfg.UnansweredAfter} {
		if rapid.IntRange(0, 6).Draw(t, name) == 0 {
			*field = -1
		}
	}
	if err := cfg.Validate(); err != nil {
		t.Fatalf("the generator made a bad config: %v", err)
	}
	return cfg
}

// drawConfig is drawJudging, now and then of a kernel that doesn't.
func drawConfig(t *rapid.T) liveness.Config {
	cfg := drawJudging(t)
	if rapid.IntRange(0, 9).Draw(t, "disabled") == 0 {
		cfg.Mode = liveness.ModeDisabled
	}
	return cfg
}

// drawNews draws what a look at now finds after one that found last: mostly little, at times half an answer, nonsense or
// nothing.
func drawNews(t *rapid.T, last liveness.Observation, now time.Time) liveness.Observation {
	last.Known, last.NoProbe = true, rapid.IntRange(0, 4).Draw(t, "no probe") == 0
	grow := rapid.SampledFrom([]int64{0, 0, 0, keepalive, response, initiation, 2 * initiation, 4 * initiation, data, far, -1, -1000})
	switch rapid.IntRange(0, 9).Draw(t, "news") {
	case 0:
		last.Known = false
	case 1:
		last.Handshake = !last.Handshake && last.Stamp != 0
	case 2, 3:
		last.Handshake, last.Stamp = true, now.Add(-drawSpan(t, "age", -5, 120)).UnixNano()
	case 4:
		last.Handshake, last.Stamp = true, rapid.Int64Range(0, 1e9).Draw(t, "misread")
	default:
		last.ReceiveBytes += grow.Draw(t, "received")
		last.TransmitBytes += grow.Draw(t, "sent")
	}
	return last
}

// run is a random life of a kernel: looks and probes, and what it ends with.
type run struct {
	k   *liveness.Kernel
	s   liveness.State
	d   liveness.Decision
	obs liveness.Observation
	now time.Time
}

// drawRun draws a life of a kernel of cfg, in which the clock goes back now and then. check, if there is one, sees each
// step: the state before it, and the run after it.
func drawRun(t *rapid.T, cfg liveness.Config, check func(before liveness.State, r run)) run {
	r := run{k: newKernel(t, cfg), now: start}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		r.now = r.now.Add(drawSpan(t, "pause", rapid.SampledFrom([]int{0, 0, -20}).Draw(t, "back"), rapid.SampledFrom([]int{5, 30, 120}).Draw(t, "longest")))
		if rapid.Bool().Draw(t, "moves") {
			r.obs = drawNews(t, r.obs, r.now)
		}
		before := r.s
		r.s, r.d = r.k.Step(r.s, r.obs, r.now)
		if check != nil {
			check(before, r)
		}
		if r.d.Action == probe && rapid.IntRange(0, 3).Draw(t, "acts") > 0 {
			r.now = r.now.Add(drawSpan(t, "takes", 0, 9))
			r.s = r.k.Record(r.s, liveness.Outcome{Action: probe, OK: rapid.IntRange(0, 3).Draw(t, "ok") > 0}, r.now)
		}
	}
	return r
}

// settled is r after two more looks that find the same: nothing is new any more, not even a counter that went back.
func (r run) settled() run {
	r.s, _ = r.k.Step(r.s, r.obs, r.now)
	r.s, _ = r.k.Step(r.s, r.obs, r.now)
	r.s, r.d = r.k.Step(r.s, r.obs, r.now)
	return r
}

// same compares decisions made at different times by what they say relative to now.
func same(a liveness.Decision, at time.Time, b liveness.Decision, bt time.Time) bool {
	if a.Next.IsZero() != b.Next.IsZero() || !a.Next.IsZero() && a.Next.Sub(at) != b.Next.Sub(bt) {
		return false
	}
	a.Next, b.Next = time.Time{}, time.Time{}
	return a == b
}

// drawState draws any state that the decoder takes, with instants from all of the range.
func drawState(t *rapid.T) liveness.State {
	const earliest = math.MinInt64 + 1
	nanos := func(name string, high int64) time.Time {
		return time.Unix(0, rapid.OneOf(rapid.Int64Range(earliest, high), rapid.Just(high), rapid.Just(int64(earliest))).Draw(t, name)).UTC()
	}
	some := func(name string) bool { return rapid.Bool().Draw(t, name) }
	last := nanos("last", math.MaxInt64)
	fields := map[string]any{"version": 1, "last": last, "changed": nanos("changed", math.MaxInt64)}
	if some("looked") {
		fields["looked"] = nanos("looked", last.UnixNano())
		fields["receive_bytes"], fields["transmit_bytes"] = rapid.Int64Range(0, math.MaxInt64).Draw(t, "rx"), rapid.Int64Range(0, math.MaxInt64).Draw(t, "tx")
		fields["knocks"], fields["torn"] = rapid.Uint8().Draw(t, "knocks"), some("torn")
		for _, name := range []string{"progress", "data"} {
			if some(name) {
				fields[name] = nanos(name, last.UnixNano())
			}
		}
		if some("stamped") {
			fields["stamped"], fields["stamp"] = true, rapid.Int64().Draw(t, "stamp")
		}
	}
	if some("probed") {
		fields["probed"], fields["probes"], fields["unsending"] = nanos("probed", last.UnixNano()), rapid.Uint8().Draw(t, "probes"), some("unsending")
	}
	if some("live") {
		fields["live"] = true
	} else if some("cause") {
		fields["cause"] = rapid.SampledFrom([]string{"never_heard", "silent", "probes_failed", "unanswered", "one_way"}).Draw(t, "why")
		if fields["cause"] == "never_heard" {
			delete(fields, "progress")
		}
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var s liveness.State
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}
