package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/command"
	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/examples/internal/wgconf"
	"github.com/evenkeel-go/evenkeel/gateway"
)

// registrar registers a public key with a gateway.
type registrar interface {
	Register(ctx context.Context, key wgtypes.Key) (register.Lease, error)
}

// checker is what the gateway kernel sees and does on this machine.
type checker struct {
	cfg       config
	tunnel    gateway.Observer
	keys      *gateway.Enroller[wgtypes.Key]
	registrar registrar
	file      wgconf.File
	stage     func(name string) // says what the loop is at
	logger    *slog.Logger
	settled   bool // an attempt has succeeded, or its failure is reported
}

// newChecker wires the parts of cfg together, but for the tunnel.
func newChecker(cfg config, r registrar, stage func(string), logger *slog.Logger) *checker {
	c := &checker{cfg: cfg, registrar: r, stage: stage, logger: logger}
	c.keys = &gateway.Enroller[wgtypes.Key]{Store: gateway.FileStore[wgtypes.Key]{Path: cfg.KeyFile}, Mint: c.mint, Logger: logger}
	c.file = wgconf.File{Path: cfg.ConfigFile, Applied: cfg.AppliedFile, Apply: c.apply}
	return c
}

// Observe is a gateway.Observer: the operator's switch and the configuration come before the tunnel.
func (c *checker) Observe(ctx context.Context) (gateway.Observation, error) {
	if !c.cfg.Enabled {
		return gateway.Observation{Disabled: true}, nil
	}
	if err := c.cfg.problem(); err != nil {
		return gateway.Observation{}, err
	}
	c.stage("looking")
	return c.tunnel.Observe(ctx)
}

// Act is a gateway.Actor: it registers and makes the interface what the lease says. A refresh whose lease is as before
// touches nothing.
func (c *checker) Act(ctx context.Context, d gateway.Decision) error {
	err := c.attempt(ctx, d.Action == gateway.ActionForceRefresh)
	told := errors.Is(ctx.Err(), context.Canceled) // it ends because it was told to
	if !c.settled && !told {
		c.settled = err == nil || c.reportFailure(ctx, err)
	}
	return err
}

func (c *checker) attempt(ctx context.Context, rebuild bool) error {
	c.stage("loading the key")
	key, err := c.keys.Material(ctx)
	if err != nil {
		return err
	}
	c.stage("registering")
	lease, err := c.registrar.Register(ctx, key.PublicKey())
	if err != nil {
		return err
	}
	c.stage("applying")
	touched, err := c.file.Ensure(ctx, wgconf.Text(key, lease, c.cfg.Keepalive), rebuild)
	c.logger.Info("registered", "address", lease.Address, "endpoint", lease.Endpoint, "touched", touched)
	return err
}

// apply is what wgconf.File runs. An interface that is not there can't be taken down, which is as good.
func (c *checker) apply(ctx context.Context) error {
	if len(c.cfg.DownCommand) > 0 {
		if _, err := command.Run(ctx, c.cfg.DownCommand); err != nil {
			c.logger.Info("the interface was not taken down", "error", err)
		}
	}
	_, err := command.Run(ctx, c.cfg.UpCommand)
	return err
}

// mint makes the key material.
func (c *checker) mint(ctx context.Context) (wgtypes.Key, error) {
	c.stage("minting")
	if len(c.cfg.MintCommand) == 0 {
		return wgtypes.GeneratePrivateKey()
	}
	out, err := command.Run(ctx, c.cfg.MintCommand)
	if err != nil {
		return wgtypes.Key{}, err
	}
	key, err := wgtypes.ParseKey(strings.TrimSpace(out))
	if err != nil {
		return wgtypes.Key{}, fmt.Errorf("%s: printed no key: %w", c.cfg.MintCommand[0], err)
	}
	return key, nil
}

// reportFailure tells the operator that the machine came up without its tunnel, and says whether that is done: once is
// enough. The attempt may have used up its time, the report has its own.
func (c *checker) reportFailure(ctx context.Context, failure error) bool {
	if len(c.cfg.FailureCommand) == 0 {
		return true
	}
	c.stage("reporting a failure")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := command.Run(ctx, c.cfg.FailureCommand, "FAILURE="+failure.Error()); err != nil {
		c.logger.Warn("the failure was not reported", "error", err)
		return false
	}
	return true
}

// resume brings up what an earlier run left, without asking anybody: the tunnel of a machine that boots must not wait for
// a registration.
func (c *checker) resume(ctx context.Context) {
	if !c.cfg.Enabled || c.cfg.problem() != nil {
		return
	}
	c.stage("resuming")
	if err := c.file.Resume(ctx); err != nil {
		c.logger.Warn("the configuration that was left is of no use", "error", err)
	}
}

// machineID tells this machine from the others of a fleet, so that their retries spread.
func machineID() string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		name, _ := os.Hostname() // empty is a key like any other
		return name
	}
	return strings.TrimSpace(string(id))
}
