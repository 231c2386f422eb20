package supervise_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replaytest"
	"github.com/evenkeel-go/evenkeel/supervise"
)

// host is a world of targets on virtual time. Its fields are what a test sets.
type host struct {
	list  func() ([]string, error)
	see   func(ctx context.Context, target string, second float64) (supervise.Observation, error)
	busy  func(second float64) (supervise.Guard, error)
	act   func(ctx context.Context, target string) error
	began time.Time

	mu      sync.Mutex
	actions []string
	asked   int // how often the expensive guard was read
}

func (h *host) second() float64 { return time.Since(h.began).Seconds() }

func (h *host) Targets(context.Context) ([]string, error) { return h.list() }

func (h *host) Observe(ctx context.Context, target string) (supervise.Observation, error) {
	return h.see(ctx, target, h.second())
}

func (h *host) Busy(context.Context, string) (supervise.Guard, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked++
	return h.busy(h.second())
}

func (h *host) Act(ctx context.Context, target string, d supervise.Decision) error {
	h.mu.Lock()
	h.actions = append(h.actions, fmt.Sprintf("%s %v@%g", target, d.Action, h.second()))
	h.mu.Unlock()
	return h.act(ctx, target)
}

// done lists the actions, those of one time in order of their targets.
func (h *host) done() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.actions, ", ")
}

// onHost runs f in a synctest bubble with targets that are all down, a first sweep at 30 s, and a log.
func onHost(t *testing.T, targets []string, f func(t *testing.T, h *host, r *supervise.Runner, log *bytes.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := &host{
			began: time.Now(),
			list:  func() ([]string, error) { return targets, nil },
			see: func(context.Context, string, float64) (supervise.Observation, error) {
				return supervise.Observation{Status: supervise.StatusDown}, nil
			},
			busy: func(float64) (supervise.Guard, error) { return supervise.GuardNone, nil },
			act:  func(context.Context, string) error { return nil },
		}
		kernel, err := supervise.New(supervise.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		time.Sleep(30 * time.Second)
		f(t, h, &supervise.Runner{Kernel: kernel, Observer: h, Actor: h, Logger: slog.New(slog.NewTextHandler(&log, nil))}, &log)
	})
}

func runUntil(t *testing.T, h *host, r *supervise.Runner, second float64) {
	t.Helper()
	ctx, cancel := context.WithDeadline(t.Context(), h.began.Add(time.Duration(second*float64(time.Second))))
	defer cancel()
	if err := r.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run returned %v, want the context's end", err)
	}
}

