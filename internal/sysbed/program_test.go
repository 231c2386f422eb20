//go:build linux

package sysbed_test

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// modeVariable turns this test binary into the program of a unit.
const modeVariable = "BED_PROGRAM"

func TestMain(m *testing.M) {
	if mode := os.Getenv(modeVariable); mode != "" {
		os.Exit(program(mode))
	}
	os.Exit(m.Run())
}

// program is what the units run: a loop under a watchdog, made to fail in the way that mode names. It returns its exit
// code.
func program(mode string) int {
	env := sdnotify.Take()
	notifier := sdnotify.New(env)
	if mode == "exit 0 before READY" {
		return 0
	}
	if err := notifier.Ready(); err != nil {
		fmt.Println("ready:", err)
		return 4
	}
	handle, err := newHandle(env, notifier)
	if err != nil {
		fmt.Println(err)
		return 4
	}
	switch mode {
	case "exit 0":
		return 0
	case "exit 2":
		return 2
	case "exit 3":
		return 3
	case "hang":
		hang(handle)
	case "hang beside a goroutine that pings":
		go pingForEver(notifier)
		hang(handle)
	case "sleep":
		fmt.Println(handle.SleepUntil(context.Background(), time.Now().Add(time.Hour)))
	case "reload":
		reload(handle, notifier)
	case "work":
		work(handle)
	}
	return 5
}

func newHandle(env sdnotify.Environment, notifier *sdnotify.Notifier) (*watchdog.Handle, error) {
	kernel, err := watchdog.New(watchdog.Config{Timeout: env.Watchdog})
	if err != nil {
		return nil, err
	}
	runner := &watchdog.Runner{Kernel: kernel, Notifier: notifier}
	return runner.Handle("main")
}

// hang beats a few times and never again: a work that never returns.
func hang(handle *watchdog.Handle) {
	for range 3 {
		handle.Beat()
		time.Sleep(200 * time.Millisecond)
	}
	handle.Stage("registering")
	fmt.Println("hanging")
	time.Sleep(24 * time.Hour) // not for ever: that the runtime itself would take for a deadlock
}

// pingForEver is what a program must not do.
func pingForEver(notifier *sdnotify.Notifier) {
	for {
		if err := notifier.Ping(time.Second); err != nil {
			fmt.Println("ping:", err)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// reload takes three seconds to read its configuration anew when it is told to, and works on.
func reload(handle *watchdog.Handle, notifier *sdnotify.Notifier) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGHUP)
	for {
		select {
		case <-told:
			fmt.Println("reloading:", notifier.Reloading())
			pause(handle, 3*time.Second)
			fmt.Println("reloaded:", notifier.Reloaded(nil))
		default:
			pause(handle, 50*time.Millisecond)
		}
	}
}

func pause(handle *watchdog.Handle, d time.Duration) {
	if err := handle.SleepUntil(context.Background(), time.Now().Add(d)); err != nil {
		fmt.Println("sleep:", err)
	}
}

// work passes fast, with a status each time, and says when a pass took long: what it waits for is the service manager.
func work(handle *watchdog.Handle) {
	for pass := 0; ; pass++ {
		began := time.Now()
		handle.Beat()
		handle.Stage(fmt.Sprint("pass ", pass))
		if took := time.Since(began); took > 100*time.Millisecond {
			fmt.Printf("blocked %d\n", took.Milliseconds())
		}
		time.Sleep(2 * time.Millisecond)
	}
}
