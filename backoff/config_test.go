package backoff_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

func TestConfigDefaults(t *testing.T) {
	want := backoff.Config{
		Initial: time.Second, Multiplier: 2, Max: time.Minute, JitterFraction: 0.5, MaxRetryAfter: 5 * time.Minute, Min: time.Millisecond,
	}
	if got := newKernel(t, backoff.Config{}).Config(); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	off := backoff.Config{ResetAfter: -1, MaxRetries: -1, MaxElapsed: -1, MaxRetryAfter: -1}
	got := newKernel(t, off).Config()
	if got.ResetAfter != -1 || got.MaxRetries != -1 || got.MaxElapsed != -1 || got.MaxRetryAfter != -1 {
		t.Errorf("what is off became %+v", got)
	}
}

// TestValidate has a row just outside each limit, with the whole text of the error.
func TestValidate(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  backoff.Config
		want string
	}{
		{"min", backoff.Config{Min: time.Microsecond - 1}, "backoff: min: 999ns is below 1µs"},
		{"a negative min", backoff.Config{Min: -1}, "backoff: min: -1ns is below 1µs"},
		{"initial", backoff.Config{Initial: time.Millisecond - 1}, "backoff: initial: 999.999µs is below min (1ms)"},
		{"a negative initial", backoff.Config{Initial: -time.Second}, "backoff: initial: -1s is below min (1ms)"},
		{"max", backoff.Config{Max: time.Second - 1}, "backoff: max: 999.999999ms is below initial (1s)"},
		{"a negative max", backoff.Config{Max: -1}, "backoff: max: -1ns is below initial (1s)"},
		{"initial above the default max", backoff.Config{Initial: time.Minute + 1}, "backoff: max: 1m0s is below initial (1m0.000000001s)"},
		{"a multiplier below 1", backoff.Config{Multiplier: 0.5}, "backoff: multiplier: 0.5 is neither 1 nor from 1.01 to 1000"},
		{"a negative multiplier", backoff.Config{Multiplier: -1}, "backoff: multiplier: -1 is neither 1 nor from 1.01 to 1000"},
		{"a multiplier just above 1", backoff.Config{Multiplier: 1.0099}, "backoff: multiplier: 1.0099 is neither 1 nor from 1.01 to 1000"},
		{"a multiplier above 1000", backoff.Config{Multiplier: 1000.1}, "backoff: multiplier: 1000.1 is neither 1 nor from 1.01 to 1000"},
		{"a multiplier that is no number", backoff.Config{Multiplier: math.NaN()}, "backoff: multiplier: NaN is neither 1 nor from 1.01 to 1000"},
		{"an infinite multiplier", backoff.Config{Multiplier: math.Inf(1)}, "backoff: multiplier: +Inf is neither 1 nor from 1.01 to 1000"},
		{"a multiplier below everything", backoff.Config{Multiplier: math.Inf(-1)}, "backoff: multiplier: -Inf is neither 1 nor from 1.01 to 1000"},
		{"jitter", backoff.Config{Jitter: 4}, "backoff: jitter: jitter(4) is none of none, equal, full, down"},
		{"a fraction above 1", backoff.Config{JitterFraction: 1.1}, "backoff: jitter_fraction: 1.1 is not from 0.000001 to 1"},
		{"a negative fraction", backoff.Config{JitterFraction: -0.1}, "backoff: jitter_fraction: -0.1 is not from 0.000001 to 1"},
		{"a fraction that is no number", backoff.Config{JitterFraction: math.NaN()}, "backoff: jitter_fraction: NaN is not from 0.000001 to 1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := row.cfg.Validate()
			if err == nil || err.Error() != row.want {
				t.Errorf("got %v, want %s", err, row.want)
			}
			if _, err := backoff.New(row.cfg); err == nil {
				t.Error("New takes it")
			}
		})
	}
}

