package watchdog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// TestAWedgedLoopStopsThePings is what the package is for: a loop that never comes back from its work withholds the
// pings of the whole program, whatever else in it lives, and its next beat brings them back.
func TestAWedgedLoopStopsThePings(t *testing.T) {
	cfg := watchdog.Config{Timeout: time.Minute, Sources: []watchdog.Source{{Name: "work", Budget: 30 * time.Second}, {Name: "other", Budget: 10 * time.Second}}}
	inBubble(t, cfg, func(t *testing.T, b *bubble) {
		ctx, cancel := context.WithTimeout(t.Context(), 499500*time.Millisecond)
		defer cancel()
		wedge, ticks := make(chan struct{}), 0
		var loops sync.WaitGroup
		worker, other := b.handle(t, "work"), b.handle(t, "other")
		loops.Go(func() {
			work(ctx, worker, 5*time.Second, func() {
				if b.manager.second() == 100 {
					<-wedge // a lookup that never returns
				}
			})
		})
		loops.Go(func() { work(ctx, other, time.Second, idle) })
		loops.Go(func() { // neither a loop of the runner nor ended by it: a goroutine that lives says nothing
			for ; ctx.Err() == nil; time.Sleep(time.Second) {
				ticks++
			}
		})
		time.Sleep(400 * time.Second)
		close(wedge)
		loops.Wait()

		var wedged, after int
		for _, at := range b.manager.pings {
			switch {
			case at >= 130 && at < 400:
				wedged++
			case at >= 400:
				after++
			}
		}
		if wedged != 0 || after < 6 || ticks != 500 {
			t.Errorf("%d pings while the loop was wedged, %d afterwards, %d ticks", wedged, after, ticks)
		}
		if last, back := lastBefore(b.manager.pings, 130), b.manager.pings[len(b.manager.pings)-after]; last < 115 || back != 400 {
			t.Errorf("the last ping before came at %v, the first afterwards at %v", last, back)
		}
		b.wantLines(t, map[string]int{
			`level=ERROR msg="ping withheld" decision.action=none decision.reason=withheld decision.late=work decision.overdue=0s`: 1,
			"work has been silent for 30s, limit 30s": 1,
			`msg="ping withheld"`:                     1,
			`msg="no loop is late any more"`:          1,
		})
	})
}

func lastBefore(times []float64, end float64) (last float64) {
	for _, at := range times {
		if at < end {
			last = at
		}
	}
	return last
}

// TestAWedgedLoopThatIsAloneBeatsNoMore has nobody whose step could say so: the pings just end.
func TestAWedgedLoopThatIsAloneBeatsNoMore(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		workFor(t, b.handle(t, "main"), 59*time.Second, 5*time.Second, func() {
			if b.manager.second() == 30 {
				time.Sleep(time.Hour)
			}
		})
		b.wantPings(t, 0, 20)
	})
}

// TestALoopThatHasNeverBeatenIsSeen starts one loop of two.
func TestALoopThatHasNeverBeatenIsSeen(t *testing.T) {
	inBubble(t, pair, func(t *testing.T, b *bubble) {
		workFor(t, b.handle(t, "a"), 199*time.Second, 5*time.Second, idle)
		b.wantPings(t, 0, 20, 40)
		b.wantLines(t, map[string]int{`decision.late=b`: 1})
	})
}

// TestLoopsShareARunner has as many loops as there can be, each in its own goroutine.
func TestLoopsShareARunner(t *testing.T) {
	cfg := eight()
	inBubble(t, cfg, func(t *testing.T, b *bubble) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute-1)
		defer cancel()
		var loops sync.WaitGroup
		for i, source := range cfg.Sources {
			loops.Go(func() {
				h, err := b.Handle(source.Name)
				if err != nil {
					t.Error(err)
					return
				}
				work(ctx, h, time.Duration(i+1)*time.Second, func() { h.Stage("at work") })
			})
		}
		loops.Wait()
		b.wantAlive(t)
		if n := len(b.manager.pings); n != 30 {
			t.Errorf("%d pings in ten minutes, want one each 20 s", n)
		}
		beats := map[string]int{}
		for _, rec := range b.steps {
			beats[rec.Source]++
		}
		for i, source := range cfg.Sources {
			if want := (599 + i + 1) / (i + 1); beats[source.Name] != want {
				t.Errorf("%s beat %d times, want %d", source.Name, beats[source.Name], want)
			}
		}
		b.wantLines(t, map[string]int{"withheld": 0})
	})
}

