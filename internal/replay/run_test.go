package replay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

func TestKernelsAreListedInOrder(t *testing.T) {
	names := replay.Kernels()
	if !slices.IsSorted(names) || !slices.Contains(names, "backoff") || !slices.Contains(names, "gateway") {
		t.Errorf("got %v", names)
	}
}

// TestTimesAreFromTheStart replays one story three times, told in durations, in times, and from a start of its own.
func TestTimesAreFromTheStart(t *testing.T) {
	look := func(at, handshake string) string {
		return fmt.Sprintf(`{"at":%q,"observe":{"config":"present","handshake":%q}}`, at, handshake)
	}
	story := []string{"0s none healthy >2m50s", "20s none healthy >3m0s", "30s none healthy >3m0s"}
	want(t, run(t, "", gatewayHeader(""), look("0s", "-10s"), look("20s", "15s"), look("30s", "15s")), story...)
	want(t, run(t, "", gatewayHeader(""), look("2026-03-01T12:00:00Z", "2026-03-01T11:59:50Z"), look("2026-03-01T12:00:20Z", "15s"),
		look("30s", "2026-03-01T12:00:15Z")), story...)
	want(t, run(t, "", gatewayHeader(`,"start":"2026-03-01T11:59:00Z"`), look("2026-03-01T11:59:00Z", "-10s"), look("20s", "15s"),
		look("2026-03-01T11:59:30Z", "15s")), story...)
}

// TestTheClockOfATraceMayStep passes times on as they are.
func TestTheClockOfATraceMayStep(t *testing.T) {
	want(t, run(t, "", gatewayHeader(""), absent("10s"), absent("-20s"), absent("9s"), absent("10s")),
		"10s register never_registered >10s",
		"-20s none retry_wait >10s",
		"9s none retry_wait >10s",
		"10s register config_missing >10s")
}

// TestEveryIDBeginsWithTheStateOfTheHeader, and goes on from there alone.
func TestEveryIDBeginsWithTheStateOfTheHeader(t *testing.T) {
	const state = `,"state":{"version":1,"last":"2026-01-01T00:00:00Z","attempt":"2026-01-01T00:00:00Z","failures":1}`
	lines := append([]string{gatewayHeader(state)}, absentAt("a", "10s", "30s", "40s")...)
	lines = append(lines, absentAt("b", "40s")...)
	want(t, run(t, "", lines...),
		"a 10s none retry_wait >30s",
		"a 30s register config_missing >30s",
		"a 40s none retry_wait >1m0s",
		"b 40s register config_missing >40s")
}

// TestAnotherConfigurationStandsInForTheTraces leaves the trace's own unread, so that a bad one can be repaired.
func TestAnotherConfigurationStandsInForTheTraces(t *testing.T) {
	for _, header := range []string{gatewayHeader(`,"config":{"retry":{"initial":"7s"}}`), gatewayHeader(`,"config":{"typo":1}`), gatewayHeader("")} {
		want(t, run(t, `{"retry":{"initial":"5s"}}`, header, absent("0s"), absent("1s")),
			"0s register never_registered >0s",
			"1s none retry_wait >5s")
	}
	want(t, run(t, "", gatewayHeader(`,"config":{"retry":{"initial":"7s"}}`), absent("0s"), absent("1s")),
		"0s register never_registered >0s",
		"1s none retry_wait >7s")
}

// TestOutput holds the JSON of the output, which other programs read.
func TestOutput(t *testing.T) {
	lines := []string{
		gatewayHeader(""),
		`{"at":"0s","id":"a","observe":{"config":"absent"}}`,
		`{"at":"1500ms","observe":{}}`,
	}
	var got []string
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
	want(t, got,
		`{"at":"0s","id":"a","action":"register","reason":"never_registered","next":"0s"}`,
		`{"at":"1.5s","action":"none","reason":"config_unknown"}`)
}

// TestAnErrorOfEmitEndsTheReplay hands it on as it is.
func TestAnErrorOfEmitEndsTheReplay(t *testing.T) {
	errFull, emitted := errors.New("no space left"), 0
	err := replay.Run(strings.NewReader(gatewayHeader("")+"\n"+absent("0s")+"\n"+absent("1s")+"\nbroken"), nil, func(replay.Line) error {
		emitted++
		return errFull
	})
	if !errors.Is(err, errFull) || emitted != 1 {
		t.Errorf("got %v after %d lines", err, emitted)
	}
}

func TestErrorsNameLineAndField(t *testing.T) {
	const backoffHeader = `{"kernel":"backoff"}` + "\n"
	for text, prefix := range map[string]string{
		"":                     "line 1: the trace is empty",
		"{}":                   "line 1: header: kernel: missing",
		`{"kernel":"x"}`:       `line 1: header: kernel: "x" is none of backoff, gateway`,
		`{"kernel":"Gateway"}`: `line 1: header: kernel: "Gateway" is none of backoff, gateway`,
		"\n\n" + gatewayHeader(`,"config":{"x":1}`):                                               "line 3: header: config: x: unknown key",
		gatewayHeader(`,"config":{"polls":"1s"}`):                                                 "line 1: header: config: polls: unknown key",
		gatewayHeader(`,"config":{"poll_interval":5}`):                                            "line 1: header: config: poll_interval: 5 is not a duration",
		gatewayHeader(`,"config":{"poll_interval":"-5s"}`):                                        "line 1: header: config: gateway: poll_interval: -5s is below 1ms",
		gatewayHeader(`,"state":{"version":9}`):                                                   "line 1: header: state: gateway: state: version: 9 is not 1",
		`{"kernel":"backoff","config":{"max":"x"}}`:                                               `line 1: header: config: max: "x" is not a duration`,
		`{"kernel":"backoff","config":{"max":"1ms"}}`:                                             "line 1: header: config: backoff: max: 1ms is below initial (1s)",
		`{"kernel":"backoff","state":{}}`:                                                         "line 1: header: state: backoff: state: version: missing, want 1",
		gatewayHeader("") + "\n" + absent("0s") + "\n\nx":                                         "line 4: not a JSON object: invalid character",
		gatewayHeader("") + "\n" + `{"at":"0s","observe":{"x":1}}`:                                `line 2: observe: x: unknown key`,
		gatewayHeader("") + "\n" + `{"at":"0s","record":{"x":1}}`:                                 `line 2: record: x: unknown key`,
		gatewayHeader("") + "\n" + `{"at":"0s","observe":{},"x":1}`:                               `line 2: x: unknown key`,
		gatewayHeader("") + "\n" + `{"at":"0s","observe":{"config":"present","handshake":"new"}}`: `line 2: observe: handshake: "new" is not an RFC 3339 time`,
		gatewayHeader("") + "\n" + `{"at":"0s","record":{"action":"jump"}}`:                       `line 2: record: action: "jump" is none of none, register`,
		backoffHeader + `{"at":"0s","observe":{}}`:                                                "line 2: observe: a schedule observes nothing",
		backoffHeader + `{"at":"0s","record":{}}` + "\n" + `{"at":"1s","record":{"ok":"yes"}}`:    "line 3: record: ok: ",
		backoffHeader + `{"at":"0s","record":{"retry_after":"soon"}}`:                             `line 2: record: retry_after: "soon" is not a duration`,
	} {
		err := replay.Run(strings.NewReader(text), nil, func(replay.Line) error { return nil })
		if err == nil || !strings.HasPrefix(err.Error(), prefix) {
			t.Errorf("%s: got %v, want %s", text, err, prefix)
		}
	}
}
