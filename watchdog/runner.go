package watchdog

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/loop"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// Clock tells the time and wakes. The mock and the real clock of github.com/benbjohnson/clock satisfy it.
type Clock interface {
	// Now is the time.
	Now() time.Time
	// After sends the time once d has passed.
	After(d time.Duration) <-chan time.Time
}

// Notifier carries messages to the service manager. Package sdnotify has one for systemd. Its sends must end within
// their limit: a loop waits for them.
type Notifier interface {
	// Ping says that the program works.
	Ping(limit time.Duration) error
	// Status says, for people, what the program is at.
	Status(text string, limit time.Duration) error
}

// StepRecord is one step of a runner.
type StepRecord struct {
	// At is when the beat was heard, Source whose it was.
	At     time.Time
	Source string
	// Decision is what Step decided.
	Decision Decision
	// Outcome and SendErr say how the ping went, where the decision was to send one.
	Outcome Outcome
	SendErr error
	// State is the state after the step.
	State State
}

// Runner drives one kernel by the beats of the loops that it watches, all of which share it. It has no goroutine of its
// own: one that pings would hide that the loops hang. Its fields are set before the first call and then left alone.
type Runner struct {
	// Kernel is the rules, required.
	Kernel *Kernel
	// Notifier is what pings go to. Nil is a dry run: everything is decided, nothing is sent.
	Notifier Notifier
	// Clock is the time; nil is the real one.
	Clock Clock
	// Logger gets a line when pings are withheld or fail, and when they come again; nil is none.
	Logger *slog.Logger
	// Trace gets the trace of the run, in the format that examples/replay reads; nil is none.
	Trace io.Writer
	// OnStep is called after each step, with the runner locked: it must return at once. Nil is not called.
	OnStep func(StepRecord)

	mu      sync.Mutex
	state   State
	loop    *loop.Loop
	reason  Reason    // of the last decision
	failing bool      // the last ping could not be sent
	mute    bool      // the last status could not be sent
	quiet   time.Time // no status is sent before it: a send has just failed, and pings come first
}

// Handle is the handle of the loop that the configuration names source: what that loop uses as its Pacer. Another name
// is an error, which lists those that there are.
func (r *Runner) Handle(source string) (*Handle, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.prepare(); err != nil {
		return nil, err
	}
	var names []string
	for _, s := range r.Kernel.cfg.Sources {
		if s.Name == source {
			return &Handle{runner: r, name: source, id: ID(source), stride: stride(r.Kernel.cfg.Timeout, s.Budget)}, nil
		}
		names = append(names, s.Name)
	}
	return nil, fmt.Errorf("watchdog: source: %q is none of %q", source, names)
}

// stride is how long a loop may sleep between two beats: half of what it is allowed, so that one late wake is no alarm.
func stride(timeout, budget time.Duration) time.Duration {
	if timeout <= 0 {
		return 0
	}
	return max(1, min(timeout, budget)/2)
}

// prepare checks the fields, once. The runner is locked.
func (r *Runner) prepare() error {
	switch {
	case r.loop != nil:
		return nil
	case r.Kernel == nil:
		return errors.New("watchdog: the runner has no Kernel")
	}
	cfg, err := json.Marshal(r.Kernel.cfg)
	if err != nil {
		return fmt.Errorf("watchdog: config: %w", err)
	}
	r.loop = &loop.Loop{Clock: r.Clock, Logger: r.Logger}
	r.loop.Start()
	r.loop.Record(r.Trace, trace.Header{Kernel: "watchdog", Config: cfg})
	return nil
}

// beat steps the kernel with a beat of source, and sends the ping that it asks for. It says whether the last ping failed,
// and how long after that another one is due.
func (r *Runner) beat(source string, id uint64) (retry time.Duration, failed bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	rec := StepRecord{At: r.loop.Now(), Source: source}
	r.state, rec.Decision = r.Kernel.Step(r.state, Observation{Source: id}, rec.At)
	r.decided(rec)
	if rec.Decision.Action == ActionPing && r.Notifier != nil {
		r.ping(&rec)
	}
	rec.State = r.state
	if r.OnStep != nil {
		r.OnStep(rec)
	}
	return r.Kernel.retry(), r.failing
}

func (r *Runner) ping(rec *StepRecord) {
	rec.SendErr = r.Notifier.Ping(r.sendLimit())
	rec.Outcome = Outcome{Action: ActionPing, OK: rec.SendErr == nil}
	now := r.loop.Now()
	r.state = r.Kernel.Record(r.state, rec.Outcome, now)
	r.loop.Recorded(now, "", rec.Outcome, rec.SendErr)
	switch failing := rec.SendErr != nil; {
	case failing && !r.failing:
		r.loop.Logger.Warn("ping not sent", "error", rec.SendErr)
	case r.failing && !failing:
		r.loop.Logger.Info("pings are sent again")
	}
	r.failing = rec.SendErr != nil
	if r.failing {
		r.quiet = now.Add(r.sendLimit())
	}
}

// sendLimit bounds a send: a service manager that does not read must not become the hang that it watches for. It is an
// eighth of the timeout, and less where a loop could not wait so long for the others' sends.
func (r *Runner) sendLimit() time.Duration {
	limit := r.Kernel.cfg.Timeout / 8
	if limit <= 0 {
		return time.Second // for the status of a program that nobody expects pings of
	}
	for _, source := range r.Kernel.cfg.Sources {
		limit = min(limit, source.Budget/2)
	}
	return max(limit, time.Microsecond)
}

// decided traces a decision, and logs when pings are withheld and when they come again.
func (r *Runner) decided(rec StepRecord) {
	d := rec.Decision
	r.loop.Observed(rec.At, "", observationJSON{Beat: rec.Source}, trace.Decision{Action: d.Action.String(), Reason: d.Reason.String(), Next: d.Next}, nil)
	withheld, was := d.Reason == ReasonWithheld, r.reason == ReasonWithheld
	r.reason = d.Reason
	switch {
	case withheld && !was:
		r.loop.Logger.Error("ping withheld", "decision", d, "why", r.Kernel.Explain(r.state, d))
	case was && !withheld:
		r.loop.Logger.Info("no loop is late any more", "decision", d)
	}
}

// status tells the service manager what the loops are at. A status that can't be sent is no harm, and is not tried
// while a send has just failed: the loops would wait for it one after the other.
func (r *Runner) status(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.Notifier == nil || r.loop.Now().Before(r.quiet) {
		return
	}
	err := r.Notifier.Status(text, r.sendLimit())
	if err != nil && !r.mute {
		r.loop.Logger.Warn("status not sent", "error", err)
	}
	if r.mute = err != nil; r.mute {
		r.quiet = r.loop.Now().Add(r.sendLimit())
	}
}
