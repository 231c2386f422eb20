package watchdog_test

import (
	"bytes"
	"context"
	"errors"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// TestALongSleepIsInterruptedForBeats beats each half of what the loop is allowed, and does nothing else.
func TestALongSleepIsInterruptedForBeats(t *testing.T) {
	for _, row := range []struct {
		name            string
		timeout, budget time.Duration
		want            string
	}{
		{"the timeout is the shorter", 30 * time.Second, time.Hour, "0s 15s 30s 45s 1m0s 1m15s 1m30s 1m45s"},
		{"the budget is the shorter", time.Hour, 50 * time.Second, "0s 25s 50s 1m15s 1m40s"},
		{"both are longer than the sleep", time.Hour, time.Hour, "0s"},
		{"a beat would come at the end", 4 * time.Minute, time.Hour, "0s"},
		{"just before the end", 4*time.Minute - 2, time.Hour, "0s 1m59.999999999s"},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg := watchdog.Config{Timeout: row.timeout, Sources: []watchdog.Source{{Name: "main", Budget: row.budget}}}
			inBubble(t, cfg, func(t *testing.T, b *bubble) {
				h := b.handle(t, "main")
				h.Beat()
				if err := h.SleepUntil(t.Context(), b.manager.began.Add(2*time.Minute)); err != nil || b.manager.second() != 120 {
					t.Errorf("awake at %v s: %v", b.manager.second(), err)
				}
				if got := b.beats(); got != row.want {
					t.Errorf("beats at %s, want %s", got, row.want)
				}
			})
		})
	}
}

// beats is when the steps were.
func (b *bubble) beats() string {
	var at []string
	for _, rec := range b.steps {
		at = append(at, rec.At.Sub(b.manager.began).String())
	}
	return strings.Join(at, " ")
}

// TestALongIdleSleepSurvives has work once a day, under a service manager that waits for half a minute.
func TestALongIdleSleepSurvives(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 30 * time.Second}, func(t *testing.T, b *bubble) {
		passes := 0
		workFor(t, b.handle(t, "main"), 49*time.Hour-time.Second, 24*time.Hour, func() { passes++ })
		b.wantAlive(t)
		if passes != 3 {
			t.Errorf("%d passes in 49 hours, want 3", passes)
		}
		if n := len(b.manager.pings); n != 49*3600/15 {
			t.Errorf("%d pings in 49 hours, want one each 15 s", n)
		}
	})
}

// TestASleepBeginsWhereTheLastBeatWas has work that takes a while before the sleep.
func TestASleepBeginsWhereTheLastBeatWas(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 40 * time.Second}, func(t *testing.T, b *bubble) {
		h := b.handle(t, "main")
		h.Beat()
		time.Sleep(13 * time.Second)
		if err := h.SleepUntil(t.Context(), b.manager.began.Add(50*time.Second)); err != nil {
			t.Fatal(err)
		}
		time.Sleep(25 * time.Second) // longer than between two beats: the sleep that follows begins with one
		if err := h.SleepUntil(t.Context(), b.manager.began.Add(80*time.Second)); err != nil {
			t.Fatal(err)
		}
		if got, want := b.beats(), "0s 20s 40s 1m15s"; got != want {
			t.Errorf("beats at %s, want %s", got, want)
		}
	})
}

// TestASleepThatIsOverAlreadyReturnsAtOnce has one that has never beaten as well.
func TestASleepThatIsOverAlreadyReturnsAtOnce(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		h := b.handle(t, "main")
		h.Beat()
		for _, at := range []time.Time{b.manager.began, b.manager.began.Add(-time.Hour), {}} {
			if err := h.SleepUntil(t.Context(), at); err != nil {
				t.Errorf("until %v: %v", at, err)
			}
		}
		if len(b.steps) != 1 || b.manager.second() != 0 {
			t.Errorf("%d steps, awake at %v s", len(b.steps), b.manager.second())
		}
	})
}

