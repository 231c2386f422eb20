package replay_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

// output replays lines and gives the output as it is printed.
func output(t *testing.T, lines ...string) (got []string) {
	t.Helper()
	err := replay.Run(strings.NewReader(strings.Join(lines, "\n")), nil, func(l replay.Line) error {
		text, err := json.Marshal(l)
		got = append(got, string(text))
		if l.Why == "" {
			t.Errorf("%s is not explained", text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestLivenessTellsTheVerdict on each line, true or false, for each id its own.
func TestLivenessTellsTheVerdict(t *testing.T) {
	want(t, output(t, `{"kernel":"liveness","config":{"mode":"active","max_gap":"-1s"}}`,
		`{"at":"0s","id":"a","observe":{"receive_bytes":100,"last_handshake":"-5s"}}`,
		`{"at":"0s","id":"b","observe":{"receive_bytes":100,"probe":"unavailable"}}`,
		`{"at":"10s","id":"a","observe":{"receive_bytes":100,"last_handshake":"-5s"}}`,
		`{"at":"11s","id":"a","observe":{"unknown":true}}`,
		`{"at":"11s","id":"b","observe":{"receive_bytes":99,"probe":"unavailable"}}`),
		`{"at":"0s","id":"a","action":"none","reason":"live","next":"10s","live":true}`,
		`{"at":"0s","id":"b","action":"none","reason":"never_heard","live":false}`,
		`{"at":"10s","id":"a","action":"probe","reason":"quiet","next":"10s","live":true}`,
		`{"at":"11s","id":"a","action":"none","reason":"unknown","live":true}`,
		`{"at":"11s","id":"b","action":"none","reason":"torn","next":"11s","live":false}`)
}

// TestLivenessRecordsItsProbes, as the header says they end or as record lines tell.
func TestLivenessRecordsItsProbes(t *testing.T) {
	const looks = `{"at":"0s","until":"60s","every":"15s","observe":{"receive_bytes":100,"last_handshake":"0s"}}`
	const header = `{"kernel":"liveness","config":{"mode":"active"}`
	sent := []string{"0s none live >15s", "15s probe quiet >15s", "30s probe quiet >30s", "45s probe probes_failed >45s", "1m0s probe probes_failed >1m0s"}
	unsent := []string{sent[0], sent[1], "30s probe live >30s", "45s probe live >45s", "1m0s probe live >1m0s"}
	untried := []string{sent[0], sent[1], sent[2], "45s probe quiet >45s", "1m0s probe quiet >1m0s"}
	want(t, run(t, "", header+`}`, looks), sent...)
	want(t, run(t, "", header+`,"act":"fail"}`, looks), unsent...)
	want(t, run(t, "", header+`,"act":"none"}`, looks), untried...)
	want(t, run(t, "", header+`,"act":"none"}`,
		`{"at":"0s","observe":{"last_handshake":"0s"}}`, `{"at":"15s","record":{"action":"probe"}}`, `{"at":"20s","record":{"action":"probe","ok":false}}`,
		`{"at":"30s","observe":{"last_handshake":"0s"}}`, `{"at":"35s","observe":{"last_handshake":"0s"}}`),
		"0s none live >15s", "30s none live >35s", "35s probe live >35s")
}

// TestLivenessGoesOnFromAState, for each id from the same one.
func TestLivenessGoesOnFromAState(t *testing.T) {
	want(t, run(t, "", `{"kernel":"liveness","config":{"mode":"passive"},"state":{"version":1,"last":"2026-01-01T00:00:00Z","looked":"2026-01-01T00:00:00Z","progress":"2026-01-01T00:00:00Z","changed":"2026-01-01T00:00:00Z","receive_bytes":7,"live":true}}`,
		`{"at":"10s","id":"a","observe":{"receive_bytes":7}}`,
		`{"at":"10s","id":"b","observe":{"receive_bytes":8}}`),
		"a 10s none live >1m22.5s",
		"b 10s none live >1m32.5s")
}

func TestLivenessErrorsNameLineAndField(t *testing.T) {
	const header = `{"kernel":"liveness","config":{"mode":"passive"}}` + "\n"
	for text, prefix := range map[string]string{
		`{"kernel":"liveness"}`:                                                         "line 1: header: config: liveness: mode: ",
		`{"kernel":"liveness","config":{"mode":"on"}}`:                                  `line 1: header: config: mode: "on" is none of disabled, passive, active`,
		`{"kernel":"liveness","config":{"mode":"passive"},"state":{"version":1,"x":1}}`: "line 1: header: state: liveness: state: ",
		header + `{"at":"0s","observe":{"x":1}}`:                                        `line 2: observe: x: unknown key`,
		header + `{"at":"0s","observe":{"probe":"x"}}`:                                  `line 2: observe: probe: "x" is neither available nor unavailable`,
		header + `{"at":"0s","observe":{"receive_bytes":-1}}`:                           "line 2: observe: receive_bytes: -1",
		header + `{"at":"0s","observe":{"last_handshake":"new"}}`:                       `line 2: observe: last_handshake: "new" is not an RFC 3339 time`,
		header + `{"at":"0s","record":{"action":"ping"}}`:                               `line 2: record: action: "ping" is none of none, probe`,
	} {
		wantError(t, text, prefix)
	}
}

// wantError wants the replay of text to end with an error that begins so.
func wantError(t *testing.T, text, prefix string) {
	t.Helper()
	err := replay.Run(strings.NewReader(text), nil, func(replay.Line) error { return nil })
	if err == nil || !strings.HasPrefix(err.Error(), prefix) {
		t.Errorf("%s: got %v, want %s", text, err, prefix)
	}
}
