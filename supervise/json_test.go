package supervise_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/enum/enumtest"
	"github.com/evenkeel-go/evenkeel/supervise"
)

// TestStateInJSON holds the form in which states are kept, which must go on being read.
func TestStateInJSON(t *testing.T) {
	named := supervise.Observation{Status: supervise.StatusDown, Run: 7, Generation: 1<<64 - 1}
	for _, r := range []struct {
		name   string
		events []event
		want   string
	}{
		{"fresh", nil, `{"version":1}`},
		{
			"a sighting", all(look(1.5, named)),
			`{"version":1,"last":"2026-01-01T00:00:01.5Z","counted":"2026-01-01T00:00:01.5Z","run":"#0000000000000007","generation":"#ffffffffffffffff","sightings":1}`,
		},
		{
			"restarted twice", all(looks(0, 30, down), restarted(30, false), looks(60, 90, down), restarted(90, true)),
			`{"version":1,"last":"2026-01-01T00:01:30Z","spaced":"2026-01-01T00:01:30Z","restarts":["2026-01-01T00:01:30Z","2026-01-01T00:00:30Z"],` +
				`"last_restart":"2026-01-01T00:01:30Z","last_failed_restart":"2026-01-01T00:00:30Z"}`,
		},
		{
			"given up, and running", all(gaveUp(0, true), look(30, running), look(60, running)),
			`{"version":1,"last":"2026-01-01T00:01:00Z","running":"2026-01-01T00:00:30Z","seen":"2026-01-01T00:01:00Z","gave_up":"2026-01-01T00:00:00Z",` +
				`"crash_loop_since":"2026-01-01T00:00:00Z","last_crash_loop":"2026-01-01T00:00:00Z"}`,
		},
	} {
		_, s, _ := play(t, supervise.Config{}, r.events)
		text, err := json.Marshal(s)
		if err != nil || string(text) != r.want {
			t.Errorf("%s: got %s (%v), want %s", r.name, text, err, r.want)
		}
		var back supervise.State
		if err := json.Unmarshal([]byte(r.want), &back); err != nil || back != s {
			t.Errorf("%s: came back as %+v (%v), want %+v", r.name, back, err, s)
		}
	}
}

