package supervise

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"sync"
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

// Pacer is told at the top of each sweep that the loop lives, and sleeps for it. A watchdog's handle is one.
type Pacer interface {
	// Beat says that the loop lives.
	Beat()
	// SleepUntil returns nil at that time, or ctx's error when that ends first.
	SleepUntil(ctx context.Context, at time.Time) error
}

// Observer looks at the targets. Several goroutines call it at once, for different targets.
type Observer interface {
	// Targets lists the targets by name. One that is not listed any more is forgotten. An error skips the sweep: nothing
	// is counted, and nothing forgotten.
	Targets(ctx context.Context) ([]string, error)
	// Observe looks at a target, the cheap guards included. An error says what could not be seen, which is left at
	// unknown; it is logged when it begins and when it ends.
	Observe(ctx context.Context, target string) (Observation, error)
	// Busy reads the expensive guard, GuardBusy or GuardNone. It is called once, right before an action. An error is
	// GuardUnknown.
	Busy(ctx context.Context, target string) (Guard, error)
}

// Actor carries out decisions. Several goroutines call it at once, for different targets.
type Actor interface {
	// Act does what d says: restart the target, or tell people that it is in a crash loop.
	Act(ctx context.Context, target string, d Decision) error
}

// StepRecord is what one sweep did about one target.
type StepRecord struct {
	// At is when the look ended, Target whose record this is.
	At     time.Time
	Target string
	// Observation is what was seen, LookErr what could not be.
	Observation Observation
	LookErr     error
	// Decision is what Step decided, with the expensive guard read where it asks for an action.
	Decision Decision
	// Acted says that the Actor was called, Outcome and ActErr how that ended, at ActedAt.
	Acted   bool
	Outcome Outcome
	ActErr  error
	ActedAt time.Time
	// State is the state after the step.
	State State
}

// Runner drives one kernel over many targets. It sweeps on its own grid, not at Next, and looks at several targets at
// once: one that is slow or hangs delays no other. Its fields are set before the first call and then left alone.
type Runner struct {
	// Kernel is the rules, Observer the eyes; both are required.
	Kernel   *Kernel
	Observer Observer
	// Actor is the hands. Nil is a dry run: everything is decided, nothing is done or recorded as done.
	Actor Actor
	// Clock is the time; nil is the real one.
	Clock Clock
	// Pacer sleeps between sweeps; nil sleeps on Clock.
	Pacer Pacer
	// Logger gets a line for each change of a target's reason, each action, each beginning and end of failing looks, and
	// every 20 sweeps one that says what was counted; nil is none.
	Logger *slog.Logger
	// Trace gets the trace of the run, in the format that examples/replay reads, each target under its name; nil is none.
	Trace io.Writer
	// OnStep is called after each step, by the goroutine that made it; nil is not called.
	OnStep func(StepRecord)

	// States is where to begin, by target; nil is a fresh start. Take is how to get at it later.
	States map[string]State
	// Concurrency is how many targets are looked at or acted on at once. Zero means 8.
	Concurrency int
	// LookTimeout bounds a look, and the reading of a list or a guard. Zero means 10 s.
	LookTimeout time.Duration
	// ActTimeout bounds an action. Zero means 60 s.
	ActTimeout time.Duration

	loop  *loop.Loop
	slots chan struct{}

	mu      sync.Mutex         // guards the rest, the loop's bookkeeping and States
	targets map[string]*target // what is known beside the states
	listing target             // the reading of the list, which may hang like a target
	sweeps  int
}

// target is what a runner knows of a target beside its state.
type target struct {
	attended bool   // a goroutine has it
	hanging  bool   // a call has not come back
	blind    bool   // looks fail
	reason   Reason // of the last decision
	last     Observation
}

