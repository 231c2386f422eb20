package watchdog

import (
	"context"
	"runtime/pprof"
	"time"
)

// A Handle is what one work loop tells its watchdog, and how it sleeps: the Pacer of the other packages' runners. The
// goroutine of that loop alone uses it.
type Handle struct {
	runner *Runner
	name   string
	id     uint64
	stride time.Duration // the longest time asleep between two beats; zero: nobody waits for them
	beat   time.Time     // when the next one is due at the latest
}

// Beat says that the loop lives. It belongs at the top of a pass, before the work, and nowhere else.
func (h *Handle) Beat() {
	pause := h.stride
	if retry, failed := h.runner.beat(h.name, h.id); failed {
		pause = min(pause, retry) // the next try must not wait for half of the timeout to pass
	}
	h.beat = h.runner.loop.Now().Add(pause)
}

// Stage says what the loop is at from now on. The service manager shows it as the status; a stack dump shows it as a
// label of the goroutine, where the program asks for these (GODEBUG=tracebacklabels=1, from Go 1.26 on). It takes the
// place of all labels that the goroutine had.
func (h *Handle) Stage(name string) {
	pprof.SetGoroutineLabels(pprof.WithLabels(context.Background(), pprof.Labels("loop", h.name, "stage", name)))
	h.runner.status(h.name + ": " + name)
}

// SleepUntil returns nil at that time, or ctx's error when that ends first. A sleep that is long for the watchdog is
// interrupted for beats, in the same goroutine: a loop that sleeps as it should is no hang.
func (h *Handle) SleepUntil(ctx context.Context, at time.Time) error {
	clock := h.runner.loop
	for ctx.Err() == nil {
		now := clock.Now()
		wake := at
		if h.stride > 0 && h.beat.Before(at) {
			wake = h.beat
		}
		if wait := wake.Sub(now); wait > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-clock.Clock.After(wait):
			}
			continue
		}
		if wake.Equal(at) {
			return nil
		}
		h.Beat()
	}
	return ctx.Err()
}
