package liveness_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replaytest"
	"github.com/evenkeel-go/evenkeel/liveness"
)

// device is a world of peers on virtual time. Its fields are what a test sets.
type device struct {
	began  time.Time
	see    func(second float64) (map[string]liveness.Observation, error)
	probe  func(peer string) error
	probes []string
}

func (d *device) Observe(context.Context) (map[string]liveness.Observation, error) {
	return d.see(time.Since(d.began).Seconds())
}

func (d *device) Probe(_ context.Context, peer string) error {
	d.probes = append(d.probes, peer)
	return d.probe(peer)
}

// onDevice runs f in a synctest bubble, in which a leaked goroutine fails the test.
func onDevice(t *testing.T, mode liveness.Mode, f func(t *testing.T, d *device, r *liveness.Runner, log *bytes.Buffer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kernel, err := liveness.New(liveness.Config{Mode: mode})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(365 * 24 * time.Hour * 2) // the bubble begins in 2000, before the first stamp that is taken for a time
		d := &device{began: time.Now(), probe: func(string) error { return nil }}
		var log bytes.Buffer
		f(t, d, &liveness.Runner{Kernel: kernel, Observer: d, Actor: d, Logger: slog.New(slog.NewTextHandler(&log, nil))}, &log)
	})
}

// shook is a peer whose handshake was at this second, and which sent a keepalive each 25 s from then until it died.
func (d *device) shook(handshake, second, died float64) liveness.Observation {
	beats := int64((min(second, died) - handshake) / 25)
	at := d.began.Add(time.Duration(handshake * float64(time.Second)))
	return liveness.Observation{Known: true, Handshake: true, Stamp: at.UnixNano(), ReceiveBytes: 180 + 32*beats}
}

func runDevice(t *testing.T, r *liveness.Runner, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := r.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run returned %v, want the context's end", err)
	}
}

// TestOnePassJudgesAllPeers has one that lives, one that dies at 100 s, and one that was never there.
func TestOnePassJudgesAllPeers(t *testing.T) {
	onDevice(t, liveness.ModePassive, func(t *testing.T, d *device, r *liveness.Runner, log *bytes.Buffer) {
		looks := 0
		d.see = func(second float64) (map[string]liveness.Observation, error) {
			looks++
			return map[string]liveness.Observation{
				"alive": d.shook(-5, second, 1e9), "dies": d.shook(-5, second, 100), "absent": {Known: true},
			}, nil
		}
		verdicts := map[string][]bool{}
		r.OnStep = func(rec liveness.StepRecord) {
			if rec.Decision.Changed {
				verdicts[rec.Peer] = append(verdicts[rec.Peer], rec.Decision.Live)
			}
		}
		runDevice(t, r, 299*time.Second)
		if r.States["alive"].Live() != true || r.States["dies"].Live() || r.States["absent"].Live() {
			t.Errorf("verdicts are %v", verdicts)
		}
		if len(verdicts["alive"]) != 1 || len(verdicts["dies"]) != 2 || len(verdicts["absent"]) != 0 {
			t.Errorf("verdicts changed to %v", verdicts)
		}
		if looks < 299 || looks > 310 { // one in each second, and one for the death in between
			t.Errorf("%d looks for three peers in 299 s", looks)
		}
		if got := strings.Count(log.String(), "msg=verdict"); got != 3 || !strings.Contains(log.String(), "reason=silent") {
			t.Errorf("%d lines:\n%s", got, log)
		}
	})
}

func TestAPeerThatIsNotSeenKeepsItsVerdict(t *testing.T) {
	onDevice(t, liveness.ModePassive, func(t *testing.T, d *device, r *liveness.Runner, log *bytes.Buffer) {
		d.see = func(second float64) (map[string]liveness.Observation, error) {
			if second > 30 && second < 400 {
				return nil, errors.New("no answer")
			}
			return map[string]liveness.Observation{"a": d.shook(-5, second, 40)}, nil
		}
		runDevice(t, r, 350*time.Second)
		if !r.States["a"].Live() {
			t.Error("it died unseen")
		}
		runDevice(t, r, 60*time.Second)
		if r.States["a"].Live() {
			t.Error("the first good look did not decide")
		}
		for _, line := range []string{`msg="look failed" error="no answer"`, `msg="look succeeded again"`} {
			if got := strings.Count(log.String(), line); got != 1 {
				t.Errorf("%d lines with %s:\n%s", got, line, log)
			}
		}
	})
}

