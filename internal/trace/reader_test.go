package trace_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// TestEvents reads one of each kind, between blank lines.
func TestEvents(t *testing.T) {
	r := newReader(t, "", header, "  ",
		`{"at":"1s","id":"a","observe":{"x":1}}`,
		"\t\r",
		`{"at":"2s","record":{"ok":false},"error":"refused"}`,
		`{"at":"3s","observe":{"y":[1]},"decision":{"action":"none","reason":"calm","next":"2026-01-01T00:00:09Z"}}`,
	)
	events, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id, observe, record string
		line                int
	}{{"a", `{"x":1}`, "", 5}, {"", "", `{"ok":false}`, 7}, {"", `{"y":[1]}`, "", 8}}
	if len(events) != len(want) {
		t.Fatalf("got %d events, want %d", len(events), len(want))
	}
	for i, w := range want {
		e := events[i]
		if e.ID != w.id || string(e.Observe) != w.observe || string(e.Record) != w.record || e.Line != w.line {
			t.Errorf("event %d: got %q %s %s on line %d, want %+v", i, e.ID, e.Observe, e.Record, e.Line, w)
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("behind the end: %v", err)
	}
}

// TestStart has each way in which durations get their start.
func TestStart(t *testing.T) {
	const started = `{"kernel":"k","start":"2026-03-01T12:00:00Z"}`
	for _, row := range []struct {
		name  string
		lines []string
		start time.Time
		times string
	}{
		{"durations count from the default", []string{header, looked("0s"), looked("90s")}, trace.DefaultStart, "0s 1m30s"},
		{"the first time is the start", []string{header, looked("2026-03-01T12:00:00Z"), looked("2026-03-01T12:00:05Z")}, start, "0s 5s"},
		{"and durations count from it", []string{header, looked("2026-03-01T12:00:00Z"), looked("90s")}, start, "0s 1m30s"},
		{"the first duration settles it too", []string{header, looked("10s"), looked("2026-01-01T00:00:20Z")}, trace.DefaultStart, "10s 20s"},
		{"the header's comes first", []string{started, looked("10s"), looked("2026-03-01T12:00:20Z")}, start, "10s 20s"},
		{"also before a time", []string{started, looked("2026-03-01T12:01:00Z"), looked("1m1s")}, start, "1m0s 1m1s"},
		{"durations may be negative", []string{started, looked("-5s"), looked("0s")}, start, "-5s 0s"},
		{"times may lie before the start", []string{started, looked("2026-03-01T11:00:00Z")}, start, "-1h0m0s"},
		{"a zone is a zone", []string{header, looked("2026-03-01T14:00:00+02:00"), looked("1s")}, start, "0s 1s"},
		{"fractions count", []string{header, looked("1.5ms"), looked("2026-01-01T00:00:00.000000001Z")}, trace.DefaultStart, "1.5ms 1ns"},
	} {
		r := newReader(t, row.lines...)
		events, err := readAll(r)
		if err != nil {
			t.Fatalf("%s: %v", row.name, err)
		}
		if got := times(r, events); got != row.times || !r.Start().Equal(row.start) {
			t.Errorf("%s: got %s from %v, want %s from %v", row.name, got, r.Start(), row.times, row.start)
		}
	}
}

// TestRepeats has until at, just before and just after a step: it is inclusive.
func TestRepeats(t *testing.T) {
	for _, row := range []struct{ name, line, want string }{
		{"until is a step", `{"at":"0s","until":"20s","every":"10s","observe":{}}`, "0s 10s 20s"},
		{"just before the step", `{"at":"0s","until":"19.999999999s","every":"10s","observe":{}}`, "0s 10s"},
		{"just after the step", `{"at":"0s","until":"20.000000001s","every":"10s","observe":{}}`, "0s 10s 20s"},
		{"until is at", `{"at":"5s","until":"5s","every":"10s","observe":{}}`, "5s"},
		{"every is longer", `{"at":"5s","until":"6s","every":"10s","observe":{}}`, "5s"},
		{"from before the start", `{"at":"-10s","until":"5s","every":"7s","observe":{}}`, "-10s -3s 4s"},
		{"until a time", `{"at":"0s","until":"2026-01-01T00:00:02Z","every":"1s","observe":{}}`, "0s 1s 2s"},
		{"a record", `{"at":"0s","until":"2s","every":"1s","record":{}}`, "0s 1s 2s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			wantTimes(t, row.want+" 1m0s", header, row.line, looked("1m"))
		})
	}
}

