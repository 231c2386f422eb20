package backoff_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// FuzzState decodes any bytes as a state. What the decoder takes must be total: a record of it is a valid state again.
func FuzzState(f *testing.F) {
	const streak = `{"version":1,"last":"2026-01-01T00:00:09Z","first":"2026-01-01T00:00:00Z",`
	for _, seed := range []string{
		`{"version":1,"reason":"fresh"}`,
		`{"version":1,"last":"1677-09-21T00:12:43.145224193Z","reason":"ok"}`,
		`{"version":1,"last":"2262-04-11T23:47:16.854775807Z","delay":"2562047h47m16.854775807s","reason":"retry_after"}`,
		streak + `"delay":"1s","failures":4294967295,"reason":"backoff"}`,
		streak + `"ok_since":"2026-01-01T00:00:05Z","failures":3,"reason":"recovering"}`,
		streak + `"failures":3,"reason":"max_retries"}`,
		streak + `"ok_since":"2026-01-01T00:00:05Z","failures":3,"reason":"max_elapsed"}`,
		streak + `"failures":3,"reason":"ok"}`,
		`{"version":2}`,
		`null`,
	} {
		f.Add([]byte(seed), true, int64(time.Minute), int64(10))
		f.Add([]byte(seed), false, int64(-1), int64(-1<<62))
	}
	k := newKernel(f, backoff.Config{Jitter: backoff.JitterFull, ResetAfter: time.Second, MaxRetries: 5, MaxElapsed: time.Hour})
	f.Fuzz(func(t *testing.T, text []byte, ok bool, after, seconds int64) {
		var s backoff.State
		if json.Unmarshal(text, &s) != nil {
			if s != (backoff.State{}) {
				t.Fatalf("a refused state left %+v", s)
			}
			return
		}
		now := time.Unix(seconds, 0)
		for _, s := range []backoff.State{s, k.Record(s, backoff.Outcome{OK: ok, RetryAfter: time.Duration(after)}, now)} {
			if s.Delay() < 0 || s.Remaining(now) < 0 || s.Remaining(now) > s.Delay() {
				t.Fatalf("%v of %v remain", s.Remaining(now), s.Delay())
			}
			_ = k.Explain(s)
			text, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			var back backoff.State
			if err := json.Unmarshal(text, &back); err != nil || back != s {
				t.Fatalf("%s came back as %+v: %v", text, back, err)
			}
		}
	})
}
