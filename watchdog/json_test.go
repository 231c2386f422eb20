package watchdog_test

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/enum/enumtest"
	"github.com/evenkeel-go/evenkeel/watchdog"
)

func TestStateRefusesWhatNoRunProduces(t *testing.T) {
	const last = `"version":1,"last":"2026-01-01T00:05:00Z"`
	const began = last + `,"began":"2026-01-01T00:01:00Z"`
	for _, row := range []struct{ name, text, want string }{
		{"no object", `7`, "not a JSON object"},
		{"no version", `{}`, "version: missing, want 1"},
		{"a later version", `{"version":2}`, "version: 2 is not 1"},
		{"an unknown key", `{` + last + `,"mood":"good"}`, `mood: unknown key`},
		{"no time", `{"version":1,"last":"yesterday"}`, `"yesterday" is not an RFC 3339 time`},
		{"a time out of range", `{"version":1,"last":"2300-01-01T00:00:00Z"}`, "outside the years 1678 to 2262"},
		{"a first look after the last one", `{` + last + `,"began":"2026-01-01T00:05:01Z"}`, "began: "},
		{"a first look without a last one", `{"version":1,"began":"2026-01-01T00:05:01Z"}`, "began: "},
		{"a ping after the last look", `{` + last + `,"good":"2026-01-01T00:05:01Z"}`, "good: "},
		{"a failed one after the last look", `{` + last + `,"failed":"2026-01-01T00:05:01Z"}`, "failed: "},
		{"a ping without a look", `{"version":1,"good":"2026-01-01T00:05:01Z"}`, "good: "},
		{"a beat after the last look", `{` + began + `,"beats":["2026-01-01T00:05:01Z"]}`, "beats[0]: "},
		{"a beat before the first look", `{` + began + `,"beats":["","2026-01-01T00:00:59Z"]}`, "beats[1]: "},
		{"a beat without a first look", `{` + last + `,"beats":["2026-01-01T00:04:00Z"]}`, "began: unset"},
		{"more beats than loops", `{` + began + `,"beats":["","","","","","","","",""]}`, "beats: 9 is above 8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			var s watchdog.State
			err := json.Unmarshal([]byte(row.text), &s)
			if err == nil || !strings.Contains(err.Error(), row.want) || !strings.HasPrefix(err.Error(), "watchdog: state: ") {
				t.Errorf("got %v, want it to say %q", err, row.want)
			}
			if s != (watchdog.State{}) {
				t.Errorf("it left %+v behind", s)
			}
		})
	}
}

// TestStateInJSON has every field, at, just before and just after what refuses it, and says what is written.
func TestStateInJSON(t *testing.T) {
	const whole = `{"version":1,"last":"2026-01-01T00:00:09Z","began":"2026-01-01T00:00:01Z","good":"2026-01-01T00:00:08Z","failed":"2026-01-01T00:00:09Z","beats":["","2026-01-01T00:00:02Z"]}`
	k := newKernel(t, pair)
	s, _ := k.Step(watchdog.State{}, nobody, at(1))
	s, _ = k.Step(s, by("b"), at(2))
	s = k.Record(s, watchdog.Outcome{Action: ping, OK: true}, at(8))
	s = k.Record(s, watchdog.Outcome{Action: ping}, at(9))
	for text, want := range map[string]watchdog.State{`{"version":1}`: {}, whole: s} {
		written, err := json.Marshal(want)
		if err != nil || string(written) != text {
			t.Errorf("got  %s (%v)\nwant %s", written, err, text)
		}
		var back watchdog.State
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != want {
			t.Errorf("%s came back as %+v: %v", text, back, err)
		}
	}
}

func TestObservationIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]watchdog.Observation{
		`{}`:              nobody,
		`{"beat":""}`:     nobody,
		`{"beat":"main"}`: by("main"),
	} {
		got := by("before")
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{`{"beats":"main"}`: `beats: unknown key`, `{"beat":7}`: "beat"} {
		var got watchdog.Observation
		if err := json.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestOutcomeIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]watchdog.Outcome{
		`{"action":"ping"}`:            {Action: ping, OK: true},
		`{"action":"ping","ok":true}`:  {Action: ping, OK: true},
		`{"action":"ping","ok":false}`: {Action: ping},
	} {
		var got watchdog.Outcome
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &got); err != nil || got != want {
			t.Errorf("%s: came back as %+v, %v", again, got, err)
		}
	}
	for text, want := range map[string]string{
		`{"action":"pong"}`:             `action: "pong" is none of none, ping`,
		`{"action":"ping","okay":true}`: `okay: unknown key`,
	} {
		var out watchdog.Outcome
		if err := json.Unmarshal([]byte(text), &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

// TestNamesGoBothWays reads every name back, and refuses all others.
func TestNamesGoBothWays(t *testing.T) {
	enumtest.Check(t, watchdog.ActionNone, "none", "ping")
	enumtest.Check(t, watchdog.ReasonOff, "off", "withheld", "no_beat", "recent", "beat")
}

// TestDecisionInALog leaves out what a decision does not have.
func TestDecisionInALog(t *testing.T) {
	for want, d := range map[string]watchdog.Decision{
		"[action=none reason=off]":                                {Reason: watchdog.ReasonOff},
		"[action=none reason=withheld late=b overdue=5s]":         {Reason: watchdog.ReasonWithheld, Late: "b", Overdue: 5 * time.Second},
		"[action=ping reason=beat next=2026-01-01T00:00:00.000Z]": {Action: ping, Reason: watchdog.ReasonBeat, Next: start},
	} {
		got := slog.AnyValue(d).Resolve().String()
		if got = strings.ReplaceAll(got, " 00:00:00 +0000 UTC", "T00:00:00.000Z"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestAnOutcomeWithoutAnActionIsAPing: there is no other.
func TestAnOutcomeWithoutAnActionIsAPing(t *testing.T) {
	var out watchdog.Outcome
	if err := json.Unmarshal([]byte(`{"ok":false}`), &out); err != nil || out != (watchdog.Outcome{Action: watchdog.ActionPing}) {
		t.Errorf("got %+v, %v", out, err)
	}
	if err := json.Unmarshal([]byte(`{"action":"none"}`), &out); err == nil || err.Error() != "action: none has no outcome" {
		t.Errorf("got %v", err)
	}
}