// TestStatesThatNoRunProducesAreRefused has each contradiction once, and wants the field named.
func TestStatesThatNoRunProducesAreRefused(t *testing.T) {
	const (
		t1, t2, t3 = `"2026-01-01T00:01:00Z"`, `"2026-01-01T00:02:00Z"`, `"2026-01-01T00:03:00Z"`
		last       = `{"version":1,"last":` + t2 + `,`
		spaced     = last + `"last_restart":` + t1 + `,"spaced":` + t1 + `,"restarts":`
	)
	for _, r := range []struct{ name, text, want string }{
		{"no object", `7`, "not a JSON object"},
		{"no version", `{}`, "version: missing, want 1"},
		{"a later version", `{"version":2}`, "version: 2 is not 1"},
		{"an unknown key", last + `"mood":"good"}`, `mood: unknown key`},
		{"no time", `{"version":1,"last":"yesterday"}`, `"yesterday" is not an RFC 3339 time`},
		{"a time out of range", `{"version":1,"last":"2300-01-01T00:00:00Z"}`, "outside the years 1678 to 2262"},
		{"a sighting after the last step", last + `"counted":` + t3 + `,"sightings":1}`, "counted: "},
		{"a sighting without a step", `{"version":1,"counted":` + t1 + `,"sightings":1}`, "counted: "},
		{"a sighting that is not counted", last + `"counted":` + t1 + `}`, "counted: "},
		{"a count without a sighting", last + `"sightings":1}`, "counted: "},
		{"too many sightings", last + `"counted":` + t1 + `,"sightings":256}`, "sightings"},
		{"a negative count", last + `"counted":` + t1 + `,"sightings":-1}`, "sightings"},
		{"a restart after the last step", last + `"last_restart":` + t3 + `,"spaced":` + t3 + `}`, "spaced: "},
		{"health after the last step", last + `"running":` + t3 + `,"seen":` + t3 + `}`, "running: "},
		{"a running target after the last step", last + `"seen":` + t3 + `}`, "seen: "},
		{"giving up after the last step", last + `"gave_up":` + t3 + `,"crash_loop_since":` + t3 + `,"last_crash_loop":` + t3 + `}`, "gave_up: "},
		{"running since after it was seen to", last + `"running":` + t2 + `,"seen":` + t1 + `}`, "running: "},
		{"running and never seen to", last + `"running":` + t1 + `}`, "running: "},
		{"running and down", last + `"running":` + t1 + `,"seen":` + t1 + `,"counted":` + t1 + `,"sightings":1}`, "running: "},
		{"spaced from no restart", last + `"spaced":` + t1 + `}`, "last_restart: "},
		{"a failure of no restart", last + `"last_failed_restart":` + t1 + `}`, "last_restart: "},
		{"given up without a crash loop", last + `"gave_up":` + t1 + `}`, "crash_loop_since: "},
		{"a crash loop that is not the last", last + `"crash_loop_since":` + t1 + `,"last_crash_loop":` + t2 + `}`, "last_crash_loop: "},
		{"a crash loop that is none", last + `"crash_loop_since":` + t1 + `}`, "last_crash_loop: "},
		{"a restart that nothing is spaced from", last + `"last_restart":` + t1 + `,"restarts":[` + t1 + `]}`, "restarts[0]: "},
		{"spaced from another restart", spaced + `["2026-01-01T00:00:59Z"]}`, "restarts[0]: "},
		{"restarts in the wrong order", spaced + `[` + t1 + `,` + t2 + `]}`, "restarts[1]: "},
		{"a restart that is none", spaced + `[` + t1 + `,""]}`, "restarts[1]: "},
		{"too many restarts", spaced + `[` + strings.Repeat(t1+",", 16) + t1 + `]}`, "restarts: 17 is above 16"},
	} {
		t.Run(r.name, func(t *testing.T) {
			_, s, _ := play(t, supervise.Config{}, three)
			before := s
			err := json.Unmarshal([]byte(r.text), &s)
			if err == nil || !strings.HasPrefix(err.Error(), "supervise: state: ") || !strings.Contains(err.Error(), r.want) {
				t.Errorf("got %v, want it to say %q", err, r.want)
			}
			if s != before {
				t.Errorf("a refused state left %+v", s)
			}
		})
	}
}

// TestStatesOfAClockThatWentBackAreTaken: what is only reported may lie anywhere.
func TestStatesOfAClockThatWentBackAreTaken(t *testing.T) {
	_, s, _ := play(t, supervise.Config{}, all(paused, look(-1e6, down), restarted(-1e6, true), look(-2e6, running)))
	checkKept(t, s)
	_, s, _ = play(t, supervise.Config{MaxRestarts: 16, Window: 16 * 60e9, Confirm: 1, MaxGap: -1}, sixteen(16))
	checkKept(t, s)
}

func TestObservationIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]supervise.Observation{
		`{}`:                                   {},
		`{"status":"unknown"}`:                 blind,
		`{"status":"running"}`:                 running,
		`{"status":"restarting"}`:              restarting,
		`{"status":"down","guard":"none"}`:     down,
		`{"status":"down","guard":"not_ours"}`: notOurs,
		`{"status":"down","guard":"parked"}`:   parked,
		`{"status":"down","guard":"busy"}`:     busy,
		`{"status":"down","guard":"unknown"}`:  unguarded,
		`{"guard":"busy"}`:                     {Guard: supervise.GuardBusy},
		`{"status":"down","run":"2026-01-01T00:00:03Z","generation":"c0ffee"}`: gen(run(down, "2026-01-01T00:00:03Z"), "c0ffee"),
		`{"status":"down","run":"","generation":""}`:                           down,
	} {
		got := gen(run(running, "x"), "y") // what the text leaves out is not known
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"status":"dead"}`: `status: "dead" is none of unknown, running, restarting, down`,
		`{"guard":"mine"}`:  `guard: "mine" is none of none, not_ours, parked, busy, unknown`,
		`{"state":"down"}`:  `state: unknown key`,
		`{"run":7}`:         "7 is not a string",
	} {
		var got supervise.Observation
		if err := json.Unmarshal([]byte(text), &got); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

// TestObservationsAreWrittenWithoutTheirNames, of which only the ids are known, and read back as they were.
func TestObservationsAreWrittenWithoutTheirNames(t *testing.T) {
	for _, r := range []struct {
		obs  supervise.Observation
		want string
	}{
		{blind, `{"status":"unknown","guard":"none"}`},
		{busy, `{"status":"down","guard":"busy"}`},
		{supervise.Observation{Status: supervise.StatusRunning, Run: 7, Generation: 1<<64 - 1}, `{"status":"running","guard":"none","run":"#0000000000000007","generation":"#ffffffffffffffff"}`},
	} {
		text, err := json.Marshal(r.obs)
		if err != nil || string(text) != r.want {
			t.Errorf("got %s (%v), want %s", text, err, r.want)
		}
		var back supervise.Observation
		if err := json.Unmarshal(text, &back); err != nil || back != r.obs {
			t.Errorf("%s came back as %+v: %v", text, back, err)
		}
	}
	for _, name := range []string{"#7", "#0000000000000000", "#000000000000000A", "#00000000000000071", "#"} {
		var got supervise.Observation
		if err := json.Unmarshal([]byte(`{"run":"`+name+`"}`), &got); err != nil || got.Run != supervise.ID(name) {
			t.Errorf("%s is no id, but a name like any other: got %+v (%v)", name, got, err)
		}
	}
}

func TestOutcomeIsReadAsTracesHoldIt(t *testing.T) {
	for text, want := range map[string]supervise.Outcome{
		`{"action":"restart"}`:            {Action: restart, OK: true},
		`{"action":"restart","ok":false}`: {Action: restart},
		`{"action":"give_up","ok":true}`:  {Action: giveUp, OK: true},
	} {
		var got supervise.Outcome
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
		again, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		got = supervise.Outcome{}
		if err := json.Unmarshal(again, &got); err != nil || got != want {
			t.Errorf("%s: came back as %+v, %v", again, got, err)
		}
	}
	for text, want := range map[string]string{
		`{"action":"reboot"}`:                  `action: "reboot" is none of none, restart, give_up`,
		`{"action":"restart","after":"1s"}`:    `after: unknown key`,
		`{"action":"restart","ok":"probably"}`: "is not true or false",
	} {
		var out supervise.Outcome
		if err := json.Unmarshal([]byte(text), &out); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestIDsOfNames(t *testing.T) {
	if supervise.ID("") != 0 || supervise.ID("a") == 0 || supervise.ID("a") == supervise.ID("b") {
		t.Errorf("got %d, %d and %d", supervise.ID(""), supervise.ID("a"), supervise.ID("b"))
	}
}

// TestNamesGoBothWays reads every name back, and refuses all others.
func TestNamesGoBothWays(t *testing.T) {
	enumtest.Check(t, supervise.StatusUnknown, "unknown", "running", "restarting", "down")
	enumtest.Check(t, supervise.GuardNone, "none", "not_ours", "parked", "busy", "unknown")
	enumtest.Check(t, supervise.ActionNone, "none", "restart", "give_up")
	enumtest.Check(t, supervise.ReasonNotOurs, "not_ours", "unknown", "restarting", "recovering", "running", "parked",
		"confirming", "busy", "guard_unknown", "paused", "crash_loop", "down")
}