// TestRepeatsAreOneEventEach compares all but their times.
func TestRepeatsAreOneEventEach(t *testing.T) {
	events, err := readAll(newReader(t, header, `{"at":"0s","until":"3s","every":"1s","id":"x","observe":{"seen":"2s"}}`))
	if err != nil || len(events) != 4 {
		t.Fatalf("got %d events (%v)", len(events), err)
	}
	for _, e := range events {
		if e.ID != "x" || e.Line != 3 || string(e.Observe) != `{"seen":"2026-01-01T00:00:02Z"}` {
			t.Errorf("got %q on line %d: %s", e.ID, e.Line, e.Observe)
		}
	}
}

// TestTimesWithinObservations resolves durations in the fields that hold times, and nothing else.
func TestTimesWithinObservations(t *testing.T) {
	const started = `{"kernel":"k","start":"2026-03-01T12:00:00Z"}`
	for observe, want := range map[string]string{
		`{"seen":"90s"}`:                         `{"seen":"2026-03-01T12:01:30Z"}`,
		`{"seen":"-1ns"}`:                        `{"seen":"2026-03-01T11:59:59.999999999Z"}`,
		`{"z":"1s","seen":"1s","also":"0s"}`:     `{"also":"2026-03-01T12:00:00Z","seen":"2026-03-01T12:00:01Z","z":"1s"}`,
		`{"seen":"never"}`:                       `{"seen":"never"}`,
		`{ "seen" : "2026-01-01T00:00:00Z" }`:    `{ "seen" : "2026-01-01T00:00:00Z" }`,
		`{"seen":7}`:                             `{"seen":7}`,
		`{"seen":null}`:                          `{"seen":null}`,
		`{"other":"90s","inner":{"seen":"90s"}}`: `{"other":"90s","inner":{"seen":"90s"}}`,
	} {
		events, err := readAll(newReader(t, started, `{"at":"1h","observe":`+observe+`}`))
		if err != nil || len(events) != 1 || string(events[0].Observe) != want {
			t.Errorf("%s: got %+v (%v), want %s", observe, events, err, want)
		}
	}
}

// TestRecordsHoldNoTimes reads the same fields in a record, where they mean what they say.
func TestRecordsHoldNoTimes(t *testing.T) {
	events, err := readAll(newReader(t, header, `{"at":"1h","record":{"seen":"90s"}}`))
	if err != nil || len(events) != 1 || string(events[0].Record) != `{"seen":"90s"}` {
		t.Errorf("got %+v (%v)", events, err)
	}
}

