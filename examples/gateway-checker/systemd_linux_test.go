package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/sysbed"
	"github.com/evenkeel-go/evenkeel/internal/testenv"
)

// service is a unit that runs this test binary in a mode.
func service(mode, args, settings string) string {
	return fmt.Sprintf(`[Unit]
DefaultDependencies=no
StartLimitIntervalSec=0
[Service]
Environment=%s=%s GOTRACEBACK=all GODEBUG=tracebacklabels=1
ExecStart=/opt/units/program %s
StandardOutput=append:/opt/units/%[2]s.log
StandardError=append:/opt/units/%[2]s.log
%[4]s
`, modeVariable, mode, args, settings)
}

// checkerSettings are those of the unit that is shipped, with shorter times.
const checkerSettings = `Type=notify
NotifyAccess=main
WatchdogSec=6
TimeoutAbortSec=30
Restart=on-failure
RestartSec=200ms
RestartPreventExitStatus=3
RuntimeDirectory=gateway-checker
RuntimeDirectoryPreserve=yes`

// boot starts a bed with a checker on this configuration, beside an interface and a gateway that is down.
func boot(t *testing.T, cfg string) *sysbed.Bed {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"program": self}
	for name, content := range map[string]string{
		"checker.json": cfg,
		"up":           "#!/bin/sh\nBED_PROGRAM=up exec /opt/units/program\n",
		"down":         "#!/bin/sh\nBED_PROGRAM=down exec /opt/units/program\n",
		"mint":         "#!/bin/sh\nBED_PROGRAM=mint exec /opt/units/program\n",
		"failed":       "#!/bin/sh\necho \"$FAILURE\" >>/opt/units/failures\n",
	} {
		files[name] = filepath.Join(dir, name)
		if err := os.WriteFile(files[name], []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := sysbed.Start(t, map[string]string{
		"checker.service": service("checker", "-config /opt/units/checker.json", checkerSettings),
		"device.service":  service("device", "", ""),
		"gateway.service": service("gateway", "", ""),
	}, files)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("checker:\n%s\ndevice:\n%s\ngateway:\n%s", b.Read("checker.log"), b.Read("device.log"), b.Read("gateway.log"))
		}
	})
	return b
}

// scaled is a configuration whose minutes are seconds.
const scaled = `{
	"enabled": true, "app_id": "app", "gateway_urls": ["http://127.0.0.1:8000"], "register_timeout": "2s",
	"interface": "wg0", "config_file": "/opt/units/wg0.conf", "key_file": "/opt/units/key.json", "keepalive": "25s", "received_bytes": true,
	"up_command": ["/opt/units/up"], "down_command": ["/opt/units/down"], "mint_command": ["/opt/units/mint"], "failure_command": ["/opt/units/failed"],
	"gateway": {"poll_interval": "200ms", "refresh_interval": "2s", "handshake_timeout": "4s", "retry": {"initial": "500ms", "max": "1s"}}
}`

func TestADisabledCheckerEndsInPeace(t *testing.T) {
	t.Parallel()
	b := boot(t, `{"enabled": false}`)
	b.UntilShows("checker.service", "ActiveState", "inactive")
	if result, restarts := b.Show("checker.service", "Result"), b.Show("checker.service", "NRestarts"); result != "success" || restarts != "0" {
		t.Errorf("%s after %s restarts:\n%s", result, restarts, b.Read("checker.log"))
	}
}

func TestAMisconfiguredCheckerStaysDown(t *testing.T) {
	t.Parallel()
	b := boot(t, `{"enabled": true, "app_id": "app"}`)
	b.UntilShows("checker.service", "ActiveState", "failed")
	if status, restarts := b.Show("checker.service", "ExecMainStatus"), b.Show("checker.service", "NRestarts"); status != "3" || restarts != "0" {
		t.Errorf("exit %s after %s restarts", status, restarts)
	}
	if log := b.Read("checker.log"); !strings.Contains(log, "gateway_urls: empty") {
		t.Errorf("the log does not say what is missing:\n%s", log)
	}
}

// TestACheckerRecoversByItself is a long day of one guest: its gateway down at boot, its tunnel dead, its gateway down
// again, a registration that hangs. Nobody helps, and the key is minted once.
func TestACheckerRecoversByItself(t *testing.T) {
	t.Parallel()
	b := boot(t, scaled)
	log := &follower{bed: b}

	b.UntilShows("checker.service", "ActiveState", "active") // though there is no gateway
	log.until(t, "retries back off", "action failed", "reason=retry_wait", "reason=config_missing", "reason=config_missing")
	b.Write("gateway-up", "")
	log.until(t, "registered and heard", "msg=registered", "reason=healthy")
	if failures := strings.Count(b.Read("failures"), "\n"); failures != 1 {
		t.Errorf("the failure at boot was reported %d times:\n%s", failures, b.Read("failures"))
	}

	log.until(t, "periodic refreshes", "reason=refresh_due", "touched=false", "reason=refresh_due", "touched=false")
	if ups := strings.Count(b.Read("ups"), "\n"); ups != 1 {
		t.Errorf("the interface was made %d times, though nothing had changed", ups)
	}

	b.Write("forget", "")
	log.until(t, "the dead tunnel is rebuilt", "reason=tunnel_silent", "touched=true", "reason=healthy")

	remove(t, b, "gateway-up")
	log.until(t, "the gateway is missed", "reason=tunnel_silent", "action failed")
	b.Write("gateway-up", "")
	log.until(t, "the gateway is back", "reason=tunnel_silent", "msg=registered", "reason=healthy")

	b.Write("hang", "")
	log.until(t, "the hang is seen", "hanging", "SIGABRT", "registering", "reason=healthy")
	if restarts, err := strconv.Atoi(b.Show("checker.service", "NRestarts")); err != nil || restarts != 1 {
		t.Errorf("%d restarts, want the one after the hang: %v", restarts, err)
	}
	reboot(t, b)
	if mints := b.Read("mints"); mints != "mint\n" {
		t.Errorf("minted %q", mints)
	}
}

// reboot starts the checker without its gateway and without what was known of the interface: the configuration that was
// left is applied, and nobody asked.
func reboot(t *testing.T, b *sysbed.Bed) {
	t.Helper()
	remove(t, b, "gateway-up")
	if out, err := b.Run("rm", "/run/gateway-checker/applied"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before := b.Read("ups")
	b.Systemctl("restart", "checker.service")
	b.Until("the interface is made again", func() bool { return b.Read("ups") == before+"up\n" })
}

// follower reads the checker's log from where it stopped reading.
type follower struct {
	bed  *sysbed.Bed
	seen int
}

// until waits for these texts to come, in this order.
func (f *follower) until(t *testing.T, what string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		f.bed.Until(fmt.Sprintf("%s: %s", what, text), func() bool {
			log := f.bed.Read("checker.log")
			at := strings.Index(log[f.seen:], text)
			if at < 0 {
				return false
			}
			f.seen += at + len(text)
			return true
		})
	}
}

func remove(t *testing.T, b *sysbed.Bed, name string) {
	t.Helper()
	if err := os.Remove(b.Path(name)); err != nil {
		t.Fatal(err)
	}
}

// TestTheUnitIsGood asks systemd about the unit that is shipped, with a program that is there.
func TestTheUnitIsGood(t *testing.T) {
	text, err := os.ReadFile("gateway-checker.service")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("systemd-analyze"); err != nil {
		testenv.Skip(t, "needs systemd-analyze: %v", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), "gateway-checker.service")
	if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/gateway-checker", self)), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("systemd-analyze", "verify", unit).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
