package supervise_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/supervise"
)

func TestZeroMeansTheDefaults(t *testing.T) {
	want := supervise.Config{
		SweepInterval: 30 * time.Second, Confirm: 2, MaxRestarts: 3, Window: 15 * time.Minute, Pause: 30 * time.Minute,
		ResetAfter: 10 * time.Minute, MaxGap: 90 * time.Second,
	}
	got := newKernel(t, supervise.Config{}).Config()
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if again := newKernel(t, got).Config(); again != got {
		t.Errorf("the values in effect are not taken as they are: %+v became %+v", got, again)
	}
	if got := newKernel(t, supervise.Config{SweepInterval: 10 * time.Second}).Config(); got.MaxGap != 30*time.Second {
		t.Errorf("three sweeps of 10s are %v", got.MaxGap)
	}
	if got := newKernel(t, supervise.Config{MaxGap: -1}).Config(); got.MaxGap != -1 {
		t.Errorf("no largest gap became %v", got.MaxGap)
	}
}

// TestValidate has a row just outside each limit, with the whole text of the error.
func TestValidate(t *testing.T) {
	for _, r := range []struct {
		name string
		cfg  supervise.Config
		want string
	}{
		{"a negative sweep", supervise.Config{SweepInterval: -time.Second}, "supervise: sweep_interval: -1s is not above 0"},
		{"no confirmation", supervise.Config{Confirm: -1}, "supervise: confirm: -1 is not from 1 to 255"},
		{"too much of it", supervise.Config{Confirm: 256, Window: 24 * time.Hour}, "supervise: confirm: 256 is not from 1 to 255"},
		{"no restarts", supervise.Config{MaxRestarts: -1}, "supervise: max_restarts: -1 is not from 1 to 16"},
		{"too many of them", supervise.Config{MaxRestarts: 17, Window: time.Hour}, "supervise: max_restarts: 17 is not from 1 to 16"},
		{"no pause", supervise.Config{Pause: -1}, "supervise: pause: -1ns is not above 0"},
		{"no health", supervise.Config{ResetAfter: -1}, "supervise: reset_after: -1ns is not above 0"},
		{"a gap just below the sweep", supervise.Config{MaxGap: 30*time.Second - 1}, "supervise: max_gap: 29.999999999s is below sweep_interval (30s): no two looks would ever count"},
		{"a window that just never fills", supervise.Config{Window: 3*time.Minute - 1}, "supervise: window: 2m59.999999999s is below max_restarts × confirm × sweep_interval (3m0s): it would never fill"},
		{"a negative window", supervise.Config{Window: -1}, "supervise: window: -1ns is not above 0"},
		{"the default window, with more sightings", supervise.Config{Confirm: 11}, "supervise: window: 15m0s is below max_restarts × confirm × sweep_interval (16m30s): it would never fill"},
		{"the default window, with more restarts", supervise.Config{MaxRestarts: 16}, "supervise: window: 15m0s is below max_restarts × confirm × sweep_interval (16m0s): it would never fill"},
		{"a sweep that fills no window", supervise.Config{SweepInterval: 1 << 62, Window: math.MaxInt64 - 1}, "supervise: window: 2562047h47m16.854775806s is below max_restarts × confirm × sweep_interval (2562047h47m16.854775807s): it would never fill"},
	} {
		t.Run(r.name, func(t *testing.T) {
			if err := r.cfg.Validate(); err == nil || err.Error() != r.want {
				t.Errorf("got %v, want %s", err, r.want)
			}
			if _, err := supervise.New(r.cfg); err == nil {
				t.Error("New takes it")
			}
		})
	}
}

func TestValidateTakesTheLimits(t *testing.T) {
	for _, cfg := range []supervise.Config{
		{SweepInterval: 1},
		{Confirm: 1},
		{Confirm: 255, MaxRestarts: 1, Window: 255 * 30 * time.Second},
		{MaxRestarts: 1, Window: time.Minute},
		{MaxRestarts: supervise.MostRestarts, Window: 16 * time.Minute},
		{Window: 3 * time.Minute},
		{Pause: 1, ResetAfter: 1},
		{Pause: math.MaxInt64, ResetAfter: math.MaxInt64, Window: math.MaxInt64, MaxGap: math.MaxInt64},
		{MaxGap: 30 * time.Second},
		{MaxGap: -1},
	} {
		if err := cfg.Validate(); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

func TestValidateReportsAllProblemsAtOnce(t *testing.T) {
	for _, r := range []struct {
		cfg  supervise.Config
		want []string
	}{
		{
			supervise.Config{SweepInterval: -1, Confirm: -2, MaxRestarts: -3, Pause: -5, ResetAfter: -6},
			[]string{"sweep_interval: -1ns", "confirm: -2", "max_restarts: -3", "pause: -5ns", "reset_after: -6ns"},
		},
		{
			supervise.Config{Confirm: 300, MaxRestarts: 20, Window: time.Second, MaxGap: time.Second},
			[]string{"confirm: 300", "max_restarts: 20", "window: 1s", "max_gap: 1s"},
		},
	} {
		err := r.cfg.Validate()
		if err == nil || len(strings.Split(err.Error(), "\n")) != len(r.want) {
			t.Errorf("got %v, want %d problems", err, len(r.want))
			continue
		}
		for _, want := range r.want {
			if !strings.Contains(err.Error(), "supervise: "+want+" is ") {
				t.Errorf("%q is missing in %q", want, err)
			}
		}
	}
}

func TestConfigInJSON(t *testing.T) {
	const text = `{"sweep_interval":"10s","confirm":3,"max_restarts":4,"window":"20m0s","pause":"1h0m0s","reset_after":"5m0s","max_gap":"-1ns"}`
	want := supervise.Config{SweepInterval: 10 * time.Second, Confirm: 3, MaxRestarts: 4, Window: 20 * time.Minute, Pause: time.Hour, ResetAfter: 5 * time.Minute, MaxGap: -1}
	var got supervise.Config
	if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	if back, err := json.Marshal(want); err != nil || string(back) != text {
		t.Errorf("written as %s (%v)", back, err)
	}
	if empty, err := json.Marshal(supervise.Config{}); err != nil || string(empty) != "{}" {
		t.Errorf("an empty configuration is written as %s (%v)", empty, err)
	}
	for text, want := range map[string]string{
		`{"sweep_interval":30}`:       `sweep_interval: 30 is not a duration: write a string such as "30s"`,
		`{"window":"long"}`:           `window: "long" is not a duration such as "30s"`,
		`{"windows":"15m"}`:           "windows: unknown key",
		`{"confirm":1.5}`:             "confirm: 1.5 is not a number that fits",
		`{"max_restarts":"3","x":1}`:  "max_restarts: \"3\" is not a number that fits",
		`{"pause":"x","y":1,"x":"1"}`: "pause: \"x\" is not a duration such as \"30s\"\nx: unknown key\ny: unknown key",
		`7`:                           "not a JSON object",
	} {
		var cfg supervise.Config
		if err := json.Unmarshal([]byte(text), &cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}
