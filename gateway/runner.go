package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/internal/loop"
	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// ErrMisconfigured is what an [Observer] wraps to say that something local is wrong that waiting can't cure, and what
// Run returns, wrapped, when it stops for that. The program's exit code is its own: 3 is a good one, for an aborted Go
// program exits with 2.
var ErrMisconfigured = errors.New("misconfigured")

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

// Observer looks at the tunnel.
type Observer interface {
	// Observe returns what could be seen, unknown for what could not, and an error that says what and why. The error
	// is logged when it begins and when it ends; one that wraps ErrMisconfigured stops the loop.
	Observe(ctx context.Context) (Observation, error)
}

// Actor carries out decisions.
type Actor interface {
	// Act does what d says. An error is a failed attempt; one from [backoff.After] carries the server's Retry-After.
	Act(ctx context.Context, d Decision) error
}

// StepRecord is one pass of a runner.
type StepRecord struct {
	// At is when the look ended.
	At time.Time
	// Observation is what was seen, LookErr what could not be.
	Observation Observation
	LookErr     error
	// Decision is what Step decided.
	Decision Decision
	// Acted says that the Actor was called, Outcome and ActErr how that ended, at ActedAt.
	Acted   bool
	Outcome Outcome
	ActErr  error
	ActedAt time.Time
	// State is the state after the pass.
	State State
}

// Runner drives one kernel against the world. Its fields are set before the first call and then left alone; one
// goroutine uses it at a time.
type Runner struct {
	// Kernel is the rules, Observer the eyes; both are required.
	Kernel   *Kernel
	Observer Observer
	// Actor is the hands. Nil is a dry run: everything is decided, nothing is done or recorded as done.
	Actor Actor
	// Clock is the time; nil is the real one.
	Clock Clock
	// Pacer sleeps between passes; nil sleeps on Clock.
	Pacer Pacer
	// Logger gets a line for each change of reason, each action and each beginning and end of failing
	// looks, and every 10 min one that says that the loop lives, with what it counted; nil is none.
	Logger *slog.Logger
	// Trace gets the trace of the run, in the format that examples/replay reads; nil is none.
	Trace io.Writer
	// OnStep is called at the end of each pass; nil is not called.
	OnStep func(StepRecord)

	// State is where to begin; the zero value is a fresh start. The runner keeps it current.
	State State
	// LookTimeout bounds a look: its context ends then. Zero means 10 s.
	LookTimeout time.Duration
	// ActTimeout bounds an action: its context ends then. Zero means 60 s.
	ActTimeout time.Duration

	loop   *loop.Loop
	reason Reason // of the last decision that was logged
}

// Run beats, does one pass and sleeps until the earlier of the decision's Next and the poll interval, again and again.
// It returns nil when the tunnel is disabled, an error that wraps ErrMisconfigured when something local is wrong, and
// ctx's error when that ends. A failed look or action does not end it.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		return err
	}
	return r.loop.Run(ctx, func(ctx context.Context) (time.Time, bool, error) {
		rec, _ := r.pass(ctx) // what failed is in the log, and no reason to end
		if rec.Decision.Action == ActionStop {
			return time.Time{}, true, rec.stopError()
		}
		return r.wake(rec), false, nil
	})
}

// RunOnce looks, decides, acts and records, once. It starts no goroutine and sleeps nowhere. Its error tells what
// failed in the pass; the decision holds all the same, but for the zero one, which says that ctx ended before.
func (r *Runner) RunOnce(ctx context.Context) (Decision, error) {
	if err := r.prepare(); err != nil {
		return Decision{}, err
	}
	rec, err := r.pass(ctx)
	return rec.Decision, err
}

