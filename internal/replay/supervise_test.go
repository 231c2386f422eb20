package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

// superviseHeader has the keys given beside the kernel's name.
func superviseHeader(keys string) string { return `{"kernel":"supervise"` + keys + `}` }

// sweep is a look at a time, with the fields given beside the status.
func sweep(at, status, fields string) string {
	return fmt.Sprintf(`{"at":%q,"observe":{"status":%q%s}}`, at, status, fields)
}

// TestSupervise gives an outcome to restarts and to giving up alike, and none to what waits.
func TestSupervise(t *testing.T) {
	const policy = `,"config":{"confirm":1,"max_restarts":1,"window":"1m","pause":"1m"}`
	looks := []string{`{"at":"0s","until":"120s","every":"30s","observe":{"status":"down"}}`, sweep("150s", "down", `,"guard":"busy"`), sweep("180s", "running", "")}
	for _, act := range []string{``, `,"act":"fail"`, `,"act":["ok","fail"]`} {
		want(t, run(t, "", append([]string{superviseHeader(policy + act)}, looks...)...),
			"0s restart down >0s",
			"30s give_up crash_loop >30s",
			"1m0s none paused >1m30s",
			"1m30s restart down >1m30s",
			"2m0s give_up crash_loop >2m0s",
			"2m30s none busy",
			"3m0s none recovering >13m0s")
	}
}

// TestSuperviseIDsAreStrings has runs and generations that are told apart by their names.
func TestSuperviseIDsAreStrings(t *testing.T) {
	want(t, run(t, "", superviseHeader(`,"act":"none"`),
		sweep("0s", "down", `,"run":"2026-01-01T00:00:00Z","generation":"c0ffee"`),
		sweep("30s", "down", `,"run":"2026-01-01T00:00:00Z","generation":"c0ffee"`),
		sweep("60s", "down", `,"run":"2026-01-01T00:00:59Z","generation":"c0ffee"`),
		sweep("90s", "down", `,"run":"2026-01-01T00:00:59Z","generation":"c0ffee"`),
		`{"at":"90s","record":{"action":"restart","ok":false}}`,
		sweep("91s", "down", ""),
		sweep("92s", "down", `,"generation":"decaf"`)),
		"0s none confirming >27s",
		"30s restart down >30s",
		"1m0s none confirming >1m27s",
		"1m30s restart down >1m30s",
		"1m31s none confirming >1m57s",
		"1m32s none confirming >1m59s")
}

// TestSuperviseGoesOnFromAState that has a pause in it.
func TestSuperviseGoesOnFromAState(t *testing.T) {
	const state = `,"state":{"version":1,"last":"2026-01-01T00:00:00Z","counted":"2026-01-01T00:00:00Z","sightings":2,` +
		`"gave_up":"2026-01-01T00:00:00Z","crash_loop_since":"2026-01-01T00:00:00Z","last_crash_loop":"2026-01-01T00:00:00Z"}`
	want(t, run(t, `{"pause":"1m"}`, superviseHeader(state), sweep("30s", "down", ""), sweep("1m", "down", "")),
		"30s none paused >1m0s",
		"1m0s restart down >1m0s")
}

func TestSuperviseErrorsNameLineAndField(t *testing.T) {
	for text, prefix := range map[string]string{
		superviseHeader(`,"config":{"max_restarts":17}`):               "line 1: header: config: supervise: max_restarts: 17 is not from 1 to 16",
		superviseHeader(`,"config":{"sweep":"1s"}`):                    "line 1: header: config: sweep: unknown key",
		superviseHeader(`,"state":{"version":1,"sightings":1}`):        "line 1: header: state: supervise: state: last: ",
		superviseHeader("") + "\n" + sweep("0s", "dead", ""):           `line 2: observe: status: "dead" is none of unknown, running, restarting, down`,
		superviseHeader("") + "\n" + sweep("0s", "down", `,"runs":""`): `line 2: observe: runs: unknown key`,
		superviseHeader("") + "\n" + `{"at":"0s","record":{"took":1}}`: `line 2: record: took: unknown key`,
	} {
		err := replay.Run(strings.NewReader(text), nil, func(replay.Line) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), prefix) {
			t.Errorf("%s: got %v, want %s", text, err, prefix)
		}
	}
}
