package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// config is the one file that the checker reads. Durations are strings such as "30s"; unknown keys are errors.
type config struct {
	// Enabled switches the tunnel on.
	Enabled bool `json:"enabled"`
	// AppID says on whose behalf the guest registers, GatewayURLs with whom. Without either there is nothing to do.
	AppID       string   `json:"app_id"`
	GatewayURLs []string `json:"gateway_urls"`
	// RegisterTimeout bounds the try of one gateway. Zero means 60 s.
	RegisterTimeout time.Duration `json:"register_timeout"`
	// Interface is the WireGuard interface, ConfigFile its configuration in the form that wg-quick reads.
	Interface  string `json:"interface"`
	ConfigFile string `json:"config_file"`
	// KeyFile keeps the key material, AppliedFile what the interface runs on; the latter belongs under /run.
	KeyFile     string `json:"key_file"`
	AppliedFile string `json:"applied_file"`
	// Keepalive is the guest's own persistent keepalive. Zero means none.
	Keepalive time.Duration `json:"keepalive"`
	// ReceivedBytes takes received bytes for proof of life, which needs a gateway that sends keepalives.
	ReceivedBytes bool `json:"received_bytes"`
	// UpCommand makes the interface what the file says, DownCommand takes it away before it is rebuilt.
	UpCommand   []string `json:"up_command"`
	DownCommand []string `json:"down_command"`
	// MintCommand prints a new private key in base64. None means that the checker draws one itself.
	MintCommand []string `json:"mint_command"`
	// FailureCommand is run once when the first registration after the start fails, with the error in $FAILURE.
	FailureCommand []string `json:"failure_command"`
	// Gateway is the timing of the kernel.
	Gateway gateway.Config `json:"gateway"`
}

// loadConfig reads the file and fills in defaults. What is wrong with it can't be cured by waiting.
func loadConfig(path string) (config, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return config{}, fmt.Errorf("%w: %w", gateway.ErrMisconfigured, err)
	}
	var cfg config
	// The retries of a fleet spread, unless the file says otherwise.
	cfg.Gateway.Retry.Jitter, cfg.Gateway.Retry.Key = backoff.JitterEqual, machineID()
	if err := settings.Unmarshal(text, &cfg); err != nil {
		return config{}, fmt.Errorf("%w: %s: %w", gateway.ErrMisconfigured, path, err)
	}
	if !cfg.Enabled {
		return config{}, nil // whatever else it says
	}
	settings.Default(&cfg.RegisterTimeout, time.Minute)
	settings.Default(&cfg.Interface, "wg0")
	settings.Default(&cfg.ConfigFile, "/etc/wireguard/"+cfg.Interface+".conf")
	settings.Default(&cfg.KeyFile, "/var/lib/gateway-checker/key.json")
	settings.Default(&cfg.AppliedFile, "/run/gateway-checker/applied")
	if len(cfg.UpCommand) == 0 {
		cfg.UpCommand, cfg.DownCommand = []string{"wg-quick", "up", cfg.ConfigFile}, []string{"wg-quick", "down", cfg.ConfigFile}
	}
	return cfg, nil
}

// problem says what is missing or wrong for a tunnel that is enabled, each field with its value; nil is nothing.
func (c config) problem() error {
	var problems []error
	if c.AppID == "" {
		problems = append(problems, errors.New("app_id: empty"))
	}
	if len(c.GatewayURLs) == 0 {
		problems = append(problems, errors.New("gateway_urls: empty"))
	}
	for i, text := range c.GatewayURLs {
		if u, err := url.Parse(text); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			problems = append(problems, fmt.Errorf("gateway_urls[%d]: %q is no http or https address", i, text))
		}
	}
	if c.RegisterTimeout <= 0 {
		problems = append(problems, fmt.Errorf("register_timeout: %v is not above 0", c.RegisterTimeout))
	}
	if c.Keepalive != 0 && c.Keepalive < time.Second {
		problems = append(problems, fmt.Errorf("keepalive: %v is below 1s", c.Keepalive))
	}
	if slices.Contains(c.UpCommand, "") {
		problems = append(problems, fmt.Errorf("up_command: %q has an empty word", c.UpCommand))
	}
	if len(problems) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %w", gateway.ErrMisconfigured, errors.Join(problems...))
}
