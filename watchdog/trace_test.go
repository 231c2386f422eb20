package watchdog_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
	"github.com/evenkeel-go/evenkeel/internal/replaytest"
	"github.com/evenkeel-go/evenkeel/watchdog"
)

// checkReplay replays a trace and wants the decisions that it holds, and those who were late to be these.
func checkReplay(t *testing.T, trace []byte, late map[string]bool) (decisions int) {
	t.Helper()
	return replaytest.Check(t, trace, func(l replay.Line) {
		if withheld := l.Reason == watchdog.ReasonWithheld.String(); withheld != late[l.Late] {
			t.Errorf("%q is late in %+v", l.Late, l)
		}
	})
}

// TestARecordedTraceReplaysToTheSameDecisions has two loops, one of which hangs for a while, and pings that are slow and
// that fail for a while.
func TestARecordedTraceReplaysToTheSameDecisions(t *testing.T) {
	inBubble(t, pair, func(t *testing.T, b *bubble) {
		var trace bytes.Buffer
		b.Trace = &trace
		b.manager.ping = func(second float64, _ time.Duration) error {
			if second > 150 {
				return errDown
			}
			return nil
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		worker, other := b.handle(t, "a"), b.handle(t, "b")
		var loops sync.WaitGroup
		loops.Go(func() {
			work(ctx, worker, 7*time.Second, func() {
				if b.manager.second() > 40 && b.manager.second() < 50 {
					time.Sleep(time.Minute)
				}
			})
		})
		loops.Go(func() { work(ctx, other, 3*time.Second, idle) })
		loops.Wait()
		if n := checkReplay(t, trace.Bytes(), map[string]bool{"a": true}); n < 100 || n != len(b.steps) {
			t.Errorf("%d decisions, %d steps", n, len(b.steps))
		}
		for _, want := range []string{
			`"kernel":"watchdog"`, `"observe":{"beat":"a"}`, `"observe":{"beat":"b"}`, `"reason":"withheld"`,
			`{"action":"ping","ok":true}`, `{"action":"ping","ok":false}`, `"error":"nobody listens"`,
		} {
			if !strings.Contains(trace.String(), want) {
				t.Errorf("the trace lacks %s", want)
			}
		}
	})
}

// TestASlowPingIsRecordedWhenItEnds has one send of three seconds in a trace.
func TestASlowPingIsRecordedWhenItEnds(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		var trace bytes.Buffer
		b.Trace = &trace
		b.manager.ping = func(float64, time.Duration) error {
			time.Sleep(3 * time.Second)
			return nil
		}
		workFor(t, b.handle(t, "main"), 30*time.Second, time.Second, idle)
		b.wantPings(t, 0, 23) // 20 s from the end of the one before
		checkReplay(t, trace.Bytes(), nil)
		lines := bufio.NewScanner(&trace)
		var ended []string
		for lines.Scan() {
			if strings.Contains(lines.Text(), `"record"`) {
				ended = append(ended, lines.Text())
			}
		}
		if len(ended) != 2 || !strings.Contains(ended[0], `:03Z"`) || !strings.Contains(ended[1], `:26Z"`) {
			t.Errorf("recorded %s", ended)
		}
	})
}

// TestATraceIsOfDecisionsAlsoWhereNothingIsSent is a dry run.
func TestATraceIsOfDecisionsAlsoWhereNothingIsSent(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		var trace bytes.Buffer
		b.Trace, b.Notifier = &trace, nil
		workFor(t, b.handle(t, "main"), 55*time.Second, 10*time.Second, idle)
		if n := checkReplay(t, trace.Bytes(), nil); n != 6 || strings.Contains(trace.String(), `"record"`) {
			t.Errorf("%d decisions:\n%s", n, &trace)
		}
	})
}

func TestATraceThatCannotBeWrittenStopsNothing(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		reader, writer := io.Pipe()
		reader.CloseWithError(errors.New("disk full"))
		b.Trace = writer
		workFor(t, b.handle(t, "main"), 59*time.Second, 5*time.Second, idle)
		b.wantPings(t, 0, 20, 40)
		b.wantLines(t, map[string]int{`msg="trace can't be written" error="disk full"`: 1})
	})
}
