package backoff_test

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// expectation is what a history has come to.
type expectation struct {
	failures  int
	elapsed   time.Duration // since the streak's first failure
	healthy   time.Duration // since the first success behind the last failure
	exhausted bool
}

// expect works a history out the slow way: it looks back over all of it at each record. Time that the clock went back
// counts as none.
func expect(cfg backoff.Config, life []record) expectation {
	var watched, begin time.Duration
	var times []time.Duration
	var want expectation
	streak := 0 // where the streak begins
	for i, r := range life {
		if i > 0 {
			watched += max(0, r.at-life[i-1].at)
		}
		times = append(times, watched)
		want = expectation{}
		good := i + 1 // the first of the successes that i ends
		for j := i; j >= streak && life[j].out.OK; j-- {
			good = j
		}
		for j := streak; j <= i; j++ {
			if !life[j].out.OK {
				if want.failures == 0 {
					begin = times[j]
				}
				want.failures++
			}
		}
		if good <= i {
			want.healthy = watched - times[good]
		}
		if r.out.OK && (want.failures == 0 || want.healthy >= cfg.ResetAfter) {
			streak, want = i+1, expectation{}
			continue
		}
		lastFailure := times[min(i, good-1)]
		want.elapsed = lastFailure - begin
		want.exhausted = cfg.MaxRetries > 0 && want.failures > cfg.MaxRetries || cfg.MaxElapsed > 0 && want.elapsed >= cfg.MaxElapsed
	}
	return want
}

// TestLaws6To9AndInvariant13 compares with the slow way: waiting is not health (6), the clock may step (7), limits are inclusive (8),
// exhaustion ends with the streak (9), and max_retries counts retries (13).
func TestLaws6To9AndInvariant13(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, life := newKernel(t, drawConfig(t)), drawLife(t, true)
		want := expect(k.Config(), life)
		s := play(k, life)
		if int(s.Failures()) != want.failures || s.Exhausted() != want.exhausted {
			t.Fatalf("got %v, %d failures; want %+v", s.Reason(), s.Failures(), want)
		}
	})
}

// TestLaw7AStepOfTheClockChangesNothing moves the rest of a life by as much as one wait.
func TestLaw7AStepOfTheClockChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, life := newKernel(t, drawConfig(t)), drawLife(t, false)
		i := rapid.IntRange(0, len(life)-1).Draw(t, "where")
		if i > 0 {
			life[i].at = life[i-1].at // no time passes where the clock steps
		}
		back := time.Duration(rapid.IntRange(1, 1e6).Draw(t, "back")) * time.Second
		stepped := append([]record(nil), life...)
		for j := i; j < len(life); j++ {
			life[j].at = max(life[j].at, life[max(0, j-1)].at)
			stepped[j].at = life[j].at - back
		}
		a, b := play(k, life), play(k, stepped)
		if a.Failures() != b.Failures() || a.Reason() != b.Reason() || a.Delay() != b.Delay() {
			t.Fatalf("%+v became %+v", a, b)
		}
	})
}

// TestLaw9ASuccessEndsExhaustion needs one where there is no reset_after, and health where there is.
func TestLaw9ASuccessEndsExhaustion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, life := drawConfig(t), drawLife(t, true)
		k := newKernel(t, cfg)
		s, now := play(k, life), start.Add(life[len(life)-1].at)
		s = k.Record(s, backoff.Outcome{OK: true}, now)
		s = k.Record(s, backoff.Outcome{OK: true}, now.Add(max(0, cfg.ResetAfter)))
		if now.Add(max(0, cfg.ResetAfter)).Year() < 2262 && (s.Exhausted() || s.Failures() != 0) {
			t.Fatalf("still %v after %d failures", s.Reason(), s.Failures())
		}
	})
}

// TestRetryAfterIsAFloor compares each record with the same one that asks for nothing.
func TestRetryAfterIsAFloor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, life := newKernel(t, drawConfig(t)), drawLife(t, true)
		last := len(life) - 1
		asked := play(k, life)
		after := min(life[last].out.RetryAfter, k.Config().MaxRetryAfter)
		life[last].out.RetryAfter = 0
		plain := play(k, life)
		want := max(plain.Delay(), after)
		if plain.Exhausted() {
			want = 0
		}
		if asked.Delay() != want || asked.Failures() != plain.Failures() || asked.Exhausted() != plain.Exhausted() {
			t.Fatalf("asked for %v: got %v, want %v", after, asked.Delay(), want)
		}
	})
}

// reload is v, written to JSON and read back.
func reload[V comparable](t *rapid.T, v V) V {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var back V
	if err := json.Unmarshal(text, &back); err != nil || back != v {
		t.Fatalf("%s came back as %+v: %v", text, back, err)
	}
	return back
}

// TestRoundTrip keeps configuration, outcome and state in JSON between any two records.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		k, again := newKernel(t, cfg), newKernel(t, reload(t, cfg))
		if again.Config() != reload(t, k.Config()) {
			t.Fatalf("%+v came back as %+v", k.Config(), again.Config())
		}
		var s, kept backoff.State
		for _, r := range drawLife(t, true) {
			s = k.Record(s, r.out, start.Add(r.at))
			kept = reload(t, again.Record(reload(t, kept), reload(t, r.out), start.Add(r.at)))
			if s != kept {
				t.Fatalf("%+v, through JSON %+v", s, kept)
			}
		}
	})
}
