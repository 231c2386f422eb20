package liveness_test

import (
	"encoding/json"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/enum/enumtest"
	"github.com/evenkeel-go/evenkeel/liveness"
)

func TestStateRefusesWhatNoRunProduces(t *testing.T) {
	const last, later = `"version":1,"last":"2026-01-01T00:05:00Z"`, `"2026-01-01T00:05:00.000000001Z"`
	const looked = last + `,"looked":"2026-01-01T00:05:00Z"`
	for _, row := range []struct{ name, text, want string }{
		{"no object", `7`, "liveness: state: not a JSON object"},
		{"no version", `{}`, "version: missing, want 1"},
		{"a later version", `{"version":2}`, "version: 2 is not 1"},
		{"an unknown key", `{` + last + `,"mood":"good"}`, `mood: unknown key`},
		{"no time", `{"version":1,"last":"yesterday"}`, `"yesterday" is not an RFC 3339 time`},
		{"a time out of range", `{"version":1,"last":"2300-01-01T00:00:00Z"}`, "outside the years 1678 to 2262"},
		{"a look after the last step", `{` + last + `,"looked":` + later + `}`, "looked: "},
		{"progress after the last step", `{` + looked + `,"progress":` + later + `}`, "progress: "},
		{"data after the last step", `{` + looked + `,"data":` + later + `}`, "data: "},
		{"a probe after the last step", `{` + looked + `,"probed":` + later + `}`, "probed: "},
		{"a look without a step", `{"version":1,"looked":"2026-01-01T00:05:00Z"}`, "looked: "},
		{"progress without a look", `{` + last + `,"progress":"2026-01-01T00:05:00Z"}`, "looked: unset"},
		{"data without a look", `{` + last + `,"data":"2026-01-01T00:05:00Z"}`, "looked: unset"},
		{"knocks without a look", `{` + last + `,"knocks":1}`, "looked: unset"},
		{"bytes received without a look", `{` + last + `,"receive_bytes":1}`, "looked: unset"},
		{"bytes sent without a look", `{` + last + `,"transmit_bytes":1}`, "looked: unset"},
		{"a handshake without a look", `{` + last + `,"stamped":true}`, "looked: unset"},
		{"a torn look without one before", `{` + last + `,"torn":true}`, "looked: unset"},
		{"a stamp of no handshake", `{` + looked + `,"stamp":5}`, "stamp: "},
		{"probes that were never sent", `{` + looked + `,"probes":1}`, "probed: unset"},
		{"a failed probe that was never sent", `{` + looked + `,"unsending":true}`, "probed: unset"},
		{"more probes than are counted", `{` + looked + `,"probes":256}`, "probes"},
		{"negative knocks", `{` + looked + `,"knocks":-1}`, "knocks"},
		{"a life with a cause of death", `{` + looked + `,"live":true,"cause":"silent"}`, "cause: silent, though the peer lives"},
		{"a death of life", `{` + looked + `,"cause":"live"}`, "cause: live is no cause of death"},
		{"a death of quiet", `{` + looked + `,"cause":"quiet"}`, "cause: quiet is no cause of death"},
		{"a death of nothing known", `{` + looked + `,"cause":"unknown"}`, "cause: unknown is no cause of death"},
		{"a death of a torn look", `{` + looked + `,"cause":"torn"}`, "cause: torn is no cause of death"},
		{"a death of boredom", `{` + looked + `,"cause":"boredom"}`, `"boredom"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			var s liveness.State
			err := json.Unmarshal([]byte(row.text), &s)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want it to say %q", err, row.want)
			}
			if s != (liveness.State{}) {
				t.Errorf("it left %+v behind", s)
			}
		})
	}
}

// TestStateTakesWhatARunProduces, up to its boundaries.
func TestStateTakesWhatARunProduces(t *testing.T) {
	const last = `"version":1,"last":"2026-01-01T00:05:00Z"`
	for _, text := range []string{
		`{"version":1}`,
		`{` + last + `,"live":true}`,
		`{` + last + `,"changed":"2026-01-01T00:06:00Z"}`,
		`{` + last + `,"looked":"2026-01-01T00:05:00Z","progress":"2026-01-01T00:05:00Z","data":"2026-01-01T00:05:00Z","probed":"2026-01-01T00:05:00Z","receive_bytes":1,"transmit_bytes":2,"stamp":3,"probes":255,"knocks":255,"stamped":true,"torn":true,"unsending":true,"cause":"one_way"}`,
	} {
		var s liveness.State
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if again, err := json.Marshal(s); err != nil || string(again) != text {
			t.Errorf("%s came back as %s, %v", text, again, err)
		}
	}
}

func TestObservationIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]liveness.Observation{
		`{}`:               seen(0, 0),
		`{"unknown":true}`: blind,
		`{"receive_bytes":5,"transmit_bytes":7,"last_handshake":"never"}`: seen(5, 7),
		`{"receive_bytes":5,"last_handshake":"2026-01-01T00:00:03Z"}`:     shaken(5, 0, 3),
		`{"probe":"unavailable"}`:                   mute(seen(0, 0)),
		`{"probe":"available"}`:                     seen(0, 0),
		`{"last_handshake":"1970-01-01T00:00:00Z"}`: {Known: true, Handshake: true},
	} {
		var got liveness.Observation
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"last_handshake":"tomorrow"}`: `last_handshake: "tomorrow" is not an RFC 3339 time, nor never`,
		`{"probe":"perhaps"}`:           `probe: "perhaps" is neither available nor unavailable`,
		`{"receive_bytes":-1}`:          `receive_bytes: -1`,
		`{"transmit_bytes":-1}`:         `transmit_bytes: -1`,
		`{"receive_bytes":1.5}`:         `receive_bytes`,
		`{"rx":1}`:                      `rx: unknown key`,
	} {
		got := shaken(1, 1, 1)
		if err := json.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) || got != shaken(1, 1, 1) {
			t.Errorf("%s: got %+v, %v, want it to say %q", text, got, err, want)
		}
	}
}

