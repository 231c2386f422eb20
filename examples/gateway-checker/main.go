// Command gateway-checker keeps a guest registered with its gateway and its WireGuard tunnel alive, under systemd.
//
//	gateway-checker [-config FILE] [-dry-run] [-trace FILE]
//
// It exits with 0 when the tunnel is disabled or when it is told to stop, with 3 when something local is wrong that
// waiting can't cure, and with 1 when it can't start. It never waits for the gateway before it says that it is ready.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"

	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/gateway/wgtunnel"
	"github.com/evenkeel-go/evenkeel/watchdog"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// Exit codes. 2 is none of them: an aborted Go program exits with it.
const (
	exitFailed        = 1
	exitMisconfigured = 3
)

func main() { os.Exit(run(os.Args[1:], os.Stderr, nil)) }

// options are the flags, and what stands between the checker and its gateways, if anything does.
type options struct {
	config, trace string
	dryRun        bool
	wrap          func(registrar) registrar
}

// run is the whole program and returns its exit code.
func run(args []string, stderr io.Writer, wrap func(registrar) registrar) int {
	logger := slog.New(slog.NewTextHandler(stderr, nil))
	env := sdnotify.Take()
	notifier := sdnotify.New(env)
	// READY comes first: an exit before it is a failure to systemd, whatever the exit code says.
	for _, err := range []error{env.SocketErr, env.WatchdogErr, notifier.Ready()} {
		if err != nil {
			logger.Warn("service manager", "error", err)
		}
	}
	o, err := parse(args, stderr)
	if err == nil {
		o.wrap = wrap
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = check(ctx, o, env, notifier, logger)
	}
	if err := notifier.Stopping(); err != nil {
		logger.Warn("service manager", "error", err)
	}
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, gateway.ErrMisconfigured):
		logger.Error("stopped", "error", err)
		return exitMisconfigured
	}
	logger.Error("stopped", "error", err)
	return exitFailed
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("gateway-checker", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.config, "config", "/etc/gateway-checker.json", "the configuration `file`")
	flags.BoolVar(&o.dryRun, "dry-run", false, "decide, and do nothing")
	flags.StringVar(&o.trace, "trace", "", "record a trace to `file`, for the replay example")
	if err = flags.Parse(args); err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("%q: no arguments are known", flags.Args())
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = fmt.Errorf("%w: %w", gateway.ErrMisconfigured, err)
	}
	return o, err
}

// check runs the loop until it ends.
func check(ctx context.Context, o options, env sdnotify.Environment, notifier *sdnotify.Notifier, logger *slog.Logger) error {
	cfg, err := loadConfig(o.config)
	if err != nil {
		return err
	}
	kernel, err := gateway.New(cfg.Gateway)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", gateway.ErrMisconfigured, o.config, err)
	}
	handle, err := newHandle(env, notifier, logger)
	if err != nil {
		return err
	}
	client, err := wgctrl.New()
	if err != nil {
		return err
	}
	defer client.Close()
	patience := attemptTime(&cfg, env.Watchdog)
	c := newChecker(cfg, newRegistrar(cfg, o.wrap), handle.Stage, logger)
	c.tunnel = &wgtunnel.Observer{
		Client: client, Interface: cfg.Interface, ReceivedBytes: cfg.ReceivedBytes,
		// A file that the interface does not run on is no configuration: it has to be made so.
		Config: func(context.Context) (bool, error) { return c.file.Running() },
	}
	runner := &gateway.Runner{Kernel: kernel, Observer: c, Pacer: handle, Logger: logger, ActTimeout: patience}
	if !o.dryRun {
		runner.Actor = c
		within, cancel := context.WithTimeout(ctx, patience)
		c.resume(within)
		cancel()
	}
	if o.trace != "" {
		_ = os.Rename(o.trace, o.trace+".1") // the trace of a run that was aborted is the one to read; there may be none
		file, err := os.OpenFile(o.trace, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return err
		}
		defer file.Close()
		runner.Trace = file
	}
	return runner.Run(ctx)
}

// attemptTime is how long an attempt may take: the time for every gateway, and a minute for the key and the interface.
// Under a watchdog it is half of its timeout at most, of which the gateways share two thirds: the loop does not beat in
// an attempt, and an outage must not look like a hang.
func attemptTime(cfg *config, watchdog time.Duration) time.Duration {
	gateways := time.Duration(max(len(cfg.GatewayURLs), 1))
	if watchdog > 0 {
		cfg.RegisterTimeout = min(cfg.RegisterTimeout, watchdog/3/gateways)
	}
	patience := gateways*cfg.RegisterTimeout + time.Minute
	if watchdog > 0 {
		patience = min(patience, watchdog/2)
	}
	return patience
}

func newRegistrar(cfg config, wrap func(registrar) registrar) registrar {
	// No connection is kept: one that leads through a dead path would only fail the next registration.
	http := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	client := &register.Client{URLs: cfg.GatewayURLs, AppID: cfg.AppID, Timeout: cfg.RegisterTimeout, HTTP: http}
	if wrap == nil {
		return client
	}
	return wrap(client)
}

// newHandle is the watchdog of the one loop. Where the service manager expects no pings, it only sleeps.
func newHandle(env sdnotify.Environment, notifier *sdnotify.Notifier, logger *slog.Logger) (*watchdog.Handle, error) {
	kernel, err := watchdog.New(watchdog.Config{Timeout: env.Watchdog})
	if err != nil {
		return nil, err
	}
	runner := &watchdog.Runner{Kernel: kernel, Notifier: notifier, Logger: logger}
	return runner.Handle("main")
}
