package liveness_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

func TestZeroMeansTheDefaults(t *testing.T) {
	got := newKernel(t, liveness.Config{Mode: liveness.ModeActive}).Config()
	want := liveness.Config{
		Mode: liveness.ModeActive, FailureCount: 3, Keepalive: 25 * time.Second, IdleWindow: 180 * time.Second, ProbeInterval: 15 * time.Second,
		UnansweredAfter: 30 * time.Second, CheckInterval: time.Second, MaxGap: 30 * time.Second,
	}
	if got != want {
		t.Errorf("got %+v", got)
	}
	if again := newKernel(t, got).Config(); again != got {
		t.Errorf("the values in effect are not taken as they are: %+v became %+v", got, again)
	}
}

func TestTheLargestGapFollowsTheCheckInterval(t *testing.T) {
	for check, want := range map[time.Duration]time.Duration{
		time.Second: 30 * time.Second, 10 * time.Second: 30 * time.Second, 10*time.Second + 1: 30*time.Second + 3, time.Minute: 3 * time.Minute, 1 << 62: math.MaxInt64,
	} {
		if got := newKernel(t, liveness.Config{Mode: liveness.ModePassive, CheckInterval: check}).Config().MaxGap; got != want {
			t.Errorf("a check each %v: max_gap %v, want %v", check, got, want)
		}
	}
}

func TestValidateReportsEveryProblem(t *testing.T) {
	set := func(change func(*liveness.Config)) liveness.Config { return with(passive, change) }
	for _, row := range []struct {
		name string
		cfg  liveness.Config
		want []string
	}{
		{"no mode", liveness.Config{}, []string{"liveness: mode: ", "is none of disabled, passive, active"}},
		{"an unknown mode", set(func(c *liveness.Config) { c.Mode = liveness.ModeActive + 1 }), []string{"liveness: mode: ", "is none of disabled, passive, active"}},
		{"a negative count", set(func(c *liveness.Config) { c.FailureCount = -1 }), []string{"liveness: failure_count: -1 is not from 1 to 255"}},
		{"a count that is too high", set(func(c *liveness.Config) { c.FailureCount = 256 }), []string{"liveness: failure_count: 256 is not from 1 to 255"}},
		{"a negative window", set(func(c *liveness.Config) { c.DeadAfter = -1 }), []string{"liveness: dead_after: -1ns is negative"}},
		{"no idle window", set(func(c *liveness.Config) { c.IdleWindow = -1 }), []string{"liveness: idle_window: -1ns is not above 0"}},
		{"no probe interval", set(func(c *liveness.Config) { c.ProbeInterval = -1 }), []string{"liveness: probe_interval: -1ns is not above 0"}},
		{"answers asked for too soon", set(func(c *liveness.Config) { c.UnansweredAfter = 20*time.Second - 1 }), []string{"liveness: unanswered_after: 19.999999999s is below 20s"}},
		{"no check interval", set(func(c *liveness.Config) { c.CheckInterval = -1 }), []string{"liveness: check_interval: -1ns is not above 0"}},
		{"a gap below the check interval", set(func(c *liveness.Config) { c.CheckInterval, c.MaxGap = time.Minute, time.Minute-1 }), []string{"liveness: max_gap: 59.999999999s is below check_interval (1m0s)"}},
		{
			"all at once",
			liveness.Config{FailureCount: -1, DeadAfter: -1, IdleWindow: -1, ProbeInterval: -1, UnansweredAfter: 1, CheckInterval: time.Minute, MaxGap: 1},
			[]string{"mode", "failure_count", "dead_after", "idle_window", "probe_interval", "unanswered_after", "max_gap"},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := liveness.New(row.cfg)
			for _, want := range row.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want it to say %q", err, want)
				}
			}
		})
	}
}

