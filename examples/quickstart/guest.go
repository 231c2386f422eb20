package main

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/gateway/wgtunnel"
)

// What takes seconds here takes minutes in real life.
const (
	silenceLimit    = 3 * time.Second
	firstRetry      = 500 * time.Millisecond
	registerTimeout = 5 * time.Second
)

const atWork = "at work" // what the application says

// guest is a machine with an application, which never waits for the network, and beside it a runner of the gateway
// kernel, which keeps the tunnel up.
type guest struct {
	gateways    *register.Client // it trusts that gateway alone
	keys        *gateway.Enroller[wgtypes.Key]
	tunnel      *tunnel
	runner      *gateway.Runner
	report      *report
	application net.Listener
	stop        func() // set by start

	mu    sync.Mutex
	last  gateway.Reason       // of the last decision
	pass  time.Time            // when the last pass was made
	tried []gateway.StepRecord // the passes that acted
}

// newGuest is the guest whose keys and configuration are in dir, where those of an earlier one may lie. Its trace goes
// to trace, unless that is nil.
func newGuest(dir string, g *gatewayServer, mint func(context.Context) (wgtypes.Key, error), r *report, trace io.Writer) (*guest, error) {
	kernel, err := gateway.New(gateway.Config{
		PollInterval:     200 * time.Millisecond,
		RefreshInterval:  4 * time.Second,
		HandshakeTimeout: silenceLimit,
		Retry:            backoff.Config{Initial: firstRetry, Multiplier: 2, Max: 4 * firstRetry},
	})
	if err != nil {
		return nil, err
	}
	m := &guest{
		gateways: &register.Client{
			URLs:    []string{"https://" + g.address},
			HTTP:    &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: g.pinned}, DisableKeepAlives: true}},
			Timeout: registerTimeout,
		},
		keys: &gateway.Enroller[wgtypes.Key]{
			Store: gateway.FileStore[wgtypes.Key]{Path: filepath.Join(dir, "key.json")},
			Mint:  mint,
		},
		tunnel: &tunnel{path: filepath.Join(dir, "tunnel.json")},
		report: r,
	}
	m.runner = &gateway.Runner{
		Kernel: kernel,
		Observer: &wgtunnel.Observer{
			Client:        m.tunnel,
			Interface:     interfaceName,
			Config:        wgtunnel.ConfigFile(m.tunnel.path),
			ReceivedBytes: true,
			Clock:         r.clock,
		},
		Actor:  m,
		Clock:  r.clock,
		OnStep: m.onStep,
		Trace:  trace,
	}
	return m, nil
}

// start boots the guest: the application first, and the runner beside it.
func (m *guest) start(ctx context.Context) (err error) {
	if m.application, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	server := &http.Server{
		Handler:           http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, atWork) }),
		ReadHeaderTimeout: 5 * time.Second,
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(m.application) }) // until it is closed
	running.Go(func() { m.keepTunnel(ctx) })
	m.stop = func() {
		cancel()
		_ = server.Close() // the guest is gone either way
		running.Wait()
		m.tunnel.close()
	}
	return nil
}

// keepTunnel keeps the tunnel up until ctx ends.
func (m *guest) keepTunnel(ctx context.Context) {
	if err := m.resume(ctx); err != nil {
		m.report.event("the configuration that was kept is of no use: %v", err)
	}
	if err := m.runner.Run(ctx); ctx.Err() == nil {
		m.report.event("the runner ended: %v", err)
	}
}

// resume brings the tunnel up from the configuration that an earlier run left, without asking the gateway.
func (m *guest) resume(ctx context.Context) error {
	kept, err := m.tunnel.load()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	key, err := m.keys.Material(ctx)
	if err != nil {
		return err
	}
	_, err = m.tunnel.apply(key, kept, false)
	return err
}

// Act registers with the gateway and makes the tunnel what the answer says: a gateway.Actor.
func (m *guest) Act(ctx context.Context, d gateway.Decision) error {
	m.report.decision(m.runner, d)
	key, err := m.keys.Material(ctx)
	if err != nil {
		return err
	}
	granted, err := m.gateways.Register(ctx, key.PublicKey())
	if err != nil {
		return err
	}
	if err := m.tunnel.keep(granted); err != nil {
		return err
	}
	built, err := m.tunnel.apply(key, granted, d.Action == gateway.ActionForceRefresh)
	switch {
	case err != nil:
		return err
	case built:
		m.report.event("registered as %v, %s is built", granted.Address, interfaceName)
	default:
		m.report.event("registered as %v as before, %s is left alone", granted.Address, interfaceName)
	}
	return nil
}

// onStep reports a pass and notes it. The decision of one that acted was reported when it began.
func (m *guest) onStep(pass gateway.StepRecord) {
	switch {
	case errors.Is(pass.ActErr, context.Canceled): // the guest goes down, which says it all
	case pass.ActErr != nil:
		m.report.event("failed: %v", pass.ActErr)
	case !pass.Acted && pass.Decision.Reason != m.reason():
		m.report.decision(m.runner, pass.Decision)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last, m.pass = pass.Decision.Reason, pass.At
	if pass.Acted {
		m.tried = append(m.tried, pass)
	}
}

// passedSince says whether the runner made a pass after t.
func (m *guest) passedSince(t time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pass.After(t)
}

// reason is that of the last decision.
func (m *guest) reason() gateway.Reason {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.last
}

// applicationAnswers asks the application for its page.
func (m *guest) applicationAnswers(ctx context.Context) bool {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Second}
	return expect(ctx, client, "http://"+m.application.Addr().String(), atWork) == nil
}

// attempts are the passes so far that acted, in order.
func (m *guest) attempts() []gateway.StepRecord {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clip(m.tried)
}
