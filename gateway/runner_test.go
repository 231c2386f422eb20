package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
)

// world is what a runner sees and does in these tests, on the time that its fields give.
type world struct {
	see     func(second float64) (gateway.Observation, error)
	act     func(ctx context.Context, a gateway.Action) error
	now     func() time.Time
	began   time.Time
	actions []string
}

func (w *world) Observe(context.Context) (gateway.Observation, error) { return w.see(w.second()) }

func (w *world) Act(ctx context.Context, d gateway.Decision) error {
	w.actions = append(w.actions, fmt.Sprintf("%v@%g", d.Action, w.second()))
	if w.act == nil {
		return nil
	}
	return w.act(ctx, d.Action)
}

func (w *world) second() float64 { return w.now().Sub(w.began).Seconds() }

// inBubble runs f with a world on the virtual time of a synctest bubble, in which a leaked goroutine fails the test.
func inBubble(t *testing.T, see func(second float64) (gateway.Observation, error), f func(t *testing.T, w *world, r *gateway.Runner)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &world{see: see, now: time.Now, began: time.Now()}
		f(t, w, &gateway.Runner{Kernel: newKernel(t, gateway.Config{}), Observer: w, Actor: w})
	})
}

func always(obs gateway.Observation) func(float64) (gateway.Observation, error) {
	return func(float64) (gateway.Observation, error) { return obs, nil }
}

// runFor runs r until its context ends after d.
func runFor(t *testing.T, r *gateway.Runner, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	if err := r.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run returned %v, want the context's end", err)
	}
}

func wantActions(t *testing.T, w *world, want string) {
	t.Helper()
	if got := strings.Join(w.actions, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRunnerRetriesFromTheEndOfAnAttempt(t *testing.T) {
	inBubble(t, always(absent), func(t *testing.T, w *world, r *gateway.Runner) {
		w.act = func(ctx context.Context, _ gateway.Action) error {
			<-ctx.Done() // an attempt that blocks as long as it may: 60 s
			return ctx.Err()
		}
		runFor(t, r, 899*time.Second) // at 900 s an action and the end would race
		wantActions(t, w, "register@0 register@90 register@210 register@390 register@570 register@750")
	})
}

func TestRunnerForcesADeadTunnel(t *testing.T) {
	inBubble(t, always(unheard), func(t *testing.T, w *world, r *gateway.Runner) {
		runFor(t, r, 899*time.Second) // at 900 s an action and the end would race
		wantActions(t, w, "force_refresh@180 force_refresh@360 force_refresh@540 force_refresh@720")
	})
}

func TestRunnerHonoursRetryAfter(t *testing.T) {
	inBubble(t, always(absent), func(t *testing.T, w *world, r *gateway.Runner) {
		w.act = func(context.Context, gateway.Action) error {
			return fmt.Errorf("registering: %w", backoff.After(200*time.Second, errors.New("busy")))
		}
		runFor(t, r, 500*time.Second)
		wantActions(t, w, "register@0 register@200 register@400")
	})
}

// TestRunnerOnTheMockClock drives the runner by hand, on a clock that the library does not own.
func TestRunnerOnTheMockClock(t *testing.T) {
	mock := clock.NewMock()
	w := &world{see: always(absent), now: mock.Now, began: mock.Now(), act: func(context.Context, gateway.Action) error { return errors.New("down") }}
	r := &gateway.Runner{Kernel: newKernel(t, gateway.Config{}), Observer: w, Actor: w, Clock: mock}
	for range 13 {
		if _, err := r.RunOnce(t.Context()); err != nil && err.Error() != "down" {
			t.Fatal(err)
		}
		mock.Add(10 * time.Second)
	}
	wantActions(t, w, "register@0 register@30 register@90")
	if got := r.State.Failures(); got != 3 {
		t.Errorf("the state counts %d failures", got)
	}
}

func TestRunnerStops(t *testing.T) {
	for _, row := range []struct {
		name string
		obs  gateway.Observation
		err  error
		want string
	}{
		{"disabled, without an error", gateway.Observation{Disabled: true}, nil, ""},
		{"misconfigured, by the observation", gateway.Observation{Problem: true}, nil, "gateway: misconfigured"},
		{"misconfigured, by the error, whose text it keeps", gateway.Observation{}, fmt.Errorf("no gateway URL: %w", gateway.ErrMisconfigured), "gateway: no gateway URL: misconfigured"},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, func(float64) (gateway.Observation, error) { return row.obs, row.err }, func(t *testing.T, w *world, r *gateway.Runner) {
				err := r.Run(t.Context())
				if got := fmt.Sprint(err); row.want == "" && err != nil || row.want != "" && (got != row.want || !errors.Is(err, gateway.ErrMisconfigured)) {
					t.Errorf("got %v, want %q", err, row.want)
				}
				wantActions(t, w, "")
			})
		})
	}
}