func TestProbesAreSentAndRecorded(t *testing.T) {
	onDevice(t, liveness.ModeActive, func(t *testing.T, d *device, r *liveness.Runner, _ *bytes.Buffer) {
		d.see = func(second float64) (map[string]liveness.Observation, error) {
			return map[string]liveness.Observation{"a": d.shook(0, second, 0)}, nil
		}
		runDevice(t, r, 50*time.Second)
		if len(d.probes) != 3 || r.States["a"].Live() { // at 15, 30 and 45 s
			t.Errorf("%d probes, live %v", len(d.probes), r.States["a"].Live())
		}
	})
}

// TestADryRunProbesNobody: a probe that is not sent proves nothing, so silence alone decides.
func TestADryRunProbesNobody(t *testing.T) {
	onDevice(t, liveness.ModeActive, func(t *testing.T, d *device, r *liveness.Runner, _ *bytes.Buffer) {
		d.see = func(second float64) (map[string]liveness.Observation, error) {
			return map[string]liveness.Observation{"a": d.shook(0, second, 0)}, nil
		}
		r.Actor = nil
		runDevice(t, r, 80*time.Second)
		if !r.States["a"].Live() {
			t.Error("it died before the window was over")
		}
	})
}

func TestARecordedTraceReplaysToTheSameVerdicts(t *testing.T) {
	onDevice(t, liveness.ModeActive, func(t *testing.T, d *device, r *liveness.Runner, _ *bytes.Buffer) {
		d.see = func(second float64) (map[string]liveness.Observation, error) {
			if second > 60 && second < 70 {
				return nil, errors.New("no answer")
			}
			return map[string]liveness.Observation{"a": d.shook(-5, second, 40), "b": d.shook(-30, second, 1e9)}, nil
		}
		d.probe = func(string) error {
			if len(d.probes)%3 == 0 {
				return errors.New("no address")
			}
			return nil
		}
		runDevice(t, r, 60*time.Second)
		var trace bytes.Buffer
		again := &liveness.Runner{Kernel: r.Kernel, Observer: d, Actor: d, States: r.States, Trace: &trace}
		runDevice(t, again, 120*time.Second)
		if n := replaytest.Check(t, trace.Bytes()); n < 240 || !strings.Contains(trace.String(), `"ok":false`) {
			t.Errorf("%d decisions", n)
		}
	})
}

func TestRunOnceGivesEveryDecision(t *testing.T) {
	onDevice(t, liveness.ModePassive, func(t *testing.T, d *device, r *liveness.Runner, _ *bytes.Buffer) {
		d.see = func(second float64) (map[string]liveness.Observation, error) {
			return map[string]liveness.Observation{"a": d.shook(0, second, 0), "b": {Known: true}}, nil
		}
		decisions, err := r.RunOnce(t.Context())
		if err != nil || !decisions["a"].Live || decisions["b"].Live || len(decisions) != 2 {
			t.Errorf("got %+v, %v", decisions, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if decisions, err := r.RunOnce(ctx); !errors.Is(err, context.Canceled) || decisions != nil {
			t.Errorf("after its end: %+v, %v", decisions, err)
		}
	})
}

func TestRunnerNeedsKernelAndObserver(t *testing.T) {
	for want, r := range map[string]*liveness.Runner{
		"liveness: the runner has no Kernel":   {Observer: &device{}},
		"liveness: the runner has no Observer": {Kernel: &liveness.Kernel{}},
	} {
		if err := r.Run(t.Context()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
