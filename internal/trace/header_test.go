package trace_test

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

func TestHeader(t *testing.T) {
	for _, row := range []struct {
		text string
		want trace.Header
	}{
		{`{"kernel":"k"}`, trace.Header{Kernel: "k"}},
		{`{"kernel":"k","case":"x","why":[1],"want":{"a":2}}`, trace.Header{Kernel: "k"}},
		{`{"kernel":"k","config":{"a":"1s"},"state":{"b":2},"start":"2026-03-01T12:00:00Z","act":"fail","act_takes":"1m"}`, trace.Header{
			Kernel: "k", Config: json.RawMessage(`{"a":"1s"}`), State: json.RawMessage(`{"b":2}`), Start: start,
			Act: trace.Acts{OK: []bool{false}}, ActTakes: settings.Span(time.Minute),
		}},
		{"\n \t\r\n" + `{"kernel":"k","act_takes":"0s"}`, trace.Header{Kernel: "k"}},
	} {
		if got := newReader(t, row.text).Header; !reflect.DeepEqual(got, row.want) {
			t.Errorf("%s: got %+v, want %+v", row.text, got, row.want)
		}
	}
}

func TestHeaderErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "line 1: the trace is empty, want a header",
		"\n \n":                                "line 1: the trace is empty, want a header",
		"x":                                    "line 1: header: not a JSON object: invalid character 'x'",
		"\n\n[]":                               "line 3: header: not a JSON object: []",
		`{"kernel":"k"} {}`:                    "line 1: header: not a JSON object: invalid character '{' after top-level value",
		"{}":                                   "line 1: header: kernel: missing",
		"null":                                 "line 1: header: not a JSON object: null",
		`{"kernel":7}`:                         "line 1: header: kernel: 7 is not a string",
		`{"kernel":"k","start":"noon"}`:        "line 1: header: start: ",
		`{"kernel":"k","start":"90s"}`:         "line 1: header: start: ",
		`{"kernel":"k","act":"maybe"}`:         `line 1: header: act: "maybe" is neither "ok" nor "fail"`,
		`{"kernel":"k","act_takes":"long"}`:    `line 1: header: act_takes: "long" is not a duration such as "30s"`,
		`{"kernel":"k","act_takes":"-1ns"}`:    "line 1: header: act_takes: -1ns is negative",
		`{"kernel":"other"}` + "\n" + `{"at":`: `line 1: header: kernel: "other" is unknown`,
	} {
		r, err := trace.NewReader(strings.NewReader(text), func(h trace.Header) ([]string, error) {
			if h.Kernel == "other" {
				return nil, errors.New(`kernel: "other" is unknown`)
			}
			return nil, nil
		})
		if err == nil || !strings.HasPrefix(err.Error(), want) || r != nil {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// broken is a file that can be read no further.
type broken struct{ io.Reader }

var errBroken = errors.New("the disk is gone")

func (b broken) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errBroken
	}
	return n, err
}

// TestReadErrorsNameTheLine breaks off in the header, and behind an event.
func TestReadErrorsNameTheLine(t *testing.T) {
	_, err := trace.NewReader(broken{strings.NewReader("")}, seenTimes)
	if !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "line 1: ") {
		t.Errorf("got %v", err)
	}
	r, err := trace.NewReader(broken{strings.NewReader(header + looked("0s") + "\n")}, seenTimes)
	if err != nil {
		t.Fatal(err)
	}
	events, err := readAll(r)
	if len(events) != 1 || !errors.Is(err, errBroken) || !strings.HasPrefix(err.Error(), "line 3: ") {
		t.Errorf("got %d events, then %v", len(events), err)
	}
}

func TestActs(t *testing.T) {
	for _, row := range []struct{ text, outcomes, written string }{
		{`"ok"`, "ok ok ok ok", `["ok"]`},
		{`"fail"`, "fail fail fail fail", `["fail"]`},
		{`["ok"]`, "ok ok ok ok", `["ok"]`},
		{`["fail","ok","fail"]`, "fail ok fail fail", `["fail","ok","fail"]`},
		{`"none"`, "ok ok ok ok", `"none"`},
	} {
		acts := trace.Acts{None: true, OK: []bool{false}} // what was there goes
		if err := json.Unmarshal([]byte(row.text), &acts); err != nil {
			t.Fatalf("%s: %v", row.text, err)
		}
		var got []string
		for n := range 4 {
			got = append(got, map[bool]string{true: "ok", false: "fail"}[acts.Outcome(n)])
		}
		if outcomes := strings.Join(got, " "); outcomes != row.outcomes || acts.None != (row.text == `"none"`) || acts.IsZero() {
			t.Errorf("%s gives %s, want %s", row.text, outcomes, row.outcomes)
		}
		text, err := json.Marshal(acts)
		if err != nil || string(text) != row.written {
			t.Errorf("%s is written as %s (%v)", row.text, text, err)
		}
		var back trace.Acts
		if err := json.Unmarshal(text, &back); err != nil || !reflect.DeepEqual(back, acts) {
			t.Errorf("%s came back as %+v (%v)", text, back, err)
		}
	}
	if acts := (trace.Acts{}); !acts.IsZero() || !acts.Outcome(0) || !acts.Outcome(9) {
		t.Errorf("without a word, an action fails")
	}
}

func TestActsRefuse(t *testing.T) {
	for text, want := range map[string]string{
		`"yes"`:         `"yes" is neither "ok" nor "fail"`,
		`""`:            `"" is neither "ok" nor "fail"`,
		`["ok","none"]`: `"none" is neither "ok" nor "fail"`,
		`[]`:            "the list is empty",
		`7`:             `7 is neither "ok", "fail", "none" nor a list of the first two`,
		`[true]`:        `[true] is neither "ok", "fail", "none" nor a list of the first two`,
	} {
		acts := trace.Acts{None: true}
		if err := json.Unmarshal([]byte(text), &acts); err == nil || err.Error() != want || !acts.None {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