func TestCancellationEndsASleepAtEveryPoint(t *testing.T) {
	type ending func(t *testing.T) (context.Context, context.CancelFunc)
	after := func(d time.Duration) ending {
		return func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(d, cancel)
			return ctx, cancel
		}
	}
	for _, row := range []struct {
		name   string
		ctx    ending
		sleeps time.Duration
		beats  string
		ends   float64
	}{
		{"before it begins", func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		}, time.Hour, "0s", 0},
		{"before one that is over already", func(t *testing.T) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			return ctx, cancel
		}, 0, "0s", 0},
		{"before the first beat", after(15 * time.Second), time.Hour, "0s", 15},
		{"between beats", after(95 * time.Second), time.Hour, "0s 40s 1m20s", 95},
	} {
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, one, func(t *testing.T, b *bubble) {
				h := b.handle(t, "main")
				h.Beat()
				ctx, cancel := row.ctx(t)
				defer cancel()
				if err := h.SleepUntil(ctx, time.Now().Add(row.sleeps)); !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want the cancellation", err)
				}
				if b.beats() != row.beats || b.manager.second() != row.ends {
					t.Errorf("beats at %s, ended after %v s", b.beats(), b.manager.second())
				}
			})
		})
	}
}

// counted is the clock of a bubble that counts how often it is asked to wake somebody.
type counted struct{ wakes int }

func (*counted) Now() time.Time { return time.Now() }

func (c *counted) After(d time.Duration) <-chan time.Time {
	c.wakes++
	return time.After(d)
}

// TestNobodyWaitsForThePings sends none, and sleeps through, where the service manager expects none.
func TestNobodyWaitsForThePings(t *testing.T) {
	for _, timeout := range []time.Duration{0, -1} {
		inBubble(t, watchdog.Config{Timeout: timeout}, func(t *testing.T, b *bubble) {
			clock := &counted{}
			b.Clock = clock
			h := b.handle(t, "main")
			workFor(t, h, 250*time.Minute, time.Hour, func() { h.Stage("looking") })
			b.wantPings(t)
			if clock.wakes != 5 || len(b.steps) != 5 {
				t.Errorf("timeout %v: %d wakes and %d steps for 5 passes", timeout, clock.wakes, len(b.steps))
			}
			for _, rec := range b.steps {
				if rec.Decision != (watchdog.Decision{Reason: watchdog.ReasonOff}) {
					t.Errorf("timeout %v: %+v", timeout, rec.Decision)
				}
			}
			if len(b.manager.statuses) != 5 || b.manager.limits[0] != time.Second {
				t.Errorf("timeout %v: %d statuses, limits %v", timeout, len(b.manager.statuses), b.manager.limits)
			}
		})
	}
}

// TestStageIsSeen wants the stage in the status and in a dump of the goroutines, and only the stage that is.
func TestStageIsSeen(t *testing.T) {
	inBubble(t, pair, func(t *testing.T, b *bubble) {
		h := b.handle(t, "b")
		seen := make(chan struct{})
		var loop sync.WaitGroup
		loop.Go(func() {
			h.Stage("looking")
			h.Stage("saving the plan")
			<-seen
		})
		time.Sleep(time.Second)
		var dump bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&dump, 1); err != nil {
			t.Error(err)
		}
		close(seen)
		loop.Wait()
		if got := strings.Join(b.manager.statuses, ", "); got != "b: looking, b: saving the plan" {
			t.Errorf("got the statuses %s", got)
		}
		if !strings.Contains(dump.String(), `"loop":"b"`) || !strings.Contains(dump.String(), `"stage":"saving the plan"`) || strings.Contains(dump.String(), `"stage":"looking"`) {
			t.Errorf("the goroutines are:\n%s", &dump)
		}
		if len(b.steps) != 0 {
			t.Errorf("a stage is no beat, and yet there are %d steps", len(b.steps))
		}
	})
}

// TestALostPingIsTriedAgainInALongSleep: had the sleep waited for half of the timeout once more, the next ping would have
// come when the service manager's patience ended.
func TestALostPingIsTriedAgainInALongSleep(t *testing.T) {
	inBubble(t, watchdog.Config{Timeout: 8 * time.Second}, func(t *testing.T, b *bubble) {
		b.manager.ping = func(second float64, _ time.Duration) error {
			if second == 4 {
				return errDown
			}
			return nil
		}
		h := b.handle(t, "main")
		h.Beat()
		if err := h.SleepUntil(t.Context(), time.Now().Add(20*time.Second)); err != nil {
			t.Fatal(err)
		}
		b.wantPings(t, 0, 4, 5, 9, 13, 17)
	})
}