func TestValidateTakesTheLimits(t *testing.T) {
	for _, cfg := range []backoff.Config{
		{Min: time.Microsecond},
		{Min: time.Second},
		{Initial: time.Millisecond},
		{Initial: time.Minute},
		{Max: time.Second},
		{Max: math.MaxInt64},
		{Multiplier: 1},
		{Multiplier: 1.01},
		{Multiplier: 1000},
		{Jitter: backoff.JitterDown, JitterFraction: 1},
		{Jitter: backoff.JitterDown, JitterFraction: 1e-6},
		{MaxRetries: math.MaxInt32},
		{Min: math.MaxInt64, Initial: math.MaxInt64, Max: math.MaxInt64},
	} {
		if err := cfg.Validate(); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// TestMaxRetriesFitTheCount needs an int of 64 bits: a smaller one can't hold a number that is too large.
func TestMaxRetriesFitTheCount(t *testing.T) {
	most := int64(math.MaxUint32 - 1)
	if int64(int(most)) != most {
		return
	}
	if err := (backoff.Config{MaxRetries: int(most)}).Validate(); err != nil {
		t.Errorf("the most retries: %v", err)
	}
	want := "backoff: max_retries: 4294967295 is above 4294967294"
	if err := (backoff.Config{MaxRetries: int(most + 1)}).Validate(); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestValidateReportsAllProblemsAtOnce(t *testing.T) {
	err := backoff.Config{Min: -1, Initial: -2, Max: -3, Multiplier: -4, Jitter: 5, JitterFraction: -6}.Validate()
	if err == nil {
		t.Fatal("no problem found")
	}
	for _, want := range []string{"min: -1ns", "initial: -2ns", "max: -3ns", "multiplier: -4", "jitter: jitter(5)", "jitter_fraction: -6"} {
		if !strings.Contains(err.Error(), "backoff: "+want) {
			t.Errorf("%q is missing in %q", want, err)
		}
	}
}

func TestConfigFromJSON(t *testing.T) {
	const text = `{"initial":"2s","multiplier":1.5,"max":"90s","jitter":"down","jitter_fraction":0.25,"seed":18446744073709551615,` +
		`"key":"x","reset_after":"10s","max_retries":3,"max_elapsed":"15m","max_retry_after":"-1ns","min":"5ms"}`
	want := backoff.Config{
		Initial: 2 * time.Second, Multiplier: 1.5, Max: 90 * time.Second, Jitter: backoff.JitterDown, JitterFraction: 0.25,
		Seed: math.MaxUint64, Key: "x", ResetAfter: 10 * time.Second, MaxRetries: 3, MaxElapsed: 15 * time.Minute, MaxRetryAfter: -1,
		Min: 5 * time.Millisecond,
	}
	var got backoff.Config
	if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	empty, err := json.Marshal(backoff.Config{})
	if err != nil || string(empty) != "{}" {
		t.Errorf("an empty configuration is written as %s (%v)", empty, err)
	}
}

func TestConfigFromJSONRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"intial":"1s"}`:                     "intial: unknown key",
		`{"initial":"soon"}`:                  `initial: "soon" is not a duration such as "30s"`,
		`{"max":60}`:                          `max: 60 is not a duration: write a string such as "30s"`,
		`{"max":"300y"}`:                      `max: "300y" is not a duration such as "30s"`,
		`{"jitter":"some"}`:                   `jitter: "some" is none of none, equal, full, down`,
		`{"jitter":1}`:                        "jitter: ",
		`{"multiplier":"2"}`:                  "multiplier: ",
		`{"multiplier":1e999}`:                "multiplier: ",
		`{"multiplier":NaN}`:                  "invalid character 'N'",
		`{"max_retries":1.5}`:                 "max_retries: ",
		`{"seed":-1}`:                         "seed: ",
		`[]`:                                  "not a JSON object",
		`{"initial":"x","b":1,"a":2,"max":3}`: "initial: \"x\" is not a duration such as \"30s\"\nmax: 3 is not a duration: write a string such as \"30s\"\na: unknown key\nb: unknown key",
	} {
		var cfg backoff.Config
		if err := json.Unmarshal([]byte(text), &cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestConfigToJSONRefuses(t *testing.T) {
	for name, cfg := range map[string]backoff.Config{"a multiplier": {Multiplier: math.NaN()}, "a jitter": {Jitter: 9}} {
		if text, err := json.Marshal(cfg); err == nil {
			t.Errorf("%s that can't be read back is written: %s", name, text)
		}
	}
}
