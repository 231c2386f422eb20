package backoff_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// TestStateInJSON holds the form in which states are kept, which must go on being read.
func TestStateInJSON(t *testing.T) {
	k := newKernel(t, backoff.Config{ResetAfter: 30 * time.Second})
	for _, row := range []struct {
		name    string
		history []record
		want    string
	}{
		{"fresh", nil, `{"version":1,"reason":"fresh"}`},
		{"ok", []record{ok(1)}, `{"version":1,"last":"2026-01-01T00:00:01Z","reason":"ok"}`},
		{
			"backoff",
			[]record{fail(1), fail(3.5)},
			`{"version":1,"last":"2026-01-01T00:00:03.5Z","first":"2026-01-01T00:00:01Z","delay":"2s","failures":2,"reason":"backoff"}`,
		},
		{
			"recovering",
			[]record{fail(1), ok(2), ok(3)},
			`{"version":1,"last":"2026-01-01T00:00:03Z","first":"2026-01-01T00:00:01Z","ok_since":"2026-01-01T00:00:02Z","failures":1,"reason":"recovering"}`,
		},
	} {
		s := play(k, row.history)
		text, err := json.Marshal(s)
		if err != nil || string(text) != row.want {
			t.Errorf("%s: got %s (%v), want %s", row.name, text, err, row.want)
		}
		var back backoff.State
		if err := json.Unmarshal([]byte(row.want), &back); err != nil || back != s {
			t.Errorf("%s: came back as %+v (%v), want %+v", row.name, back, err, s)
		}
	}
}

// TestARestartKeepsTheSchedule reloads a state and asks for the same deadline.
func TestARestartKeepsTheSchedule(t *testing.T) {
	k := newKernel(t, backoff.Config{Jitter: backoff.JitterEqual, Key: "x"})
	s := play(k, fails(6, 0, 10))
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back backoff.State
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if back != s || !back.Due().Equal(s.Due()) || back.Remaining(at(55)) != s.Remaining(at(55)) {
		t.Errorf("due at %v, want %v", back.Due(), s.Due())
	}
}

// TestStatesThatNoRunProducesAreRefused has each contradiction once, and wants the field named.
func TestStatesThatNoRunProducesAreRefused(t *testing.T) {
	const (
		t0, t1, t2 = `"2026-01-01T00:00:00Z"`, `"2026-01-01T00:00:01Z"`, `"2026-01-01T00:00:02Z"`
		streak     = `{"version":1,"last":` + t1 + `,"first":` + t0 + `,"failures":1,`
	)
	for _, row := range []struct{ name, text, want string }{
		{"no version", `{}`, "version: missing, want 1"},
		{"another version", `{"version":2}`, "version: 2 is not 1"},
		{"version nought", `{"version":0,"reason":"fresh"}`, "version: 0 is not 1"},
		{"a version that is no number", `{"version":"1"}`, "not a JSON object"},
		{"no object", `[1]`, "not a JSON object"},
		{"null", `null`, "version: missing"},
		{"an unknown key", `{"version":1,"reason":"fresh","when":1}`, `when: unknown key`},
		{"an unknown reason", `{"version":1,"reason":"tired"}`, `reason: "tired" is none of fresh, ok`},
		{"a time that is none", `{"version":1,"last":"noon","reason":"ok"}`, `"noon" is not an RFC 3339 time`},
		{"a time out of range", `{"version":1,"last":"0001-01-01T00:00:00Z","reason":"ok"}`, "lies outside the years 1678 to 2262"},
		{"a delay that is none", `{"version":1,"delay":"long"}`, `"long" is not a duration`},
		{"too many failures", `{"version":1,"failures":4294967296}`, "failures"},
		{"fresh with a last", `{"version":1,"last":` + t1 + `,"reason":"fresh"}`, "state: reason: "},
		{"ok without a last", `{"version":1,"reason":"ok"}`, "state: reason: "},
		{"failures without a first", `{"version":1,"last":` + t1 + `,"failures":1,"delay":"1s","reason":"backoff"}`, "state: first: "},
		{"a first without failures", `{"version":1,"last":` + t1 + `,"first":` + t0 + `,"reason":"ok"}`, "state: first: "},
		{"a first after the last", `{"version":1,"last":` + t1 + `,"first":` + t2 + `,"failures":1,"delay":"1s","reason":"backoff"}`, "state: first: "},
		{"health without a streak", `{"version":1,"last":` + t1 + `,"ok_since":` + t0 + `,"reason":"ok"}`, "state: ok_since: "},
		{"health after the last", streak + `"ok_since":` + t2 + `,"reason":"recovering"}`, "state: ok_since: "},
		{"health before the first", `{"version":1,"last":` + t2 + `,"first":` + t1 + `,"failures":1,"ok_since":` + t0 + `,"reason":"recovering"}`, "state: ok_since: "},
		{"a negative delay", streak + `"delay":"-1s","reason":"backoff"}`, "state: delay: "},
		{"ok with a wait", `{"version":1,"last":` + t1 + `,"delay":"1s","reason":"ok"}`, "state: reason: "},
		{"ok within a streak", streak + `"reason":"ok"}`, "state: reason: "},
		{"fresh with a wait", `{"version":1,"delay":"1s","reason":"fresh"}`, "state: reason: "},
		{"recovering without health", streak + `"reason":"recovering"}`, "state: reason: "},
		{"recovering with a wait", streak + `"ok_since":` + t1 + `,"delay":"1s","reason":"recovering"}`, "state: reason: "},
		{"backoff without a wait", streak + `"reason":"backoff"}`, "state: reason: "},
		{"backoff with health", streak + `"ok_since":` + t1 + `,"delay":"1s","reason":"backoff"}`, "state: reason: "},
		{"backoff without a streak", `{"version":1,"last":` + t1 + `,"delay":"1s","reason":"backoff"}`, "state: reason: "},
		{"retry_after without a wait", streak + `"reason":"retry_after"}`, "state: reason: "},
		{"exhausted with a wait", streak + `"delay":"1s","reason":"max_retries"}`, "state: reason: "},
		{"exhausted without a streak", `{"version":1,"last":` + t1 + `,"reason":"max_elapsed"}`, "state: reason: "},
	} {
		s := play(newKernel(t, backoff.Config{}), fails(3, 0, 1))
		before := s
		err := json.Unmarshal([]byte(row.text), &s)
		if err == nil || !strings.HasPrefix(err.Error(), "backoff: state: ") || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: got %v, want %s", row.name, err, row.want)
		}
		if s != before {
			t.Errorf("%s: a refused state left %+v", row.name, s)
		}
	}
}