// Run beats, begins a sweep and sleeps until the next one is due, again and again, until ctx ends, whose error it returns
// once the actions that it began have ended. A failed look or action does not end it.
func (r *Runner) Run(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		return err
	}
	var attending sync.WaitGroup
	defer attending.Wait()
	return r.loop.Run(ctx, func(ctx context.Context) (time.Time, bool, error) {
		next := r.loop.Now().Add(r.Kernel.cfg.SweepInterval)
		_ = r.sweep(ctx, &attending) // what failed is in the log, and no reason to end
		return next, false, nil
	})
}

// RunOnce sweeps all targets once and waits for all actions that come of it. It sleeps nowhere; the goroutines that it
// starts, one for each target, have ended when it returns. Its error says that the targets could not be listed.
func (r *Runner) RunOnce(ctx context.Context) error {
	if err := r.prepare(); err != nil {
		return err
	}
	var attending sync.WaitGroup
	defer attending.Wait()
	return r.sweep(ctx, &attending)
}

// Take is a copy of the states, by target.
func (r *Runner) Take() map[string]State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.States)
}

// prepare checks the fields and makes the loop, before the first sweep.
func (r *Runner) prepare() error {
	switch {
	case r.loop != nil:
		return nil
	case r.Kernel == nil:
		return errors.New("supervise: the runner has no Kernel")
	case r.Observer == nil:
		return errors.New("supervise: the runner has no Observer")
	}
	cfg, err := json.Marshal(r.Kernel.cfg)
	if err != nil {
		return fmt.Errorf("supervise: config: %w", err)
	}
	header := trace.Header{Kernel: "supervise", Config: cfg}
	if header.States, err = trace.States(r.States); err != nil {
		return fmt.Errorf("supervise: %w", err)
	}
	if r.States == nil {
		r.States = map[string]State{}
	}
	settings.Default(&r.Concurrency, 8)
	settings.Default(&r.LookTimeout, 10*time.Second)
	settings.Default(&r.ActTimeout, time.Minute)
	r.targets = map[string]*target{}
	r.slots = make(chan struct{}, r.Concurrency)
	r.loop = &loop.Loop{Pacer: r.Pacer, Clock: r.Clock, Logger: r.Logger, Quiet: true} // the sweeps are counted here
	r.loop.Start()
	r.loop.Record(r.Trace, header)
	return nil
}

// sweep begins to attend to every target that nobody attends to, and forgets those that are gone.
func (r *Runner) sweep(ctx context.Context, attending *sync.WaitGroup) error {
	defer r.sayAlive()
	names, err := bounded(ctx, r, &r.listing, r.LookTimeout, r.Observer.Targets)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loop.Looked(err)
	if err != nil {
		return fmt.Errorf("supervise: listing the targets: %w", err)
	}
	listed := map[string]bool{}
	for _, name := range names {
		listed[name] = true
		if r.targets[name] == nil {
			r.targets[name] = &target{}
		}
		if t := r.targets[name]; !t.attended {
			t.attended = true
			attending.Go(func() { r.attend(ctx, name, t) })
		}
	}
	for name, t := range r.targets {
		if !listed[name] && !t.attended {
			delete(r.targets, name)
			delete(r.States, name)
		}
	}
	return nil
}

// attend looks at one target and does what is to be done about it.
func (r *Runner) attend(ctx context.Context, name string, t *target) {
	defer func() {
		r.mu.Lock()
		t.attended = false
		r.mu.Unlock()
	}()
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return
	}
	rec := StepRecord{Target: name}
	rec.Observation, rec.LookErr = bounded(ctx, r, t, r.LookTimeout, func(ctx context.Context) (Observation, error) {
		return r.Observer.Observe(ctx, name)
	})
	if ctx.Err() != nil {
		return
	}
	rec.At = r.loop.Now()
	r.step(&rec, t)
	if rec.Decision.Action != ActionNone && r.Actor != nil && r.free(ctx, &rec, t) {
		r.act(ctx, &rec, t)
	}
	r.mu.Lock()
	rec.State = r.States[name]
	r.mu.Unlock()
	if r.OnStep != nil {
		r.OnStep(rec)
	}
}