func TestRunnerNeedsKernelAndObserver(t *testing.T) {
	for want, r := range map[string]*gateway.Runner{
		"gateway: the runner has no Kernel":   {Observer: &world{}},
		"gateway: the runner has no Observer": {Kernel: newKernel(t, gateway.Config{})},
	} {
		if err := r.Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestDryRunDecidesTheSameForEver has no Actor: the decision stands, at each poll, and nothing is recorded.
func TestDryRunDecidesTheSameForEver(t *testing.T) {
	inBubble(t, always(absent), func(t *testing.T, w *world, r *gateway.Runner) {
		r.Actor = nil
		steps := 0
		r.OnStep = func(rec gateway.StepRecord) {
			steps++
			if rec.Decision.Reason != gateway.ReasonNeverRegistered || rec.Acted {
				t.Errorf("step %d: %+v", steps, rec)
			}
		}
		runFor(t, r, 95*time.Second)
		if steps != 10 {
			t.Errorf("%d steps in 95 s, want 10", steps)
		}
	})
}

func TestCancellationEndsARunAtEveryPoint(t *testing.T) {
	type hook = func(cancel func())
	for _, row := range []struct {
		name      string
		look, act hook
		before    bool
		after     time.Duration
		acts      int
	}{
		{name: "before it begins", before: true},
		{name: "in a look", look: func(cancel func()) { cancel() }},
		{name: "in an act", act: func(cancel func()) { cancel() }, acts: 1},
		{name: "asleep", after: 5 * time.Second, acts: 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, nil, func(t *testing.T, w *world, r *gateway.Runner) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				w.see = func(float64) (gateway.Observation, error) {
					if row.look != nil {
						row.look(cancel)
					}
					return absent, nil
				}
				w.act = func(ctx context.Context, _ gateway.Action) error {
					if row.act != nil {
						row.act(cancel)
					}
					return ctx.Err()
				}
				if row.before {
					cancel()
				}
				if row.after > 0 {
					time.AfterFunc(row.after, cancel)
				}
				if err := r.Run(ctx); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want the cancellation", err)
				}
				if len(w.actions) != row.acts || w.second() != row.after.Seconds() {
					t.Errorf("%d actions, ended after %v s", len(w.actions), w.second())
				}
			})
		})
	}
}

// TestALookThatFailsIsUnknown loses sight of a tunnel for a while: what could be seen counts, the rest is unknown.
func TestALookThatFailsIsUnknown(t *testing.T) {
	see := func(second float64) (gateway.Observation, error) {
		if second >= 100 && second < 300 {
			return opaque, errors.New("no answer")
		}
		return unheard, nil
	}
	inBubble(t, see, func(t *testing.T, w *world, r *gateway.Runner) {
		var log bytes.Buffer
		r.Logger = slog.New(slog.NewTextHandler(&log, nil))
		runFor(t, r, 400*time.Second)
		wantActions(t, w, "refresh@180 force_refresh@300")
		for line, want := range map[string]int{`msg="look failed" error="no answer"`: 1, `msg="look succeeded again"`: 1} {
			if got := strings.Count(log.String(), line); got != want {
				t.Errorf("%d lines with %s, want %d in:\n%s", got, line, want, &log)
			}
		}
	})
}

func TestTheLogSaysThatTheLoopLives(t *testing.T) {
	blindWorld := func(float64) (gateway.Observation, error) { return blind, errors.New("no answer") }
	inBubble(t, blindWorld, func(t *testing.T, w *world, r *gateway.Runner) {
		var log bytes.Buffer
		r.Logger = slog.New(slog.NewTextHandler(&log, nil))
		runFor(t, r, 1205*time.Second)
		if got := strings.Count(log.String(), `msg=alive looks=61 failed_looks=61 actions=0`); got != 1 {
			t.Errorf("%d first alive lines in:\n%s", got, &log)
		}
		if got := strings.Count(log.String(), "msg=alive"); got != 2 {
			t.Errorf("%d alive lines in 1205 s", got)
		}
	})
}

// beats is a Pacer that counts, and sleeps as the runner asks.
type beats struct{ n int }

func (b *beats) Beat() { b.n++ }
func (b *beats) SleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}

func TestEachPassBeginsWithABeat(t *testing.T) {
	inBubble(t, always(opaque), func(t *testing.T, w *world, r *gateway.Runner) {
		pacer, steps := &beats{}, 0
		r.Pacer, r.OnStep = pacer, func(gateway.StepRecord) { steps++ }
		runFor(t, r, 95*time.Second)
		if pacer.n != steps || steps != 10 {
			t.Errorf("%d beats for %d steps, want 10", pacer.n, steps)
		}
	})
}