func TestAHandleNeedsAKernelAndAKnownSource(t *testing.T) {
	for want, r := range map[string]*watchdog.Runner{
		"watchdog: the runner has no Kernel":           {},
		`watchdog: source: "c" is none of ["a" "b"]`:   {Kernel: newKernel(t, pair)},
		`watchdog: source: "c" is none of ["main"]`:    {Kernel: newKernel(t, one)},
		`watchdog: source: "c" is none of ["c " "c/"]`: {Kernel: newKernel(t, watchdog.Config{Sources: []watchdog.Source{{Name: "c "}, {Name: "c/"}}})},
	} {
		if h, err := r.Handle("c"); h != nil || err == nil || err.Error() != want {
			t.Errorf("got %v, %v; want %s", h, err, want)
		}
	}
}

// TestOnStepSeesEachBeat has one that pings, one that does not, and one whose ping fails.
func TestOnStepSeesEachBeat(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		broken := errors.New("no socket")
		b.manager.ping = func(second float64, _ time.Duration) error {
			if second > 0 {
				return broken
			}
			return nil
		}
		h := b.handle(t, "main")
		for range 3 {
			h.Beat()
			time.Sleep(15 * time.Second)
		}
		var got []string
		for _, rec := range b.steps {
			got = append(got, fmt.Sprintf("%v %s %v %v %v", rec.At.Sub(b.manager.began), rec.Source, rec.Decision.Reason, rec.Outcome, rec.SendErr))
		}
		want := "0s main beat {ping true} <nil>, 15s main recent {none false} <nil>, 30s main beat {ping false} no socket"
		if strings.Join(got, ", ") != want {
			t.Errorf("got  %s\nwant %s", strings.Join(got, ", "), want)
		}
		last := b.steps[2].State
		if !last.LastPing().Equal(b.manager.began) || !last.LastFailed().Equal(b.manager.began.Add(30*time.Second)) {
			t.Errorf("the state knows a ping of %v and a failed one of %v", last.LastPing(), last.LastFailed())
		}
	})
}

// TestADryRunDecidesTheSameForEver has no Notifier: the decision stands, and nothing is recorded.
func TestADryRunDecidesTheSameForEver(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		b.Notifier = nil
		h := b.handle(t, "main")
		workFor(t, h, 95*time.Second, 10*time.Second, func() { h.Stage("looking") })
		for i, rec := range b.steps {
			if rec.Decision.Reason != watchdog.ReasonBeat || rec.Outcome != (watchdog.Outcome{}) || rec.SendErr != nil || !rec.State.LastPing().IsZero() {
				t.Errorf("step %d: %+v", i, rec)
			}
		}
		if len(b.steps) != 10 || b.log.Len() != 0 {
			t.Errorf("%d steps in 95 s, log:\n%s", len(b.steps), b.log)
		}
	})
}

// TestARunnerNeedsNothingButAKernel leaves out everything else.
func TestARunnerNeedsNothingButAKernel(t *testing.T) {
	inBubble(t, one, func(t *testing.T, b *bubble) {
		b.Runner = &watchdog.Runner{Kernel: b.Kernel}
		h := b.handle(t, "main")
		h.Stage("looking")
		workFor(t, h, time.Hour, 10*time.Minute, idle)
		if got := b.manager.second(); got != 3600 {
			t.Errorf("an hour took %v s", got)
		}
	})
}
