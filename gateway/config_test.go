package gateway_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
)

func TestZeroMeansTheDefaults(t *testing.T) {
	got := newKernel(t, gateway.Config{}).Config()
	if got.PollInterval != 10*time.Second || got.RefreshInterval != 180*time.Second || got.HandshakeTimeout != 180*time.Second ||
		got.ForceInterval != 180*time.Second || got.MaxGap != 30*time.Second ||
		got.Retry.Initial != 30*time.Second || got.Retry.Multiplier != 2 || got.Retry.Max != 120*time.Second {
		t.Errorf("got %+v", got)
	}
	if again := newKernel(t, got).Config(); again != got {
		t.Errorf("the values in effect are not taken as they are: %+v became %+v", got, again)
	}
}

func TestDefaultsThatFollowOthers(t *testing.T) {
	got := newKernel(t, gateway.Config{HandshakeTimeout: time.Minute, PollInterval: time.Second}).Config()
	if got.ForceInterval != time.Minute || got.MaxGap != 3*time.Second {
		t.Errorf("got force_interval %v, max_gap %v", got.ForceInterval, got.MaxGap)
	}
	if got := newKernel(t, gateway.Config{HandshakeTimeout: -1}).Config(); got.ForceInterval != 180*time.Second {
		t.Errorf("without a handshake timeout, got force_interval %v", got.ForceInterval)
	}
	if got := newKernel(t, gateway.Config{PollInterval: 1 << 62}).Config(); got.MaxGap != 1<<63-1 {
		t.Errorf("three huge poll intervals are %v", got.MaxGap)
	}
}

func TestValidateReportsEveryProblem(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  gateway.Config
		want []string
	}{
		{"a negative poll interval", gateway.Config{PollInterval: -time.Second}, []string{"gateway: poll_interval: -1s is below 1ms"}},
		{"no force interval", gateway.Config{ForceInterval: -1}, []string{"gateway: force_interval: -1ns is below 1ms"}},
		{"units that were forgotten", gateway.Config{RefreshInterval: 180, HandshakeTimeout: 180}, []string{"gateway: refresh_interval: 180ns is below 1ms", "gateway: handshake_timeout: 180ns is below 1ms"}},
		{"a gap below the poll interval", gateway.Config{MaxGap: 9 * time.Second}, []string{"gateway: max_gap: 9s is below poll_interval (10s)"}},
		{
			"limits on the retries",
			gateway.Config{Retry: backoff.Config{MaxRetries: 3, MaxElapsed: time.Hour, ResetAfter: time.Minute}},
			[]string{"gateway: retry.max_retries: 3 is not allowed", "gateway: retry.max_elapsed: 1h0m0s is not allowed", "gateway: retry.reset_after: 1m0s is not allowed"},
		},
		{"retries that can't work", gateway.Config{Retry: backoff.Config{Initial: time.Hour}}, []string{"gateway: retry: backoff: max: 2m0s is below initial (1h0m0s)"}},
		{"all at once", gateway.Config{PollInterval: -1, ForceInterval: -1}, []string{"poll_interval", "force_interval"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := gateway.New(row.cfg)
			for _, want := range row.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want it to say %q", err, want)
				}
			}
		})
	}
}

func TestConfigInJSON(t *testing.T) {
	want := gateway.Config{PollInterval: time.Second, RefreshInterval: -1, Retry: backoff.Config{Initial: 3 * time.Second, Jitter: backoff.JitterFull, Key: "m"}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if got := `{"poll_interval":"1s","refresh_interval":"-1ns","retry":{"initial":"3s","jitter":"full","key":"m"}}`; string(text) != got {
		t.Errorf("got %s", text)
	}
	var back gateway.Config
	if err := json.Unmarshal(text, &back); err != nil || back != want {
		t.Errorf("came back as %+v: %v", back, err)
	}
	for text, want := range map[string]string{
		`{"poll_interval":10}`:             `poll_interval: 10 is not a duration: write a string such as "30s"`,
		`{"poll_interval":"ten"}`:          `poll_interval: "ten" is not a duration`,
		`{"pol_interval":"10s"}`:           `pol_interval: unknown key`,
		`{"retry":{"jitter":"strong"}}`:    `retry: jitter: "strong" is none of none, equal, full, down`,
		`{"retry":{"initial":"1s","x":1}}`: `retry: x: unknown key`,
		`[]`:                               `not a JSON object`,
	} {
		var cfg gateway.Config
		if err := json.Unmarshal([]byte(text), &cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}