func TestOutcomeInJSON(t *testing.T) {
	for text, want := range map[string]backoff.Outcome{
		`{}`:                                  {OK: true},
		`{"ok":true}`:                         {OK: true},
		`{"ok":false}`:                        {},
		`{"ok":false,"retry_after":"30s"}`:    {RetryAfter: 30 * time.Second},
		`{"retry_after":"1m"}`:                {OK: true, RetryAfter: time.Minute},
		`{"ok":false,"retry_after":"-1.5ms"}`: {RetryAfter: -1500 * time.Microsecond},
	} {
		var got backoff.Outcome
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v (%v), want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"okay":true}`:       `okay: unknown key`,
		`{"ok":"yes"}`:        "is not true or false",
		`{"retry_after":30}`:  "30 is not a string",
		`{"retry_after":"x"}`: `"x" is not a duration such as "30s"`,
	} {
		out := backoff.Outcome{RetryAfter: 1}
		if err := json.Unmarshal([]byte(text), &out); err == nil || !strings.Contains(err.Error(), want) || out.RetryAfter != 1 {
			t.Errorf("%s: got %v and %+v, want %s", text, err, out, want)
		}
	}
}

// TestNames reads every name back, and refuses to write what has none.
func TestNames(t *testing.T) {
	for j := backoff.JitterNone; j <= backoff.JitterDown; j++ {
		var back backoff.Jitter
		if text, err := j.MarshalText(); err != nil || string(text) != j.String() || back.UnmarshalText(text) != nil || back != j {
			t.Errorf("jitter %d came back as %v (%v)", j, back, err)
		}
	}
	for r := backoff.ReasonFresh; r <= backoff.ReasonMaxElapsed; r++ {
		var back backoff.Reason
		if text, err := r.MarshalText(); err != nil || string(text) != r.String() || back.UnmarshalText(text) != nil || back != r {
			t.Errorf("reason %d came back as %v (%v)", r, back, err)
		}
	}
	if text, err := backoff.Jitter(4).MarshalText(); err == nil || backoff.Jitter(4).String() != "jitter(4)" {
		t.Errorf("jitter 4 is %q (%v)", text, err)
	}
	if text, err := backoff.Reason(7).MarshalText(); err == nil || backoff.Reason(7).String() != "reason(7)" {
		t.Errorf("reason 7 is %q (%v)", text, err)
	}
}