func TestEventErrorsNameTheirLine(t *testing.T) {
	for line, want := range map[string]string{
		`x`:                                                     "not a JSON object: invalid character 'x'",
		`[]`:                                                    "not a JSON object: []",
		`{"at":"0s","observe":{}} {}`:                           "not a JSON object: invalid character '{' after top-level value",
		`{"at":"0s","observe":{},"color":1}`:                    `color: unknown key`,
		`{"observe":{}}`:                                        "at: missing",
		`{"at":null,"observe":{}}`:                              "at: missing",
		`{"at":7,"observe":{}}`:                                 "at: 7 is not a string",
		`{"at":"","observe":{}}`:                                `at: "" is neither a duration such as "90s" nor an RFC 3339 time`,
		`{"at":"noon","observe":{}}`:                            `at: "noon" is neither a duration such as "90s" nor an RFC 3339 time`,
		`{"at":"2026-01-01","observe":{}}`:                      `at: "2026-01-01" is neither a duration such as "90s" nor an RFC 3339 time`,
		`{"at":"0s"}`:                                           "want either observe or record",
		`{"at":"0s","observe":{},"record":{}}`:                  "want either observe or record",
		`{"at":"0s","observe":[]}`:                              "observe: not a JSON object",
		`{"at":"0s","id":7,"observe":{}}`:                       "id: 7 is not a string",
		`{"at":"0s","until":"9s","observe":{}}`:                 `until "9s", every 0s: want both, and every above 0`,
		`{"at":"0s","every":"9s","observe":{}}`:                 `until "", every 9s: want both, and every above 0`,
		`{"at":"0s","every":"-9s","observe":{}}`:                `until "", every -9s: want both, and every above 0`,
		`{"at":"0s","until":"9s","every":"0s","observe":{}}`:    `until "9s", every 0s: want both, and every above 0`,
		`{"at":"0s","until":"9s","every":"-1s","observe":{}}`:   `until "9s", every -1s: want both, and every above 0`,
		`{"at":"0s","until":"9s","every":"x","observe":{}}`:     `every: "x" is not a duration such as "30s"`,
		`{"at":"0s","until":"x","every":"1s","observe":{}}`:     `until: "x" is neither a duration such as "90s" nor an RFC 3339 time`,
		`{"at":"0s","until":"-1ns","every":"1s","observe":{}}`:  "until: -1ns lies before at",
		`{"at":"0s","until":"10ms","every":"1ns","observe":{}}`: "every: 1ns gives 10000001 events, above 10000000",
		`{"at":"0s","until":"9000-01-01T00:00:00Z","every":"1s","observe":{}}`: "every: 1s gives ",
		`{"at":"0s","record":null}`:  "record: not a JSON object: null",
		`{"at":"0s","observe":null}`: "observe: not a JSON object: null",
	} {
		r := newReader(t, header, looked("0s"), "", line)
		events, err := readAll(r)
		if err == nil || !strings.HasPrefix(err.Error(), "line 5: "+want) {
			t.Errorf("%s: got %v, want line 5: %s", line, err, want)
		}
		if len(events) != 1 {
			t.Errorf("%s: %d events came before it", line, len(events))
		}
	}
}

// TestATimeThatJSONCannotHoldIsAnError lies beyond the year 9999.
func TestATimeThatJSONCannotHoldIsAnError(t *testing.T) {
	r := newReader(t, `{"kernel":"k","start":"9999-12-31T23:59:59Z"}`, `{"at":"0s","observe":{"seen":"1s"}}`)
	if _, err := r.Next(); err == nil || !strings.HasPrefix(err.Error(), "line 2: observe: seen: ") {
		t.Errorf("got %v", err)
	}
}

// TestYearOneIsAStartLikeAnyOther begins with the zero time of Go, which is an instant and not "unset".
func TestYearOneIsAStartLikeAnyOther(t *testing.T) {
	events, err := readAll(newReader(t, header, looked("0001-01-01T00:00:00Z"), looked("10s")))
	if err != nil || len(events) != 2 || events[1].At.Sub(events[0].At) != 10*time.Second {
		t.Errorf("got %+v, %v", events, err)
	}
}

// TestTheMostRepeats has one event too many, and the last number that is allowed.
func TestTheMostRepeats(t *testing.T) {
	for until, fits := range map[string]bool{"9.999999ms": true, "10ms": false} {
		_, err := newReader(t, header, `{"at":"0s","until":"`+until+`","every":"1ns","observe":{}}`).Next()
		if (err == nil) != fits {
			t.Errorf("until %s every nanosecond: %v", until, err)
		}
	}
}

// blanks is a line of nothing but blanks.
type blanks struct{}

func (blanks) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestALineThatIsTooLong is refused instead of filling the memory. It has an end, so that a reader without a limit fails
// the test instead of the machine.
func TestALineThatIsTooLong(t *testing.T) {
	r, err := trace.NewReader(io.MultiReader(strings.NewReader(header), io.LimitReader(blanks{}, 65<<20)), seenTimes)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Next(); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") || !strings.Contains(err.Error(), "too long") {
		t.Errorf("got %v", err)
	}
}