func wantDone(t *testing.T, h *host, want string) {
	t.Helper()
	if got := h.done(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestTheOriginalTimings is a target that never comes up, on the sweeps and pauses of the system behind this package.
func TestTheOriginalTimings(t *testing.T) {
	onHost(t, []string{"a"}, func(t *testing.T, h *host, r *supervise.Runner, _ *bytes.Buffer) {
		runUntil(t, h, r, 2101)
		wantDone(t, h, "a restart@60, a restart@120, a restart@180, a give_up@240, a restart@2040, a restart@2100")
		s := r.Take()["a"]
		if s.CrashLoopSince() != h.began.Add(240*time.Second).UTC() {
			t.Errorf("in a crash loop since %v", s.CrashLoopSince())
		}
	})
}

func TestATargetThatHangsDelaysNoOther(t *testing.T) {
	var forever chan struct{} // of the bubble, or its time would stand still
	for _, row := range []struct {
		name string
		hang func(h *host)
		want string
	}{
		{"in a look that listens to its context", func(h *host) {
			down := h.see
			h.see = func(ctx context.Context, target string, second float64) (supervise.Observation, error) {
				if target == "hung" {
					<-ctx.Done()
					return supervise.Observation{}, ctx.Err()
				}
				return down(ctx, target, second)
			}
		}, "b restart@60, c restart@60, b restart@120, c restart@120"},
		{"in a look that does not", func(h *host) {
			down := h.see
			h.see = func(ctx context.Context, target string, second float64) (supervise.Observation, error) {
				if target == "hung" {
					<-forever
				}
				return down(ctx, target, second)
			}
		}, "b restart@60, c restart@60, b restart@120, c restart@120"},
		{"in an act", func(h *host) {
			h.act = func(_ context.Context, target string) error {
				if target == "hung" {
					<-forever
				}
				return nil
			}
		}, "b restart@60, c restart@60, hung restart@60, b restart@120, c restart@120"},
	} {
		t.Run(row.name, func(t *testing.T) {
			onHost(t, []string{"hung", "b", "c"}, func(t *testing.T, h *host, r *supervise.Runner, _ *bytes.Buffer) {
				forever = make(chan struct{})
				r.Concurrency = 2
				row.hang(h)
				runUntil(t, h, r, 179)
				slices.Sort(h.actions)
				slices.SortStableFunc(h.actions, func(a, b string) int { return strings.Compare(a[strings.Index(a, "@"):], b[strings.Index(b, "@"):]) })
				want := strings.Split(row.want, ", ")
				slices.SortStableFunc(want, func(a, b string) int { return strings.Compare(a[strings.Index(a, "@"):], b[strings.Index(b, "@"):]) })
				wantDone(t, h, strings.Join(want, ", "))
				close(forever)
			})
		})
	}
}

// TestTheExpensiveGuardIsReadOnceBeforeAnAct holds a lock from 60 to 150 s.
func TestTheExpensiveGuardIsReadOnceBeforeAnAct(t *testing.T) {
	onHost(t, []string{"a"}, func(t *testing.T, h *host, r *supervise.Runner, log *bytes.Buffer) {
		h.busy = func(second float64) (supervise.Guard, error) {
			switch {
			case second < 100:
				return supervise.GuardBusy, nil
			case second < 150:
				return supervise.GuardNone, errors.New("no answer")
			}
			return supervise.GuardNone, nil
		}
		runUntil(t, h, r, 179)
		wantDone(t, h, "a restart@150")
		if h.asked != 4 { // at 60, 90, 120 and 150 s
			t.Errorf("read %d times", h.asked)
		}
		for _, want := range []string{"reason=busy", "reason=guard_unknown", `msg="look failed" target=a error="no answer"`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %s:\n%s", want, log)
			}
		}
	})
}

func TestAListThatCannotBeReadForgetsNobody(t *testing.T) {
	onHost(t, nil, func(t *testing.T, h *host, r *supervise.Runner, log *bytes.Buffer) {
		h.list = func() ([]string, error) {
			if s := h.second(); s > 40 && s < 160 {
				return nil, errors.New("no answer")
			}
			return []string{"a"}, nil
		}
		runUntil(t, h, r, 200)
		wantDone(t, h, "") // the sighting of 30 s is too long ago at 180 s
		if got := strings.Count(log.String(), `msg="look failed" error="no answer"`); got != 1 {
			t.Errorf("said %d times:\n%s", got, log)
		}
		if _, kept := r.Take()["a"]; !kept {
			t.Error("the target was forgotten")
		}
	})
}

func TestATargetThatIsGoneIsForgotten(t *testing.T) {
	onHost(t, nil, func(t *testing.T, h *host, r *supervise.Runner, _ *bytes.Buffer) {
		h.list = func() ([]string, error) {
			if h.second() < 100 {
				return []string{"a", "b"}, nil
			}
			return []string{"b"}, nil
		}
		runUntil(t, h, r, 130)
		if got := slices.Sorted(maps.Keys(r.Take())); !slices.Equal(got, []string{"b"}) {
			t.Errorf("knows %v", got)
		}
	})
}

// TestTheLogSaysThatTheLoopLives is blind from the beginning.
func TestTheLogSaysThatTheLoopLives(t *testing.T) {
	onHost(t, []string{"a", "b", "c"}, func(t *testing.T, h *host, r *supervise.Runner, log *bytes.Buffer) {
		h.see = func(_ context.Context, target string, _ float64) (supervise.Observation, error) {
			switch target {
			case "a":
				return supervise.Observation{}, errors.New("no answer")
			case "b":
				return supervise.Observation{Status: supervise.StatusDown, Guard: supervise.GuardParked}, nil
			}
			return supervise.Observation{Status: supervise.StatusRunning}, nil
		}
		runUntil(t, h, r, 1201)
		if got := strings.Count(log.String(), "msg=alive targets=3 down=0 unknown=1 parked=1"); got != 2 {
			t.Errorf("%d lines in 40 sweeps:\n%s", got, log)
		}
	})
}

func TestADryRunActsOnNothing(t *testing.T) {
	onHost(t, []string{"a"}, func(t *testing.T, h *host, r *supervise.Runner, _ *bytes.Buffer) {
		r.Actor = nil
		runUntil(t, h, r, 300)
		wantDone(t, h, "")
		if s := r.Take()["a"]; !s.LastRestart().IsZero() {
			t.Errorf("a restart was recorded at %v", s.LastRestart())
		}
	})
}

func TestARecordedTraceReplaysToTheSameDecisions(t *testing.T) {
	onHost(t, []string{"a", "b"}, func(t *testing.T, h *host, r *supervise.Runner, _ *bytes.Buffer) {
		h.see = func(_ context.Context, target string, second float64) (supervise.Observation, error) {
			run := supervise.ID(fmt.Sprint("run ", int(second)/500))
			if target == "b" && int(second)%500 < 250 {
				return supervise.Observation{Status: supervise.StatusRunning, Run: run}, nil
			}
			return supervise.Observation{Status: supervise.StatusDown, Run: run, Generation: supervise.ID(target)}, nil
		}
		h.act = func(_ context.Context, target string) error {
			time.Sleep(7 * time.Second)
			if target == "a" {
				return errors.New("no such image")
			}
			return nil
		}
		runUntil(t, h, r, 400)
		var trace bytes.Buffer
		again := &supervise.Runner{Kernel: r.Kernel, Observer: h, Actor: h, States: r.Take(), Trace: &trace}
		runUntil(t, h, again, 2500)
		if n := replaytest.Check(t, trace.Bytes()); n < 130 || !strings.Contains(trace.String(), "give_up") {
			t.Errorf("%d decisions", n)
		}
	})
}

func TestRunOnceWaitsForWhatItBegan(t *testing.T) {
	onHost(t, []string{"a"}, func(t *testing.T, h *host, r *supervise.Runner, _ *bytes.Buffer) {
		h.act = func(context.Context, string) error { time.Sleep(20 * time.Second); return fs.ErrPermission }
		if err := r.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Second)
		if err := r.RunOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if s := r.Take()["a"]; h.second() != 80 || s.LastFailedRestart() != h.began.Add(80*time.Second).UTC() {
			t.Errorf("at %v s a restart failed at %v", h.second(), s.LastFailedRestart())
		}
		h.list = func() ([]string, error) { return nil, fs.ErrPermission }
		if err := r.RunOnce(t.Context()); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRunnerNeedsKernelAndObserver(t *testing.T) {
	kernel, err := supervise.New(supervise.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for want, r := range map[string]*supervise.Runner{
		"supervise: the runner has no Kernel":   {Observer: &host{}},
		"supervise: the runner has no Observer": {Kernel: kernel},
	} {
		if err := r.Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
