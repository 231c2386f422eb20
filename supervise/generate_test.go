package supervise_test

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// drawSpan draws a duration in whole seconds, so that boundaries are met often.
func drawSpan(t *rapid.T, name string, low, high int) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Second
}

// drawConfig draws what Validate accepts, with a sweep whose nine tenths are whole seconds as well.
func drawConfig(t *rapid.T) supervise.Config {
	cfg := supervise.Config{
		SweepInterval: 10 * drawSpan(t, "sweep", 1, 3),
		Confirm:       rapid.IntRange(1, 3).Draw(t, "confirm"),
		MaxRestarts:   rapid.SampledFrom([]int{1, 2, 3, 16}).Draw(t, "most restarts"),
		Pause:         drawSpan(t, "pause", 1, 200),
		ResetAfter:    drawSpan(t, "reset", 1, 100),
	}
	cfg.Window = time.Duration(cfg.Confirm*cfg.MaxRestarts)*cfg.SweepInterval + drawSpan(t, "more window", 0, 100)
	cfg.MaxGap = cfg.SweepInterval + drawSpan(t, "more gap", 0, 60)
	if rapid.IntRange(0, 4).Draw(t, "all time counts") == 0 {
		cfg.MaxGap = -1
	}
	if err := cfg.Validate(); err != nil {
		t.Fatalf("the generator made a bad config: %v", err)
	}
	return cfg
}

// drawObservation draws a look, mostly at a target that is down and free.
func drawObservation(t *rapid.T) supervise.Observation {
	obs := supervise.Observation{
		Status: supervise.Status(rapid.SampledFrom([]int{0, 1, 1, 1, 2, 3, 3, 3, 3, 3}).Draw(t, "status")),
		Guard:  supervise.Guard(rapid.SampledFrom([]int{0, 0, 0, 0, 0, 0, 1, 2, 3, 4}).Draw(t, "guard")),
	}
	obs.Run = supervise.ID(rapid.SampledFrom([]string{"", "", "", "a", "b"}).Draw(t, "run"))
	obs.Generation = supervise.ID(rapid.SampledFrom([]string{"", "", "", "", "", "a", "a", "b"}).Draw(t, "generation"))
	return obs
}

// drawWait draws the time until the next look: a sweep mostly, or what brings it to a limit.
func drawWait(t *rapid.T, cfg supervise.Config) time.Duration {
	sweep, gap := cfg.SweepInterval, max(cfg.MaxGap, cfg.SweepInterval)
	return rapid.SampledFrom([]time.Duration{
		sweep, sweep, sweep, sweep, sweep, sweep * 9 / 10, sweep * 9 / 10, sweep*9/10 - 1, 0, time.Second, time.Second,
		gap, gap + 1, cfg.Pause, cfg.Window, cfg.Window + 1, cfg.ResetAfter, cfg.ResetAfter - 1,
	}).Draw(t, "wait")
}

// life is a random life of a kernel: looks and attempts, and what it ends with.
type life struct {
	k   *supervise.Kernel
	s   supervise.State
	d   supervise.Decision
	obs supervise.Observation
	now time.Time
}

// watcher sees each step of a life, as the state before it and the life after it, and each record likewise.
type watcher struct {
	step   func(before supervise.State, l life)
	record func(before supervise.State, l life, out supervise.Outcome)
}

// drawLife draws a life of a kernel of cfg, in which the clock goes back now and then.
func drawLife(t *rapid.T, cfg supervise.Config, w watcher) life {
	l := life{k: newKernel(t, cfg), now: start, obs: drawObservation(t)}
	for range rapid.IntRange(1, 60).Draw(t, "steps") {
		l.now = l.now.Add(drawWait(t, l.k.Config()))
		if rapid.IntRange(0, 14).Draw(t, "steps back") == 0 {
			l.now = l.now.Add(-drawSpan(t, "back", 1, 500))
		}
		if rapid.IntRange(0, 3).Draw(t, "news") == 0 {
			l.obs = drawObservation(t)
		}
		before := l.s
		l.s, l.d = l.k.Step(l.s, l.obs, l.now)
		if w.step != nil {
			w.step(before, l)
		}
		if acting(l.d) && rapid.IntRange(0, 9).Draw(t, "acts") > 0 {
			l.now = l.now.Add(rapid.SampledFrom([]time.Duration{0, 0, 0, time.Second, time.Minute}).Draw(t, "takes"))
			out := supervise.Outcome{Action: l.d.Action, OK: rapid.Bool().Draw(t, "ok")}
			before := l.s
			l.s = l.k.Record(l.s, out, l.now)
			if w.record != nil {
				w.record(before, l, out)
			}
		}
	}
	return l
}

// same compares decisions made at different times by what they say relative to now.
func same(a supervise.Decision, at time.Time, b supervise.Decision, bt time.Time) bool {
	if a.Next.IsZero() != b.Next.IsZero() || !a.Next.IsZero() && a.Next.Sub(at) != b.Next.Sub(bt) {
		return false
	}
	a.Next, b.Next = time.Time{}, time.Time{}
	return a == b
}

// drawState draws any state that the decoder takes, with instants from all of the range.
func drawState(t *rapid.T) supervise.State {
	const earliest = math.MinInt64 + 1
	nanos := func(name string, high time.Time) time.Time {
		ns := rapid.OneOf(rapid.Int64Range(earliest, high.UnixNano()), rapid.Just(high.UnixNano()), rapid.Just(int64(earliest))).Draw(t, name)
		return time.Unix(0, ns).UTC()
	}
	latest := time.Unix(0, math.MaxInt64)
	last := nanos("last", latest)
	fields := map[string]any{"version": 1, "last": last}
	some := func(name string, high time.Time) bool {
		if !rapid.Bool().Draw(t, name+" is set") {
			return false
		}
		fields[name] = nanos(name, high)
		return true
	}
	if some("last_restart", latest) {
		some("last_failed_restart", latest)
		if some("spaced", last) {
			fields["restarts"] = drawRestarts(t, fields["spaced"].(time.Time), nanos)
		}
	}
	if some("crash_loop_since", latest) {
		fields["last_crash_loop"] = fields["crash_loop_since"]
		some("gave_up", last)
	}
	if some("seen", last) && some("running", fields["seen"].(time.Time)) {
		fields["run"] = fmt.Sprint(rapid.Uint64Range(1, 3).Draw(t, "run"))
	} else if some("counted", last) {
		fields["sightings"] = rapid.IntRange(1, 255).Draw(t, "sightings")
	}
	return decoded(t, fields)
}

// drawRestarts draws up to as many restarts as a state holds, the latest first.
func drawRestarts(t *rapid.T, at time.Time, nanos func(string, time.Time) time.Time) (restarts []time.Time) {
	for range rapid.IntRange(0, supervise.MostRestarts).Draw(t, "restarts") {
		restarts = append(restarts, at)
		at = nanos("restart", at)
	}
	return restarts
}

func decoded(t *rapid.T, fields map[string]any) (s supervise.State) {
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}
