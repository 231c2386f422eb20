package liveness

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/loop"
	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// Clock tells the time and wakes. The mock and the real clock of github.com/benbjohnson/clock satisfy it.
type Clock interface {
	// Now is the time.
	Now() time.Time
	// After sends the time once d has passed.
	After(d time.Duration) <-chan time.Time
}

// Pacer is told at the top of each pass that the loop lives, and sleeps for it. A watchdog's handle is one.
type Pacer interface {
	// Beat says that the loop lives.
	Beat()
	// SleepUntil returns nil at that time, or ctx's error when that ends first.
	SleepUntil(ctx context.Context, at time.Time) error
}

// Observer looks at a device.
type Observer interface {
	// Observe looks once and returns what was seen of each peer, by its id. A peer that is left out was not seen, which
	// is unknown; an error says what failed, and is logged when it begins and when it ends.
	Observe(ctx context.Context) (map[string]Observation, error)
}

// Actor sends probes.
type Actor interface {
	// Probe sends a datagram to the peer through the tunnel. An error says that it could not be sent.
	Probe(ctx context.Context, peer string) error
}

// StepRecord is what one pass did about one peer.
type StepRecord struct {
	// At is when the look ended, Peer whose record this is.
	At   time.Time
	Peer string
	// Observation is what was seen, LookErr what could not be.
	Observation Observation
	LookErr     error
	// Decision is what Step decided.
	Decision Decision
	// Acted says that a probe was tried, Outcome and ActErr how that ended, at ActedAt.
	Acted   bool
	Outcome Outcome
	ActErr  error
	ActedAt time.Time
	// State is the state after the pass.
	State State
}

// Runner drives one kernel over all peers of a device, which it looks at once in a pass. Its fields are set before the
// first call and then left alone; one goroutine uses it at a time.
type Runner struct {
	// Kernel is the rules, Observer the eyes; both are required.
	Kernel   *Kernel
	Observer Observer
	// Actor sends probes. Nil is a dry run: they are decided and not sent.
	Actor Actor
	// Clock is the time; nil is the real one.
	Clock Clock
	// Pacer sleeps between passes; nil sleeps on Clock.
	Pacer Pacer
	// Logger gets a line for each change of a verdict and each beginning and end of failing looks, and every
	// 10 min one that says that the loop lives, with what it counted; nil is none.
	Logger *slog.Logger
	// Trace gets the trace of the run, in the format that examples/replay reads, each peer under its id; nil is none.
	Trace io.Writer
	// OnStep is called for each peer in each pass, by id; nil is not called.
	OnStep func(StepRecord)

	// States is where to begin, by peer; nil is a fresh start. The runner keeps it current.
	States map[string]State
	// LookTimeout bounds a look: its context ends then. Zero means 10 s.
	LookTimeout time.Duration
	// ActTimeout bounds a probe: its context ends then. Zero means 1 s.
	ActTimeout time.Duration

	loop *loop.Loop
}

// Run beats, does one pass and sleeps until the earlier of the first Next and the check interval, again and again, until
// ctx ends, whose error it returns. A failed look or probe does not end it.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		return err
	}
	return r.loop.Run(ctx, func(ctx context.Context) (time.Time, bool, error) {
		next, _, _ := r.pass(ctx) // what failed is in the log, and no reason to end
		return next, false, nil
	})
}

// RunOnce looks, decides, probes and records, once for each peer. It starts no goroutine and sleeps nowhere. Its error
// tells what failed in the pass; the decisions hold all the same, but there are none if ctx ended before.
func (r *Runner) RunOnce(ctx context.Context) (map[string]Decision, error) {
	if err := r.prepare(); err != nil {
		return nil, err
	}
	_, decisions, err := r.pass(ctx)
	return decisions, err
}

// prepare checks the fields and makes the loop, before the first pass.
func (r *Runner) prepare() error {
	switch {
	case r.loop != nil:
		return nil
	case r.Kernel == nil:
		return errors.New("liveness: the runner has no Kernel")
	case r.Observer == nil:
		return errors.New("liveness: the runner has no Observer")
	}
	cfg, err := json.Marshal(r.Kernel.cfg)
	if err != nil {
		return fmt.Errorf("liveness: config: %w", err)
	}
	header := trace.Header{Kernel: "liveness", Config: cfg}
	if header.States, err = trace.States(r.States); err != nil {
		return fmt.Errorf("liveness: %w", err)
	}
	if r.States == nil {
		r.States = map[string]State{}
	}
	settings.Default(&r.LookTimeout, 10*time.Second)
	settings.Default(&r.ActTimeout, time.Second)
	r.loop = &loop.Loop{Pacer: r.Pacer, Clock: r.Clock, Logger: r.Logger}
	r.loop.Start()
	r.loop.Record(r.Trace, header)
	return nil
}

// pass does one pass over all peers that are seen or were, and says when the next one begins.
func (r *Runner) pass(ctx context.Context) (next time.Time, decisions map[string]Decision, err error) {
	seen, lookErr := r.look(ctx)
	if err := ctx.Err(); err != nil {
		return time.Time{}, nil, err
	}
	at := r.loop.Now()
	next, decisions = at.Add(r.Kernel.cfg.CheckInterval), map[string]Decision{}
	errs := []error{lookErr}
	for peer := range seen {
		if _, known := r.States[peer]; !known {
			r.States[peer] = State{}
		}
	}
	for _, peer := range slices.Sorted(maps.Keys(r.States)) {
		rec := r.step(ctx, StepRecord{At: at, Peer: peer, Observation: seen[peer], LookErr: lookErr})
		decisions[peer] = rec.Decision
		errs = append(errs, rec.ActErr)
		if due := rec.Decision.Next; !due.IsZero() && due.After(at) && due.Before(next) {
			next = due
		}
	}
	return next, decisions, errors.Join(errs...)
}

func (r *Runner) look(ctx context.Context) (map[string]Observation, error) {
	ctx, cancel := context.WithTimeout(ctx, r.LookTimeout)
	defer cancel()
	seen, err := r.Observer.Observe(ctx)
	r.loop.Looked(err)
	return seen, err
}

// step does what one pass does about one peer.
func (r *Runner) step(ctx context.Context, rec StepRecord) StepRecord {
	state, d := r.Kernel.Step(r.States[rec.Peer], rec.Observation, rec.At)
	r.States[rec.Peer], rec.Decision = state, d
	r.loop.Observed(rec.At, rec.Peer, rec.Observation, trace.Decision{Action: d.Action.String(), Reason: d.Reason.String(), Next: d.Next}, rec.LookErr)
	if d.Changed {
		r.loop.Logger.Info("verdict", "peer", rec.Peer, "decision", d, "why", r.Kernel.Explain(state, d))
	}
	if d.Action == ActionProbe && r.Actor != nil {
		r.probe(ctx, &rec)
	}
	rec.State = r.States[rec.Peer]
	if r.OnStep != nil {
		r.OnStep(rec)
	}
	return rec
}

func (r *Runner) probe(ctx context.Context, rec *StepRecord) {
	ctx, cancel := context.WithTimeout(ctx, r.ActTimeout)
	defer cancel()
	rec.ActErr = r.Actor.Probe(ctx, rec.Peer)
	rec.Acted, rec.ActedAt = true, r.loop.Now()
	rec.Outcome = Outcome{Action: ActionProbe, OK: rec.ActErr == nil}
	r.States[rec.Peer] = r.Kernel.Record(r.States[rec.Peer], rec.Outcome, rec.ActedAt)
	r.loop.Recorded(rec.ActedAt, rec.Peer, rec.Outcome, rec.ActErr)
}
