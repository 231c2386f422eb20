package main

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
)

// clock counts in whole milliseconds from the start of the program, which read better than nanoseconds.
type clock struct{ start time.Time }

func (c clock) Now() time.Time { return c.start.Add(c.elapsed()) }

func (clock) After(d time.Duration) <-chan time.Time { return time.After(d) }

func (c clock) elapsed() time.Duration { return time.Since(c.start).Truncate(time.Millisecond) }

// report prints what happens, as it happens. Any number of goroutines may share it.
type report struct {
	clock clock

	mu  sync.Mutex
	out io.Writer
}

func newReport(out io.Writer) *report { return &report{clock: clock{time.Now()}, out: out} }

// introduce says what is to be seen, and how the lines read.
func (r *report) introduce() {
	r.print(`A guest keeps its WireGuard tunnel to a gateway up. Both run in this process, and all of it is real but the
pace: what takes minutes elsewhere takes seconds here. A row with a REASON is a decision of the kernel, which
is shown when it acts or when its reason changes; - is to do nothing. In the other rows * is what happens, and
ok is what was checked.

`)
	r.print("%8s  %-13s  %-17s  %s\n", "TIME", "DECISION", "REASON", "WHY")
}

// title begins an act of the story.
func (r *report) title(text string) { r.print("\n%s\n", text) }

// event says what happens in the world.
func (r *report) event(format string, values ...any) { r.row("*", fmt.Sprintf(format, values...)) }

// holds says what came true.
func (r *report) holds(text string) { r.row("ok", text) }

// decision prints what the kernel decided, and why.
func (r *report) decision(runner *gateway.Runner, d gateway.Decision) {
	action, reason := d.Action.String(), d.Reason.String()
	if d.Action == gateway.ActionNone {
		action = "-"
	}
	why := strings.TrimPrefix(runner.Kernel.Explain(runner.State, d), reason+": ")
	r.row(action, fmt.Sprintf("%-17s  %s", reason, why))
}

func (r *report) row(first, text string) {
	r.print("%7.2fs  %-13s  %s\n", r.clock.elapsed().Seconds(), first, text)
}

func (r *report) print(format string, values ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.out, format, values...)
}

// summary prints what was seen as a table.
func (s *story) summary() {
	counts := map[gateway.Action]int{}
	failed := 0
	for _, p := range s.tried {
		counts[p.Outcome.Action]++
		if !p.Outcome.OK {
			failed++
		}
	}
	var without time.Duration
	for _, outage := range s.prober.outages {
		without += outage
	}
	s.report.title("Everything that was shown came true. In all:")
	line := func(what, format string, values ...any) {
		s.report.print("  %-36s  %s\n", what, fmt.Sprintf(format, values...))
	}
	line("application up after", "%v", s.upAfter)
	line("registrations tried", "%d, %d of them failed", len(s.tried), failed)
	line("  because there was no configuration", "%d", counts[gateway.ActionRegister])
	line("  periodic refreshes", "%d", counts[gateway.ActionRefresh])
	line("  forced refreshes", "%d", counts[gateway.ActionForceRefresh])
	line("keys minted", "%d", s.mints.Load())
	line("requests through the tunnel", "%d, %d of them answered", s.prober.sent, s.prober.answered)
	line("pings to the service manager", "%d", s.manager.pinged())
	line("time without a route", "%v in all: %s", without, strings.Trim(fmt.Sprint(s.prober.outages), "[]"))
}
