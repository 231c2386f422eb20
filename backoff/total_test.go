package backoff_test

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// drawState draws any state that the decoder takes, with instants from all of the range.
func drawState(t *rapid.T) backoff.State {
	nanos := func(name string, low, high int64) int64 {
		return rapid.OneOf(rapid.Int64Range(low, high), rapid.Just(low), rapid.Just(high)).Draw(t, name)
	}
	reason := backoff.Reason(rapid.IntRange(0, 6).Draw(t, "reason"))
	fields := map[string]any{"version": 1, "reason": reason}
	put := func(name string, ns int64) { fields[name] = time.Unix(0, ns).UTC() }
	streak := reason > backoff.ReasonOK
	if reason == backoff.ReasonRetryAfter {
		streak = rapid.Bool().Draw(t, "streak")
	}
	last := nanos("last", math.MinInt64+1, math.MaxInt64)
	if reason != backoff.ReasonFresh {
		put("last", last)
	}
	if streak {
		first := nanos("first", math.MinInt64+1, last)
		put("first", first)
		fields["failures"] = rapid.OneOf(rapid.Uint32Range(1, 9), rapid.Uint32Range(1, math.MaxUint32)).Draw(t, "failures")
		recovers := reason == backoff.ReasonRecovering
		if recovers || reason != backoff.ReasonBackoff && rapid.Bool().Draw(t, "recovers") {
			put("ok_since", nanos("ok_since", first, last))
		}
	}
	if reason == backoff.ReasonBackoff || reason == backoff.ReasonRetryAfter {
		fields["delay"] = time.Duration(nanos("delay", 1, math.MaxInt64)).String()
	}
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	var s backoff.State
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// checkValid wants what holds for every state, whatever came before.
func checkValid(t *rapid.T, k *backoff.Kernel, s backoff.State) {
	t.Helper()
	if s.Delay() < 0 || s.Reason() > backoff.ReasonMaxElapsed || s.Exhausted() && s.Delay() != 0 {
		t.Fatalf("not a state: %+v", s)
	}
	if now := drawTime(t); s.Remaining(now) < 0 || s.Remaining(now) > s.Delay() {
		t.Fatalf("%v remain of %v", s.Remaining(now), s.Delay())
	}
	if s.Due().IsZero() != (s.Delay() == 0) {
		t.Fatalf("a wait of %v is due at %v", s.Delay(), s.Due())
	}
	_ = k.Explain(s)
	reload(t, s)
}

func TestLaw2Total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, s := newKernel(t, drawConfig(t)), drawState(t)
		checkValid(t, k, s)
		for range 3 {
			out := backoff.Outcome{OK: rapid.Bool().Draw(t, "ok"), RetryAfter: time.Duration(rapid.Int64().Draw(t, "after"))}
			before := s.Failures()
			s = k.Record(s, out, drawTime(t))
			checkValid(t, k, s)
			if grown := max(before, before+1); !out.OK && s.Failures() != grown {
				t.Fatalf("a failure after %d made %d", before, s.Failures())
			}
			if s.Reason() == backoff.ReasonFresh {
				t.Fatal("a record left a fresh state")
			}
		}
	})
}