// step folds the look into the state, and notes what it decides.
func (r *Runner) step(rec *StepRecord, t *target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	state, d := r.Kernel.Step(r.States[rec.Target], rec.Observation, rec.At)
	r.States[rec.Target], rec.Decision, t.last = state, d, rec.Observation
	r.loop.Observed(rec.At, rec.Target, rec.Observation, trace.Decision{Action: d.Action.String(), Reason: d.Reason.String(), Next: d.Next}, rec.LookErr)
	log := r.loop.Logger.With("target", rec.Target)
	switch failing := rec.LookErr != nil; {
	case failing && !t.blind:
		log.Warn("look failed", "error", rec.LookErr)
	case t.blind && !failing:
		log.Info("look succeeded again")
	}
	if d.Reason != t.reason {
		log.Info("decision", "decision", d, "why", r.Kernel.Explain(state, d))
	}
	t.blind, t.reason = rec.LookErr != nil, d.Reason
}

// free reads the expensive guard and steps again at the same time: it says whether there is still something to do.
func (r *Runner) free(ctx context.Context, rec *StepRecord, t *target) bool {
	guard, err := bounded(ctx, r, t, r.LookTimeout, func(ctx context.Context) (Guard, error) {
		return r.Observer.Busy(ctx, rec.Target)
	})
	if err != nil {
		guard, rec.LookErr = GuardUnknown, err
	}
	if guard == GuardNone {
		return true
	}
	rec.Observation.Guard = guard
	r.step(rec, t)
	return rec.Decision.Action != ActionNone
}

func (r *Runner) act(ctx context.Context, rec *StepRecord, t *target) {
	_, rec.ActErr = bounded(ctx, r, t, r.ActTimeout, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, r.Actor.Act(ctx, rec.Target, rec.Decision)
	})
	rec.Acted, rec.ActedAt = true, r.loop.Now()
	rec.Outcome = Outcome{Action: rec.Decision.Action, OK: rec.ActErr == nil}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.States[rec.Target] = r.Kernel.Record(r.States[rec.Target], rec.Outcome, rec.ActedAt)
	r.loop.Acted(rec.ActErr, "target", rec.Target, "action", rec.Decision.Action, "took", rec.ActedAt.Sub(rec.At))
	r.loop.Recorded(rec.ActedAt, rec.Target, rec.Outcome, rec.ActErr)
}

// aliveSweeps is how many sweeps go by between two lines that say that the loop lives.
const aliveSweeps = 20

// sayAlive logs what the targets were when they were last looked at, also when none could be: a log without this line is
// a loop that hangs.
func (r *Runner) sayAlive() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.sweeps++; r.sweeps%aliveSweeps != 0 {
		return
	}
	var down, unknown, parked int
	for _, t := range r.targets {
		switch {
		case t.last.Guard == GuardParked:
			parked++
		case t.last.Status == StatusDown:
			down++
		case t.last.Status == StatusUnknown:
			unknown++
		}
	}
	r.loop.Logger.Info("alive", "targets", len(r.targets), "down", down, "unknown", unknown, "parked", parked)
}

// errHanging says that a call for a target was not made, since one from before has not come back.
var errHanging = errors.New("a call before has not come back")

// bounded calls f for a target and gives it up when its time is over, even if it does not listen to its context: what it
// hangs in must not hold up the other targets. Until it comes back no further call is made for this one, so that no two
// hands are ever on it.
func bounded[T any](ctx context.Context, r *Runner, t *target, limit time.Duration, f func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if !r.begin(t) {
		return *new(T), errHanging
	}
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f(ctx)
		r.end(t) // before the caller can make its next call
		done <- result{value, err}
	}()
	select {
	case got := <-done:
		return got.value, got.err
	case <-ctx.Done():
		return *new(T), ctx.Err()
	}
}

// begin notes that a call for t is made, unless one hangs.
func (r *Runner) begin(t *target) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if t.hanging {
		return false
	}
	t.hanging = true
	return true
}

func (r *Runner) end(t *target) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t.hanging = false
}
