package settings_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// inner and outer are shaped as the configurations are, one within the other.
type inner struct {
	Pause time.Duration `json:"pause"`
}

func (c inner) MarshalJSON() ([]byte, error)     { return settings.Marshal(c) }
func (c *inner) UnmarshalJSON(data []byte) error { return settings.Unmarshal(data, c) }

type outer struct {
	Zeta  time.Duration `json:"zeta"`
	Alpha int           `json:"alpha,omitempty"`
	Ratio float64       `json:"ratio"`
	Name  string        `json:"name"`
	Inner inner         `json:"inner"`
	Flags []string      `json:"flags"`
}

const whole = `{"zeta":"1m30s","alpha":-3,"ratio":1.5,"name":"a \"b\"","inner":{"pause":"1ns"},"flags":["x","y"]}`

func wholeOuter() outer {
	return outer{Zeta: 90 * time.Second, Alpha: -3, Ratio: 1.5, Name: `a "b"`, Inner: inner{1}, Flags: []string{"x", "y"}}
}

// TestMarshalKeepsTheOrderOfTheFields also leaves out what is zero.
func TestMarshalKeepsTheOrderOfTheFields(t *testing.T) {
	for _, row := range []struct {
		from outer
		want string
	}{
		{outer{}, `{}`},
		{wholeOuter(), whole},
		{outer{Name: "x", Zeta: -1}, `{"zeta":"-1ns","name":"x"}`},
		{outer{Zeta: math.MinInt64}, `{"zeta":"-2562047h47m16.854775808s"}`},
	} {
		got, err := settings.Marshal(row.from)
		if err != nil || string(got) != row.want {
			t.Errorf("got %s (%v), want %s", got, err, row.want)
		}
	}
}

func TestMarshalReportsWhatCannotBeWritten(t *testing.T) {
	if text, err := settings.Marshal(outer{Ratio: math.NaN()}); err == nil {
		t.Errorf("wrote %s", text)
	}
}

func TestUnmarshal(t *testing.T) {
	var got outer
	if err := settings.Unmarshal([]byte(whole), &got); err != nil {
		t.Fatal(err)
	}
	text, err := settings.Marshal(got)
	if err != nil || string(text) != whole {
		t.Errorf("got %s (%v)", text, err)
	}
}

// TestKeysThatAreLeftOutChangeNothing also holds for a configuration within one.
func TestKeysThatAreLeftOutChangeNothing(t *testing.T) {
	got := wholeOuter()
	if err := settings.Unmarshal([]byte(` { "alpha" : 4, "inner": {} } `), &got); err != nil {
		t.Fatal(err)
	}
	if got.Alpha != 4 || got.Zeta != 90*time.Second || got.Inner.Pause != 1 || len(got.Flags) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestUnmarshalErrors(t *testing.T) {
	for text, want := range map[string]string{
		``:                        "not a JSON object: unexpected end of JSON input",
		`7`:                       "not a JSON object: 7",
		`[]`:                      "not a JSON object: []",
		`{"zeta":"1s"} x`:         "not a JSON object: invalid character 'x' after top-level value",
		`{"zeta":"1s"}{}`:         "not a JSON object: invalid character '{' after top-level value",
		`{"zeta":5}`:              `zeta: 5 is not a duration: write a string such as "30s"`,
		`{"zeta":{"s":1}}`:        `zeta: {"s":1} is not a duration: write a string such as "30s"`,
		`{"zeta":"5"}`:            `zeta: "5" is not a duration such as "30s"`,
		`{"zeta":""}`:             `zeta: "" is not a duration such as "30s"`,
		`{"zeta":null}`:           `zeta: "" is not a duration such as "30s"`,
		`{"zeta":"9223372037s"}`:  `zeta: "9223372037s" is not a duration such as "30s"`,
		`{"ZETA":"1s"}`:           "ZETA: unknown key",
		`{"alpha":"1"}`:           "alpha: \"1\" is not a number that fits",
		`{"alpha":1e30}`:          "alpha: 1e30 is not a number that fits",
		`{"inner":{"pauses":""}}`: "inner: pauses: unknown key",
		`{"inner":{"pause":3}}`:   `inner: pause: 3 is not a duration: write a string such as "30s"`,
		`{"b":1,"alpha":"x","a":2,"zeta":1}`: "zeta: 1 is not a duration: write a string such as \"30s\"\n" +
			"alpha: \"x\" is not a number that fits\na: unknown key\nb: unknown key",
	} {
		var got outer
		err := settings.Unmarshal([]byte(text), &got)
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestSpan(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0": 0, "30s": 30 * time.Second, "-1.5ms": -1500 * time.Microsecond, "1h2m3s": time.Hour + 2*time.Minute + 3*time.Second,
		"2562047h47m16.854775807s": math.MaxInt64,
	} {
		var got settings.Span
		if err := got.UnmarshalText([]byte(text)); err != nil || time.Duration(got) != want {
			t.Errorf("%s: got %v (%v), want %v", text, time.Duration(got), err, want)
		}
		written, err := json.Marshal(got)
		if err != nil || string(written) != `"`+want.String()+`"` {
			t.Errorf("%v is written as %s (%v)", want, written, err)
		}
	}
	for _, text := range []string{"", "x", "30", "1y", "2562047h47m16.854775808s", "1s "} {
		got := settings.Span(7)
		want := `"` + text + `" is not a duration such as "30s"`
		if err := got.UnmarshalText([]byte(text)); err == nil || err.Error() != want || got != 7 {
			t.Errorf("got %v and %d, want %s", err, got, want)
		}
	}
}

func TestDefaultSetsWhatIsZero(t *testing.T) {
	for _, row := range []struct{ field, want time.Duration }{{0, 30}, {1, 1}, {-1, -1}} {
		got := row.field
		if settings.Default(&got, 30); got != row.want {
			t.Errorf("%d became %d, want %d", row.field, got, row.want)
		}
	}
	nan := math.NaN()
	if settings.Default(&nan, 2); !math.IsNaN(nan) {
		t.Errorf("what is no number became %v and would pass its check", nan)
	}
}
