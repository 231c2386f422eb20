package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/enum/enumtest"
)

func TestStateRefusesWhatNoRunProduces(t *testing.T) {
	const last = `"version":1,"last":"2026-01-01T00:05:00Z"`
	for _, row := range []struct{ name, text, want string }{
		{"no object", `7`, "not a JSON object"},
		{"no version", `{}`, "version: missing, want 1"},
		{"a later version", `{"version":2}`, "version: 2 is not 1"},
		{"an unknown key", `{` + last + `,"mood":"good"}`, `mood: unknown key`},
		{"no time", `{"version":1,"last":"yesterday"}`, `"yesterday" is not an RFC 3339 time`},
		{"a time out of range", `{"version":1,"last":"2300-01-01T00:00:00Z"}`, "outside the years 1678 to 2262"},
		{"an attempt after the last step", `{` + last + `,"attempt":"2026-01-01T00:05:01Z"}`, "attempt: "},
		{"an attempt without a step", `{"version":1,"attempt":"2026-01-01T00:05:01Z"}`, "attempt: "},
		{"a handshake after the last step", `{` + last + `,"heard":"2026-01-01T00:05:01Z"}`, "heard: "},
		{"no handshake after the last step", `{` + last + `,"never":"2026-01-01T00:05:01Z"}`, "never: "},
		{"no handshake before the last one", `{` + last + `,"heard":"2026-01-01T00:04:00Z","never":"2026-01-01T00:03:00Z"}`, "never: "},
		{"forced after the last attempt", `{` + last + `,"attempt":"2026-01-01T00:03:00Z","forced":"2026-01-01T00:04:00Z"}`, "forced: "},
		{"forced without an attempt", `{` + last + `,"forced":"2026-01-01T00:04:00Z"}`, "forced: "},
		{"a floor without an attempt", `{` + last + `,"floor":"2026-01-01T00:04:00Z"}`, "floor: "},
		{"a floor before the attempt", `{` + last + `,"attempt":"2026-01-01T00:03:00Z","floor":"2026-01-01T00:02:00Z"}`, "floor: "},
		{"failures without an attempt", `{` + last + `,"failures":1}`, "failures: "},
		{"negative failures", `{` + last + `,"failures":-1}`, "failures"},
		{"adopted and attempted", `{` + last + `,"attempt":"2026-01-01T00:03:00Z","adopted":"2026-01-01T00:02:00Z"}`, "adopted: "},
		{"a stamp of no handshake", `{` + last + `,"stamp":5}`, "stamp: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			var s gateway.State
			err := json.Unmarshal([]byte(row.text), &s)
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("got %v, want it to say %q", err, row.want)
			}
			if s != (gateway.State{}) {
				t.Errorf("it left %+v behind", s)
			}
		})
	}
}

func TestObservationIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]gateway.Observation{
		`{}`: {},
		`{"config":"absent","handshake":"unknown"}`:                  absent,
		`{"config":"present","handshake":"never"}`:                   unheard,
		`{"config":"present","handshake":"2026-01-01T00:00:03Z"}`:    heard(3),
		`{"disabled":true,"config":"present","handshake":"unknown"}`: {Disabled: true, Config: gateway.ConfigPresent},
		`{"problem":"no gateway URL"}`:                               {Problem: true},
		`{"problem":""}`:                                             {},
	} {
		var got gateway.Observation
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"config":"lost"}`:        `config: "lost" is none of unknown, absent, present`,
		`{"handshake":"tomorrow"}`: `handshake: "tomorrow" is not an RFC 3339 time, nor unknown or never`,
		`{"hand":"never"}`:         `hand: unknown key`,
	} {
		var got gateway.Observation
		if err := json.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestOutcomeIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]gateway.Outcome{
		`{"action":"register"}`:                                   {Action: register, OK: true},
		`{"action":"refresh","ok":false,"retry_after":"1m0s"}`:    {Action: refresh, RetryAfter: time.Minute},
		`{"action":"force_refresh","ok":true,"retry_after":"1s"}`: {Action: force, OK: true, RetryAfter: time.Second},
	} {
		var got gateway.Outcome
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
	var out gateway.Outcome
	if err := json.Unmarshal([]byte(`{"action":"refresh","retry_after":"soon"}`), &out); err == nil || !strings.Contains(err.Error(), `retry_after: "soon"`) {
		t.Errorf("got %v, want it to name field and value", err)
	}
	for _, text := range []string{`{"ok":false}`, `{"action":"none","ok":false}`} {
		if err := json.Unmarshal([]byte(text), &out); err == nil || !strings.Contains(err.Error(), "action: missing") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

// TestNamesGoBothWays reads every name back, and refuses all others.
func TestNamesGoBothWays(t *testing.T) {
	enumtest.Check(t, gateway.ConfigUnknown, "unknown", "absent", "present")
	enumtest.Check(t, gateway.HandshakeUnknown, "unknown", "never", "seen")
	enumtest.Check(t, gateway.ActionNone, "none", "register", "refresh", "force_refresh", "stop")
	enumtest.Check(t, gateway.ReasonDisabled, "disabled", "misconfigured", "config_unknown", "never_registered", "config_missing", "retry_wait",
		"retry_after", "tunnel_silent", "force_wait", "refresh_due", "healthy", "handshake_pending", "handshake_unknown")
}