// prepare checks the fields and makes the loop, before the first pass.
func (r *Runner) prepare() error {
	switch {
	case r.loop != nil:
		return nil
	case r.Kernel == nil:
		return errors.New("gateway: the runner has no Kernel")
	case r.Observer == nil:
		return errors.New("gateway: the runner has no Observer")
	}
	cfg, err := json.Marshal(r.Kernel.Config())
	if err != nil {
		return fmt.Errorf("gateway: config: %w", err)
	}
	header := trace.Header{Kernel: "gateway", Config: cfg}
	if r.State != (State{}) {
		if header.State, err = json.Marshal(r.State); err != nil {
			return fmt.Errorf("gateway: state: %w", err)
		}
	}
	settings.Default(&r.LookTimeout, 10*time.Second)
	settings.Default(&r.ActTimeout, time.Minute)
	r.loop = &loop.Loop{Pacer: r.Pacer, Clock: r.Clock, Logger: r.Logger}
	r.loop.Start()
	r.loop.Record(r.Trace, header)
	return nil
}

// pass does one pass: look, step, act, record.
func (r *Runner) pass(ctx context.Context) (rec StepRecord, err error) {
	obs, lookErr := r.look(ctx)
	if err := ctx.Err(); err != nil {
		return StepRecord{}, err
	}
	rec = StepRecord{At: r.loop.Now(), Observation: obs, LookErr: lookErr}
	r.State, rec.Decision = r.Kernel.Step(r.State, obs, rec.At)
	r.decided(rec)
	if d := rec.Decision; r.Actor != nil && d.Action != ActionNone && d.Action != ActionStop {
		r.act(ctx, &rec)
	}
	rec.State = r.State
	if r.OnStep != nil {
		r.OnStep(rec)
	}
	return rec, errors.Join(lookErr, rec.ActErr)
}

func (r *Runner) look(ctx context.Context) (Observation, error) {
	ctx, cancel := context.WithTimeout(ctx, r.LookTimeout)
	defer cancel()
	obs, err := r.Observer.Observe(ctx)
	obs.Problem = obs.Problem || errors.Is(err, ErrMisconfigured)
	r.loop.Looked(err)
	return obs, err
}

func (r *Runner) act(ctx context.Context, rec *StepRecord) {
	ctx, cancel := context.WithTimeout(ctx, r.ActTimeout)
	defer cancel()
	rec.ActErr = r.Actor.Act(ctx, rec.Decision)
	rec.Acted, rec.ActedAt = true, r.loop.Now()
	after, _ := backoff.RetryAfter(rec.ActErr)
	rec.Outcome = Outcome{Action: rec.Decision.Action, OK: rec.ActErr == nil, RetryAfter: after}
	r.State = r.Kernel.Record(r.State, rec.Outcome, rec.ActedAt)
	r.loop.Acted(rec.ActErr, "action", rec.Decision.Action, "took", rec.ActedAt.Sub(rec.At))
	r.loop.Recorded(rec.ActedAt, "", rec.Outcome, rec.ActErr)
}

// decided traces a decision, and logs it where its reason is not the one of the decision before.
func (r *Runner) decided(rec StepRecord) {
	d := rec.Decision
	r.loop.Observed(rec.At, "", rec.Observation, trace.Decision{Action: d.Action.String(), Reason: d.Reason.String(), Next: d.Next}, rec.LookErr)
	if d.Reason == r.reason {
		return
	}
	r.reason = d.Reason
	r.loop.Logger.Info("decision", "decision", d, "why", r.Kernel.Explain(r.State, d))
}

// wake is when the next pass begins.
func (r *Runner) wake(rec StepRecord) time.Time {
	poll := rec.At.Add(r.Kernel.cfg.PollInterval)
	next := rec.Decision.Next
	dry := rec.Decision.Action != ActionNone && !rec.Acted // the decision stands until it is carried out
	if dry || next.IsZero() || next.After(poll) {
		return poll
	}
	return next
}

func (rec StepRecord) stopError() error {
	switch {
	case rec.Decision.Reason != ReasonMisconfigured:
		return nil
	case errors.Is(rec.LookErr, ErrMisconfigured):
		return fmt.Errorf("gateway: %w", rec.LookErr)
	}
	return fmt.Errorf("gateway: %w", ErrMisconfigured)
}
