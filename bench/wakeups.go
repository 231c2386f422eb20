package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/watchdog"
)

// fastClock is a clock whose time passes as soon as somebody waits for it; it counts how often that happens.
type fastClock struct {
	now  time.Time
	wake int
}

func (c *fastClock) Now() time.Time { return c.now }

func (c *fastClock) After(d time.Duration) <-chan time.Time {
	c.now = c.now.Add(d)
	c.wake++
	woken := make(chan time.Time, 1)
	woken <- c.now
	return woken
}

// idle is a guest to which nothing happens: its tunnel is up.
type idle struct{ clock *fastClock }

func (i idle) Observe(context.Context) (gateway.Observation, error) {
	return gateway.Observation{Config: gateway.ConfigPresent, Handshake: gateway.HandshakeSeen, Stamp: i.clock.now.UnixNano()}, nil
}

func (idle) Act(context.Context, gateway.Decision) error { return nil }

// silence is a service manager that takes everything.
type silence struct{}

func (silence) Ping(time.Duration) error           { return nil }
func (silence) Status(string, time.Duration) error { return nil }

// wakeups counts how often an idle agent wakes in a day, under a watchdog of ten minutes.
func wakeups(poll time.Duration) int {
	clock := &fastClock{now: start}
	kernel := must(gateway.New(gateway.Config{PollInterval: poll}))
	dog := &watchdog.Runner{Kernel: must(watchdog.New(watchdog.Config{Timeout: 10 * time.Minute})), Notifier: silence{}, Clock: clock}
	agent := idle{clock}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	runner := &gateway.Runner{
		Kernel: kernel, Observer: agent, Actor: agent, Clock: clock, Pacer: must(dog.Handle("main")),
		OnStep: func(rec gateway.StepRecord) {
			if rec.At.Sub(start) >= 24*time.Hour {
				cancel()
			}
		},
	}
	_ = runner.Run(ctx) // ends with the day
	return clock.wake
}

// printWakeups compares them with a loop that looks every 10 s whatever happens.
func printWakeups(out io.Writer) {
	fmt.Fprintf(out, "\nwake-ups of an idle agent in a day, beside the 8640 of a fixed poll of 10 s:\n")
	for _, poll := range []time.Duration{10 * time.Second, time.Minute} {
		fmt.Fprintf(out, "  poll_interval %-5v  %d\n", poll, wakeups(poll))
	}
}
