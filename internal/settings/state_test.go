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
		`{"version":3,"x":1}`:          `x: unknown key`,
		`{"version":3,"count":"x"}`:    `count: "x" is not a number that fits`,
	} {
		var got state
		if err := settings.UnmarshalState([]byte(text), 3, &got); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
