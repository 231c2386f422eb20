// Package loop is the shell that the runners share, and the only place with a clock: it tells the time, paces the
// passes, bounds looks and acts, writes the trace and says that it is alive. What is looked at, decided and done is the
// runner's.
package loop

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// Clock tells the time and wakes.
type Clock interface {
	// Now is the time.
	Now() time.Time
	// After sends the time once d has passed.
	After(d time.Duration) <-chan time.Time
}

// Pacer is what a pass begins with and how the loop sleeps.
type Pacer interface {
	// Beat says that the loop lives.
	Beat()
	// SleepUntil returns nil at that time, or ctx's error when that ends first.
	SleepUntil(ctx context.Context, at time.Time) error
}

// aliveInterval is how often a loop says that it is alive.
const aliveInterval = 10 * time.Minute

// A Loop is one runner's shell. The exported fields are set before its first use; one goroutine uses it.
type Loop struct {
	Clock  Clock        // nil: the real one
	Pacer  Pacer        // nil: sleeps on Clock
	Logger *slog.Logger // nil: logs nothing
	Quiet  bool         // the runner says itself that it is alive

	began, lastAlive time.Time
	trace            *trace.Writer
	blind, mute      bool // looks fail; the trace can't be written
	looks, failed    int  // since the last alive line
	actions          int
}

// Start fixes the beginning of time, once.
func (l *Loop) Start() {
	if !l.began.IsZero() {
		return
	}
	if l.Clock == nil {
		l.Clock = realClock{}
	}
	if l.Pacer == nil {
		l.Pacer = sleeper{l}
	}
	if l.Logger == nil {
		l.Logger = slog.New(slog.DiscardHandler)
	}
	l.began = l.Clock.Now()
	l.lastAlive = l.began
}

// Record begins a trace on w, if there is one.
func (l *Loop) Record(w io.Writer, h trace.Header) {
	if w == nil || l.trace != nil {
		return
	}
	h.Start, h.Act = l.began.Round(0).UTC(), trace.Acts{None: true}
	var err error
	l.trace, err = trace.NewWriter(w, h)
	l.traced(err)
}

// Now is the beginning plus the monotonic time since, which no step of the wall clock reaches.
func (l *Loop) Now() time.Time { return l.began.Add(l.Clock.Now().Sub(l.began)) }

// Run makes one pass after the other until one says that it is done, whose error it returns, or until ctx ends. Between
// passes it sleeps until the time that the pass gave.
func (l *Loop) Run(ctx context.Context, pass func(context.Context) (next time.Time, done bool, err error)) error {
	for ctx.Err() == nil {
		l.Pacer.Beat()
		next, done, err := pass(ctx)
		if done {
			return err
		}
		l.sayAlive()
		if err := l.Pacer.SleepUntil(ctx, next); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Looked notes that a look was made, and logs when looks begin to fail and when they succeed again.
func (l *Loop) Looked(err error) {
	l.looks++
	if err != nil {
		l.failed++
	}
	switch {
	case err != nil && !l.blind:
		l.Logger.Warn("look failed", "error", err)
	case err == nil && l.blind:
		l.Logger.Info("look succeeded again")
	}
	l.blind = err != nil
}

// Acted notes that an action ended, and logs it.
func (l *Loop) Acted(err error, args ...any) {
	l.actions++
	if err != nil {
		l.Logger.Warn("action failed", append(args, "error", err)...)
		return
	}
	l.Logger.Info("action done", args...)
}

// sayAlive logs, once in an interval, what was counted in it: a log without this line is a loop that hangs.
func (l *Loop) sayAlive() {
	now := l.Now()
	if l.Quiet || now.Sub(l.lastAlive) < aliveInterval {
		return
	}
	l.Logger.Info("alive", "looks", l.looks, "failed_looks", l.failed, "actions", l.actions)
	l.lastAlive, l.looks, l.failed, l.actions = now, 0, 0, 0
}

// Observed writes an observation and its decision to the trace. id tells apart what shares it, if anything does.
func (l *Loop) Observed(at time.Time, id string, obs any, d trace.Decision, err error) {
	if l.trace != nil {
		l.traced(l.trace.Observe(at, id, obs, d, err))
	}
}

// Recorded writes an outcome to the trace.
func (l *Loop) Recorded(at time.Time, id string, out any, err error) {
	if l.trace != nil {
		l.traced(l.trace.Record(at, id, out, err))
	}
}

// traced logs when the trace can't be written any more: a full disk is no reason to stop the work.
func (l *Loop) traced(err error) {
	if err != nil && !l.mute {
		l.Logger.Error("trace can't be written", "error", err)
	}
	l.mute = err != nil
}

type realClock struct{}

func (realClock) Now() time.Time                         { return time.Now() }
func (realClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// sleeper is the Pacer of a loop that nobody watches.
type sleeper struct{ loop *Loop }

func (sleeper) Beat() {}

func (s sleeper) SleepUntil(ctx context.Context, at time.Time) error {
	wait := at.Sub(s.loop.Now())
	if wait <= 0 {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.loop.Clock.After(wait):
		return nil
	}
}
