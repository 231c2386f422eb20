package watchdog_test

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// drawSpan draws a duration in whole seconds, so that boundaries are met often.
func drawSpan(t *rapid.T, name string, low, high int) time.Duration {
	return time.Duration(rapid.IntRange(low, high).Draw(t, name)) * time.Second
}

// drawConfig draws what Validate accepts, with a timeout whose eighth is whole seconds as well.
func drawConfig(t *rapid.T) watchdog.Config {
	cfg := watchdog.Config{Timeout: 8 * drawSpan(t, "timeout", 1, 10), MaxGap: drawSpan(t, "gap", 1, 90)}
	for i := range rapid.IntRange(1, watchdog.MostSources).Draw(t, "sources") {
		cfg.Sources = append(cfg.Sources, watchdog.Source{Name: fmt.Sprint("loop ", i), Budget: drawSpan(t, "budget", 0, 90)})
	}
	if rapid.IntRange(0, 4).Draw(t, "all time counts") == 0 {
		cfg.MaxGap = -1
	}
	if err := cfg.Validate(); err != nil {
		t.Fatalf("the generator made a bad config: %v", err)
	}
	return cfg
}

// drawMaybeOff is drawConfig, now and then without a timeout.
func drawMaybeOff(t *rapid.T) watchdog.Config {
	cfg := drawConfig(t)
	if rapid.IntRange(0, 9).Draw(t, "off") == 0 {
		cfg.Timeout = -1
	}
	return cfg
}

// drawBeat draws who beats: a loop, mostly, or nobody, or a stranger.
func drawBeat(t *rapid.T, k *watchdog.Kernel) watchdog.Observation {
	sources := k.Config().Sources
	switch i := rapid.IntRange(-2, len(sources)-1).Draw(t, "beats"); i {
	case -2:
		return nobody
	case -1:
		return by("stranger")
	default:
		return by(sources[i].Name)
	}
}

// run is a random life of a kernel: beats and pings, and what it ends with.
type run struct {
	k   *watchdog.Kernel
	s   watchdog.State
	d   watchdog.Decision
	obs watchdog.Observation
	now time.Time
}

// watcher sees each step of a life, as the state before it and the run after it, and each record likewise.
type watcher struct {
	step   func(before watchdog.State, r run)
	record func(r run, out watchdog.Outcome)
}

// drawRun draws a life of a kernel of cfg, in which the clock goes back now and then unless it runs forward.
func drawRun(t *rapid.T, cfg watchdog.Config, forward bool, w watcher) run {
	r := run{k: newKernel(t, cfg), now: start}
	low := -20
	if forward {
		low = 0
	}
	for range rapid.IntRange(1, 40).Draw(t, "steps") {
		r.now = r.now.Add(drawSpan(t, "pause", low, rapid.SampledFrom([]int{3, 30, 120}).Draw(t, "longest pause")))
		r.obs = drawBeat(t, r.k)
		before := r.s
		r.s, r.d = r.k.Step(r.s, r.obs, r.now)
		if w.step != nil {
			w.step(before, r)
		}
		if r.d.Action == ping && rapid.IntRange(0, 3).Draw(t, "acts") > 0 {
			r.now = r.now.Add(drawSpan(t, "takes", 0, 9))
			out := watchdog.Outcome{Action: ping, OK: rapid.Bool().Draw(t, "ok")}
			r.s = r.k.Record(r.s, out, r.now)
			if w.record != nil {
				w.record(r, out)
			}
		}
	}
	return r
}

// same compares decisions made at different times by what they say relative to now.
func same(a watchdog.Decision, at time.Time, b watchdog.Decision, bt time.Time) bool {
	if a.Next.IsZero() != b.Next.IsZero() || !a.Next.IsZero() && a.Next.Sub(at) != b.Next.Sub(bt) {
		return false
	}
	a.Next, b.Next = time.Time{}, time.Time{}
	return a == b
}

// drawState draws any state that the decoder takes, with instants from all of the range.
func drawState(t *rapid.T) watchdog.State {
	const earliest = math.MinInt64 + 1
	nanos := func(name string, low, high int64) time.Time {
		ns := rapid.OneOf(rapid.Int64Range(low, high), rapid.Just(high), rapid.Just(low)).Draw(t, name)
		return time.Unix(0, ns).UTC()
	}
	some := func(name string) bool { return rapid.Bool().Draw(t, name+" is set") }
	last := nanos("last", earliest, math.MaxInt64)
	fields := map[string]any{"version": 1, "last": last}
	for _, name := range []string{"good", "failed"} {
		if some(name) {
			fields[name] = nanos(name, earliest, last.UnixNano())
		}
	}
	if some("began") {
		began := nanos("began", earliest, last.UnixNano())
		fields["began"] = began
		beats := []any{}
		for range rapid.IntRange(0, watchdog.MostSources).Draw(t, "beats") {
			var beat any = ""
			if some("beat") {
				beat = nanos("beat", began.UnixNano(), last.UnixNano())
			}
			beats = append(beats, beat)
		}
		fields["beats"] = beats
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var s watchdog.State
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}