func TestValidateTakesWhatCanWork(t *testing.T) {
	for _, change := range []func(*liveness.Config){
		func(c *liveness.Config) { c.FailureCount = 1 },
		func(c *liveness.Config) { c.FailureCount = 255 },
		func(c *liveness.Config) { c.Keepalive = -1 },
		func(c *liveness.Config) { c.LocalKeepalive = -1 },
		func(c *liveness.Config) { c.DeadAfter = 1 },
		func(c *liveness.Config) { c.UnansweredAfter = 20 * time.Second },
		func(c *liveness.Config) { c.UnansweredAfter = -1 },
		func(c *liveness.Config) { c.CheckInterval, c.MaxGap = time.Minute, time.Minute },
		func(c *liveness.Config) { c.MaxGap = -1 },
	} {
		cfg := with(passive, change)
		if err := cfg.Validate(); err != nil {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// TestWindow has each way to derive it, and which comes first.
func TestWindow(t *testing.T) {
	const sec = time.Second
	for _, row := range []struct {
		name string
		cfg  liveness.Config
		want time.Duration
	}{
		{"three keepalives and a tenth", liveness.Config{}, 82500 * time.Millisecond},
		{"others", liveness.Config{FailureCount: 1, Keepalive: 10 * sec}, 11 * sec},
		{"keepalives that no tenth divides", liveness.Config{FailureCount: 1, Keepalive: 15}, 16},
		{"dead_after comes first", liveness.Config{DeadAfter: 7 * sec, Keepalive: -1, LocalKeepalive: 25 * sec}, 7 * sec},
		{"no keepalive", liveness.Config{Keepalive: -1, LocalKeepalive: 25 * sec}, 180 * sec},
		{"no keepalive, another idle window", liveness.Config{Keepalive: -1, IdleWindow: 90 * sec}, 90 * sec},
		{"both sides", liveness.Config{LocalKeepalive: 25 * sec}, 210 * sec},
		{"ours much faster", liveness.Config{LocalKeepalive: 1 * sec}, 186 * sec},
		{"ours a tenth slower", liveness.Config{LocalKeepalive: 27500 * time.Millisecond}, 212500 * time.Millisecond},
		{"ours slower than that", liveness.Config{LocalKeepalive: 27500*time.Millisecond + 1}, 82500 * time.Millisecond},
		{"ours off", liveness.Config{LocalKeepalive: -1}, 82500 * time.Millisecond},
	} {
		if got := row.cfg.Window(); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  liveness.Config
		want string
	}{
		{"active", active, ""},
		{"passive", passive, ""},
		{"probes as long as a keepalive and a tenth", with(active, func(c *liveness.Config) { c.Keepalive, c.ProbeInterval = 30*time.Second, 11*time.Second }), "failure_count × probe_interval is 33s: a peer whose keepalive comes each 30s"},
		{"just longer", with(active, func(c *liveness.Config) { c.Keepalive, c.ProbeInterval = 30*time.Second, 11*time.Second+1 }), ""},
		{"without a keepalive there is none to be missed", with(active, func(c *liveness.Config) { c.Keepalive, c.ProbeInterval = -1, time.Second }), ""},
		{"a passive kernel sends no probes", with(passive, func(c *liveness.Config) { c.ProbeInterval = time.Second }), ""},
		{"passive, and nobody sends", with(passive, func(c *liveness.Config) { c.Keepalive = -1 }), "the peer never comes alive"},
		{"passive, and we send", with(passive, func(c *liveness.Config) { c.Keepalive, c.LocalKeepalive = -1, time.Second }), ""},
		{"active, and nobody sends", with(active, func(c *liveness.Config) { c.Keepalive = -1 }), ""},
		{"disabled", with(disabled, func(c *liveness.Config) { c.Keepalive, c.ProbeInterval = -1, 1 }), ""},
	} {
		got := strings.Join(row.cfg.Warnings(), "; ")
		if (got == "") != (row.want == "") || !strings.Contains(got, row.want) {
			t.Errorf("%s: got %q, want %q", row.name, got, row.want)
		}
	}
}

func TestResolveTakesTheFirstThatNamesAMode(t *testing.T) {
	for _, row := range []struct {
		peer, instance, cluster string
		want                    liveness.Mode
	}{
		{"", "", "", liveness.ModeDisabled},
		{"active", "passive", "disabled", liveness.ModeActive},
		{"", "passive", "active", liveness.ModePassive},
		{"", "", "active", liveness.ModeActive},
		{"disabled", "active", "active", liveness.ModeDisabled},
		{" Active\t", "passive", "", liveness.ModeActive},
		{"PASSIVE", "", "", liveness.ModePassive},
		{"aggressive", "passive", "active", liveness.ModePassive},
		{"   ", "on", "active", liveness.ModeActive},
		{"on", "true", "1", liveness.ModeDisabled},
	} {
		if got := liveness.Resolve(row.peer, row.instance, row.cluster); got != row.want {
			t.Errorf("%q, %q, %q: got %v, want %v", row.peer, row.instance, row.cluster, got, row.want)
		}
	}
}

func TestConfigInJSON(t *testing.T) {
	want := liveness.Config{
		Mode: liveness.ModeActive, FailureCount: 4, Keepalive: -1, LocalKeepalive: 1, DeadAfter: 2, IdleWindow: 3, ProbeInterval: time.Second,
		UnansweredAfter: time.Minute, CheckInterval: 4, MaxGap: 5,
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := `{"mode":"active","failure_count":4,"keepalive":"-1ns","local_keepalive":"1ns","dead_after":"2ns","idle_window":"3ns",` +
		`"probe_interval":"1s","unanswered_after":"1m0s","check_interval":"4ns","max_gap":"5ns"}`; string(text) != got {
		t.Errorf("got %s", text)
	}
	var back liveness.Config
	if err := json.Unmarshal(text, &back); err != nil || back != want {
		t.Errorf("came back as %+v: %v", back, err)
	}
	for text, want := range map[string]string{
		`{"mode":"on"}`:           `mode: "on" is none of disabled, passive, active`,
		`{"keepalive":25}`:        `keepalive: 25 is not a duration: write a string such as "30s"`,
		`{"failure_count":"3"}`:   `failure_count: `,
		`{"probe_intervall":"1"}`: `probe_intervall: unknown key`,
		`[]`:                      `not a JSON object`,
	} {
		var cfg liveness.Config
		if err := json.Unmarshal([]byte(text), &cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}
