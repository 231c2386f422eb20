package settings_test

import (
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

type state struct {
	Version int `json:"version"`
	Count   int `json:"count"`
}

func TestUnmarshalState(t *testing.T) {
	var got state
	if err := settings.UnmarshalState([]byte(`{"count":4,"version":3}`), 3, &got); err != nil || got != (state{3, 4}) {
		t.Errorf("got %+v (%v)", got, err)
	}
}

// TestUnmarshalStateRefuses has the versions just below and just above the known one.
func TestUnmarshalStateRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``:                             "not a JSON object: unexpected end",
		`[]`:                           "not a JSON object: json: cannot unmarshal array",
		`{"version":"3"}`:              "not a JSON object: json: cannot unmarshal string",
		`{"version":3.5}`:              "not a JSON object: json: cannot unmarshal number",
		`null`:                         "version: missing, want 3",
		`{}`:                           "version: missing, want 3",
		`{"version":null}`:             "version: missing, want 3",
		`{"version":2,"count":1}`:      "version: 2 is not 3, the one known here",
		`{"version":4,"new":1}`:        "version: 4 is not 3, the one known here",
		`{"version":0}`:                "version: 0 is not 3, the one known here",
		`{"version":3,"count":1,"x":}`: "not a JSON object: invalid character",
		`{"version":3,"x":1}`:          `json: unknown field "x"`,
		`{"version":3,"count":"x"}`:    "json: cannot unmarshal string",
	} {
		var got state
		if err := settings.UnmarshalState([]byte(text), 3, &got); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"count":1}`:           "",
		" {\"count\":1} \r\n\t": "",
		`{"count":1} {}`:        "something follows the JSON value",
		`{"count":1} x`:         "something follows the JSON value",
		`{"count":1}}`:          "something follows the JSON value",
		`{"count":1},`:          "something follows the JSON value",
		`{"counts":1}`:          `json: unknown field "counts"`,
		`{"count":1`:            "unexpected EOF",
		``:                      "EOF",
	} {
		var got state
		err := settings.Strict([]byte(text), &got)
		if want == "" && (err != nil || got.Count != 1) || want != "" && (err == nil || err.Error() != want) {
			t.Errorf("%q: got %+v (%v), want %s", text, got, err, want)
		}
	}
}
