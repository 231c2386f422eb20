package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// start runs the program on a configuration and returns its exit code and its log.
func start(t *testing.T, cfg map[string]any, args ...string) (int, string) {
	t.Helper()
	text, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "checker.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	code := run(append([]string{"-config", path}, args...), &log, nil)
	return code, log.String()
}

func TestDisabledIsASuccess(t *testing.T) {
	bad := map[string]any{"enabled": false, "gateway": map[string]any{"poll_interval": "-1s"}} // which is of no interest
	if code, log := start(t, bad); code != 0 || !strings.Contains(log, "reason=disabled") {
		t.Errorf("exit %d:\n%s", code, log)
	}
}

func TestWhatIsMisconfiguredIsNamed(t *testing.T) {
	for _, row := range []struct {
		name string
		cfg  map[string]any
		want []string
	}{
		{"nothing is set", map[string]any{"enabled": true}, []string{"app_id: empty", "gateway_urls: empty"}},
		{"an address that is none", map[string]any{"enabled": true, "app_id": "a", "gateway_urls": []string{"gateway:80"}}, []string{"gateway_urls[0]", "gateway:80"}},
		{"an unknown key", map[string]any{"gatway_urls": []string{}}, []string{"gatway_urls: unknown key"}},
		{"a duration without a unit", map[string]any{"keepalive": 25}, []string{"keepalive: 25 is not a duration"}},
		{"a try without time", map[string]any{"enabled": true, "register_timeout": "-5s"}, []string{"register_timeout: -5s is not above 0"}},
		{"a scheme that is none", map[string]any{"enabled": true, "gateway_urls": []string{"httpx://foo"}}, []string{"httpx://foo"}},
		{"a keepalive that WireGuard can't keep", map[string]any{"enabled": true, "keepalive": "500ms"}, []string{"keepalive: 500ms is below 1s"}},
		{"a command without a word", map[string]any{"enabled": true, "up_command": []string{""}}, []string{"has an empty word"}},
		{"timing that can't work", map[string]any{"enabled": true, "gateway": map[string]any{"max_gap": "1s"}}, []string{"max_gap: 1s is below poll_interval (10s)"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			code, log := start(t, row.cfg)
			for _, want := range row.want {
				if code != exitMisconfigured || !strings.Contains(log, want) {
					t.Errorf("exit %d, want it to say %q:\n%s", code, want, log)
				}
			}
		})
	}
	var log bytes.Buffer
	for _, args := range [][]string{{"-config", "/no/such/file"}, {"-colour", "blue"}, {"more"}} {
		if code := run(args, &log, nil); code != exitMisconfigured {
			t.Errorf("%q: exit %d", args, code)
		}
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	var log bytes.Buffer
	if code := run([]string{"-h"}, &log, nil); code != 0 || !strings.Contains(log.String(), "-dry-run") {
		t.Errorf("exit %d:\n%s", code, &log)
	}
}

// TestADryRunDoesNothing decides to register, at a gateway that must not be asked.
func TestADryRunDoesNothing(t *testing.T) {
	gatewayServer := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the gateway was asked") }))
	defer gatewayServer.Close()
	dir := t.TempDir()
	trace := filepath.Join(dir, "trace.jsonl")
	disable := time.AfterFunc(2*time.Second, func() { interrupt(t) })
	defer disable.Stop()
	code, log := start(t, map[string]any{
		"enabled": true, "app_id": "a", "gateway_urls": []string{gatewayServer.URL}, "key_file": filepath.Join(dir, "key.json"),
		"config_file": filepath.Join(dir, "wg0.conf"), "gateway": map[string]any{"poll_interval": "100ms"},
	}, "-dry-run", "-trace", trace)
	if code != 0 || !strings.Contains(log, "action=register") {
		t.Errorf("exit %d:\n%s", code, log)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v; want the trace alone", entries, err)
	}
	if text, err := os.ReadFile(trace); err != nil || !bytes.Contains(text, []byte(`"reason":"never_registered"`)) {
		t.Errorf("the trace holds %s, %v", text, err)
	}
}

// interrupt is Ctrl-C for this process, which the program under test takes up.
func interrupt(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		t.Error(err)
	}
}

func TestTheSampleConfigurationIsGood(t *testing.T) {
	cfg, err := loadConfig("gateway-checker.json")
	if err != nil || cfg.problem() != nil || !cfg.Enabled {
		t.Errorf("got %+v, %v, %v", cfg, err, cfg.problem())
	}
	if _, err := gateway.New(cfg.Gateway); err != nil {
		t.Error(err)
	}
}

func TestRetriesOfAFleetSpreadUnlessToldOtherwise(t *testing.T) {
	for text, want := range map[string]string{`{"enabled":true}`: "equal", `{"enabled":true,"gateway":{"retry":{"jitter":"none"}}}`: "none"} {
		path := filepath.Join(t.TempDir(), "checker.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := loadConfig(path)
		if retry := cfg.Gateway.Retry; err != nil || retry.Jitter.String() != want || retry.Key == "" {
			t.Errorf("%s: retries are drawn by %v with key %q, %v", text, retry.Jitter, retry.Key, err)
		}
	}
}

// TestAnOutageIsNoHang has more gateways, or more patient ones, than the watchdog has time for.
func TestAnOutageIsNoHang(t *testing.T) {
	for _, row := range []struct {
		gateways           int
		register, watchdog time.Duration
		each, all          time.Duration
	}{
		{2, time.Minute, 0, time.Minute, 3 * time.Minute},
		{2, time.Minute, 10 * time.Minute, time.Minute, 3 * time.Minute},
		{10, time.Minute, 10 * time.Minute, 20 * time.Second, 4*time.Minute + 20*time.Second},
		{2, 5 * time.Minute, 10 * time.Minute, 100 * time.Second, 4*time.Minute + 20*time.Second},
		{1, time.Minute, 6 * time.Second, 2 * time.Second, 3 * time.Second},
	} {
		cfg := config{GatewayURLs: make([]string, row.gateways), RegisterTimeout: row.register}
		if all := attemptTime(&cfg, row.watchdog); all != row.all || cfg.RegisterTimeout != row.each {
			t.Errorf("%+v: got %v each and %v in all", row, cfg.RegisterTimeout, all)
		}
	}
}
