package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/replaytest"
)

// eventful is a world in which most things happen once.
func eventful(second float64) (gateway.Observation, error) {
	switch {
	case second < 50:
		return absent, nil
	case second < 300:
		return heard(min(second, 100)), nil
	case second < 350:
		return opaque, errors.New("no answer")
	case second < 700:
		return unheard, nil
	}
	return gateway.Observation{Disabled: true}, nil
}

func TestARecordedTraceReplaysToTheSameDecisions(t *testing.T) {
	inBubble(t, eventful, func(t *testing.T, w *world, r *gateway.Runner) {
		var trace bytes.Buffer
		r.Trace = &trace
		w.act = func(ctx context.Context, a gateway.Action) error {
			time.Sleep(7 * time.Second)
			if a == gateway.ActionRegister {
				return errors.New("down")
			}
			return nil
		}
		if err := r.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := replaytest.Check(t, trace.Bytes()); n < 60 {
			t.Errorf("only %d decisions", n)
		}
		for _, want := range []string{`"action":"register","ok":false`, `"action":"force_refresh","ok":true`, `"error":"no answer"`, `"error":"down"`} {
			if !strings.Contains(trace.String(), want) {
				t.Errorf("the trace lacks %s", want)
			}
		}
	})
}

// TestATraceKeepsTheStateThatItBeganWith restarts a runner with the state of another.
func TestATraceKeepsTheStateThatItBeganWith(t *testing.T) {
	inBubble(t, always(absent), func(t *testing.T, w *world, r *gateway.Runner) {
		w.act = func(context.Context, gateway.Action) error { return errors.New("down") }
		runFor(t, r, 100*time.Second)
		var trace bytes.Buffer
		again := &gateway.Runner{Kernel: r.Kernel, Observer: w, Actor: w, State: r.State, Trace: &trace}
		runFor(t, again, 200*time.Second)
		wantActions(t, w, "register@0 register@30 register@90 register@210")
		replaytest.Check(t, trace.Bytes())
	})
}

func TestATraceThatCannotBeWrittenStopsNothing(t *testing.T) {
	inBubble(t, always(absent), func(t *testing.T, w *world, r *gateway.Runner) {
		var log bytes.Buffer
		r.Logger = slog.New(slog.NewTextHandler(&log, nil))
		reader, writer := io.Pipe()
		reader.CloseWithError(errors.New("disk full"))
		r.Trace = writer
		runFor(t, r, 100*time.Second)
		wantActions(t, w, "register@0 register@30 register@60 register@90")
		if got := strings.Count(log.String(), `msg="trace can't be written" error="disk full"`); got != 1 {
			t.Errorf("said %d times:\n%s", got, &log)
		}
	})
}
