//go:build linux

// Package sysbed_test proves the watchdog and its notifier on a real systemd.
package sysbed_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/sysbed"
)

// unit is a service that runs this test binary in a mode. Its name is the mode's, with dashes.
func unit(mode, settings string) (name, content string) {
	name = strings.ReplaceAll(strings.ToLower(mode), " ", "-")
	return name + ".service", fmt.Sprintf(`[Unit]
DefaultDependencies=no
StartLimitIntervalSec=0
[Service]
Type=notify
NotifyAccess=main
RestartSec=200ms
Environment="%s=%s" GOTRACEBACK=all GODEBUG=tracebacklabels=1
ExecStart=/opt/units/program
ExecReload=/bin/kill -HUP $MAINPID
StandardOutput=append:/opt/units/%s.log
StandardError=append:/opt/units/%[3]s.log
%s
`, modeVariable, mode, name, settings)
}

// start boots a systemd with units, given as pairs of mode and settings.
func start(t *testing.T, pairs ...string) *sysbed.Bed {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	units := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		name, content := unit(pairs[i], pairs[i+1])
		units[name] = content
	}
	return sysbed.Start(t, units, map[string]string{"program": self})
}

func atLeast(b *sysbed.Bed, unit, property string, n int) func() bool {
	return func() bool {
		got, err := strconv.Atoi(b.Show(unit, property))
		return err == nil && got >= n
	}
}

// TestALoopThatHangsIsRestarted is the purpose of it all: the service manager ends a program whose loop hangs, and the
// dump says what the loop was at.
func TestALoopThatHangsIsRestarted(t *testing.T) {
	t.Parallel()
	b := start(t, "hang", "WatchdogSec=2\nRestart=on-failure")
	b.Until("the program is aborted and started again", atLeast(b, "hang.service", "NRestarts", 1))
	log := b.Read("hang.log")
	for _, want := range []string{"hanging", "SIGABRT", "sysbed_test.hang", "registering"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%.4000s", want, log)
		}
	}
}

// TestAGoroutineThatPingsHidesAHang is the negative proof: with a ping from beside the loop, nobody ever knows.
func TestAGoroutineThatPingsHidesAHang(t *testing.T) {
	t.Parallel()
	b := start(t, "hang beside a goroutine that pings", "WatchdogSec=2\nRestart=on-failure")
	const name = "hang-beside-a-goroutine-that-pings"
	b.Until("the loop hangs", func() bool { return strings.Contains(b.Read(name+".log"), "hanging") })
	time.Sleep(6 * time.Second) // three times as long as a hang may last
	if state, restarts := b.Show(name+".service", "ActiveState"), b.Show(name+".service", "NRestarts"); state != "active" || restarts != "0" {
		t.Errorf("the unit is %s after %s restarts", state, restarts)
	}
}

func TestALongIdleSleepSurvives(t *testing.T) {
	t.Parallel()
	b := start(t, "sleep", "WatchdogSec=2\nRestart=on-failure")
	b.UntilShows("sleep.service", "ActiveState", "active")
	time.Sleep(8 * time.Second) // four times as long as a hang may last
	if state, restarts := b.Show("sleep.service", "ActiveState"), b.Show("sleep.service", "NRestarts"); state != "active" || restarts != "0" {
		t.Errorf("the unit is %s after %s restarts: %s", state, restarts, b.Read("sleep.log"))
	}
}

func TestExitCodesMeanWhatTheUnitSays(t *testing.T) {
	t.Parallel()
	const settings = "Restart=on-failure\nRestartPreventExitStatus=3"
	b := start(t, "exit 0", settings, "exit 2", settings, "exit 3", settings, "exit 0 before READY", settings)
	b.UntilShows("exit-0.service", "ActiveState", "inactive")
	b.UntilShows("exit-3.service", "ActiveState", "failed")
	b.Until("exit 2 is a crash", atLeast(b, "exit-2.service", "NRestarts", 2))
	b.Until("exit 0 before READY is a failure too", atLeast(b, "exit-0-before-ready.service", "NRestarts", 2))
	for unit, want := range map[string]string{"exit-0.service": "success", "exit-3.service": "exit-code"} {
		if result, restarts := b.Show(unit, "Result"), b.Show(unit, "NRestarts"); result != want || restarts != "0" {
			t.Errorf("%s: %s after %s restarts, want %s after none", unit, result, restarts, want)
		}
	}
}

func TestAReloadThatPingsSurvives(t *testing.T) {
	t.Parallel()
	b := start(t, "reload", "WatchdogSec=2\nRestart=on-failure")
	b.UntilShows("reload.service", "ActiveState", "active")
	b.Systemctl("reload", "reload.service")
	b.Until("the reload is over", func() bool { return strings.Contains(b.Read("reload.log"), "reloaded: <nil>") })
	b.UntilShows("reload.service", "ActiveState", "active")
	if restarts := b.Show("reload.service", "NRestarts"); restarts != "0" || !strings.Contains(b.Read("reload.log"), "reloading: <nil>") {
		t.Errorf("%s restarts: %s", restarts, b.Read("reload.log"))
	}
}

func TestTheServiceManagerMayExecuteItselfAnew(t *testing.T) {
	t.Parallel()
	b := start(t, "work", "WatchdogSec=4\nRestart=on-failure")
	b.UntilShows("work.service", "ActiveState", "active")
	b.Systemctl("daemon-reexec")
	time.Sleep(6 * time.Second) // longer than the pings may stay away
	b.UntilShows("work.service", "ActiveState", "active")
	if restarts := b.Show("work.service", "NRestarts"); restarts != "0" {
		t.Errorf("%s restarts", restarts)
	}
}

// TestAServiceManagerThatDoesNotReadHoldsUpNoLoop stops systemd for five seconds while a loop fills its queue.
func TestAServiceManagerThatDoesNotReadHoldsUpNoLoop(t *testing.T) {
	t.Parallel()
	b := start(t, "work", "WatchdogSec=8\nRestart=on-failure")
	b.UntilShows("work.service", "ActiveState", "active")
	b.Signal(syscall.SIGSTOP)
	time.Sleep(5 * time.Second)
	b.Signal(syscall.SIGCONT)
	b.UntilShows("work.service", "ActiveState", "active")
	longest := 0
	for _, blocked := range regexp.MustCompile(`blocked (\d+)`).FindAllStringSubmatch(b.Read("work.log"), -1) {
		ms, _ := strconv.Atoi(blocked[1])
		longest = max(longest, ms)
	}
	t.Logf("the longest pass took %d ms", longest)
	// A pass sends a status and sometimes a ping, each bounded by an eighth of 8 s; without bounds it hangs for 5 s.
	if longest < 500 || longest > 4000 {
		t.Errorf("the longest pass took %d ms: the queue was never full, or a send hung", longest)
	}
	if restarts := b.Show("work.service", "NRestarts"); restarts != "0" {
		t.Errorf("%s restarts", restarts)
	}
}