func TestObservationIsWrittenAsTracesHoldIt(t *testing.T) {
	for text, obs := range map[string]liveness.Observation{
		`{"unknown":true,"receive_bytes":0,"transmit_bytes":0,"last_handshake":"never"}`:        blind,
		`{"receive_bytes":5,"transmit_bytes":7,"last_handshake":"2026-01-01T00:00:03.5Z"}`:      shaken(5, 7, 3.5),
		`{"receive_bytes":5,"transmit_bytes":7,"last_handshake":"never","probe":"unavailable"}`: mute(seen(5, 7)),
	} {
		if got, err := json.Marshal(obs); err != nil || string(got) != text {
			t.Errorf("%+v: got %s, %v", obs, got, err)
		}
	}
}

func TestOutcomeIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]liveness.Outcome{
		`{"action":"probe"}`:            {Action: probe, OK: true},
		`{"action":"probe","ok":false}`: {Action: probe},
	} {
		var got liveness.Outcome
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
	var out liveness.Outcome
	if err := json.Unmarshal([]byte(`{"action":"ping"}`), &out); err == nil || !strings.Contains(err.Error(), `"ping"`) {
		t.Errorf("got %v, want it to name the value", err)
	}
}

func TestAPlanInJSON(t *testing.T) {
	p := plan(t, claims("-A 10.0.0.0/24 172.16.0.0/12 | B 10.0.0.0/16 fd00::/48"), owners("10.0.0.0/24 A 172.16.0.0/12 A"), true)
	text, err := json.Marshal(map[string]any{"owners": p.Owners, "changes": p.Changes})
	const want = `{"changes":[{"prefix":"10.0.0.0/16","to":"B"},{"prefix":"fd00::/48","to":"B"},` +
		`{"prefix":"10.0.0.0/24","from":"A","cover":"10.0.0.0/16"},{"prefix":"172.16.0.0/12","from":"A","unreachable":true}],` +
		`"owners":{"10.0.0.0/16":"B","fd00::/48":"B"}}`
	if err != nil || string(text) != want {
		t.Errorf("got  %s, %v\nwant %s", text, err, want)
	}
	var back liveness.Change
	if err := json.Unmarshal([]byte(`{"prefix":"10.0.0.0/24","from":"A","cover":"10.0.0.0/16"}`), &back); err != nil ||
		back != (liveness.Change{Prefix: netip.MustParsePrefix("10.0.0.0/24"), From: "A", Cover: netip.MustParsePrefix("10.0.0.0/16")}) {
		t.Errorf("came back as %+v: %v", back, err)
	}
}

// TestADecisionIsLogged with what is not zero, and always with its verdict.
func TestADecisionIsLogged(t *testing.T) {
	for want, d := range map[string]liveness.Decision{
		"[action=none reason=unknown live=false]": {Reason: liveness.ReasonUnknown},
		"[action=probe reason=quiet live=true changed=true silence=15s next=2026-01-01 00:00:00 +0000 UTC]": {
			Action: probe, Reason: liveness.ReasonQuiet, Live: true, Changed: true, Silence: 15 * time.Second, Next: start,
		},
	} {
		if got := slog.AnyValue(d).Resolve().String(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestNamesGoBothWays reads every name back, and refuses all others.
func TestNamesGoBothWays(t *testing.T) {
	enumtest.Check(t, liveness.ModeDisabled, "disabled", "passive", "active")
	enumtest.Check(t, liveness.ActionNone, "none", "probe")
	enumtest.Check(t, liveness.ReasonDisabled, "disabled", "unknown", "torn", "never_heard", "live",
		"quiet", "silent", "probes_failed", "unanswered", "one_way")
}
