//go:build linux

package sysbed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Write puts a file beside the units; the bed sees it at /opt/units.
func (b *Bed) Write(name, content string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.units, name), []byte(content), 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// Path is where a file under /opt/units lies outside of the bed.
func (b *Bed) Path(name string) string { return filepath.Join(b.units, name) }

// Read is what a file beside the units holds, empty while there is none.
func (b *Bed) Read(name string) string { return read(b.Path(name)) }

// Until waits for ok to come true, and fails the test when it does not.
func (b *Bed) Until(what string, ok func() bool) {
	b.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if ok() {
			return
		}
	}
	b.t.Fatalf("not within %v: %s; systemd says:\n%s", patience, what, b.log)
}

// Run runs a command within the bed and gives its output.
func (b *Bed) Run(args ...string) (string, error) {
	inside := exec.Command("nsenter", append([]string{"-t", strconv.Itoa(b.init), "-a"}, args...)...)
	inside.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	out, err := inside.CombinedOutput()
	return string(out), err
}

// Systemctl runs systemctl within the bed, and fails the test when that fails.
func (b *Bed) Systemctl(args ...string) string {
	b.t.Helper()
	out, err := b.Run(append([]string{"systemctl", "--no-pager"}, args...)...)
	if err != nil {
		b.t.Fatalf("systemctl %v: %v: %s", args, err, out)
	}
	return out
}

// Show is a property of a unit.
func (b *Bed) Show(unit, property string) string {
	b.t.Helper()
	out, _ := b.Run("systemctl", "show", unit, "--value", "-p", property) // fails while systemd executes itself anew
	return strings.TrimSpace(out)
}

// UntilShows waits for a property of a unit.
func (b *Bed) UntilShows(unit, property, want string) {
	b.t.Helper()
	b.Until(unit+": "+property+"="+want, func() bool { return b.Show(unit, property) == want })
}

// Signal sends a signal to the bed's systemd itself.
func (b *Bed) Signal(s syscall.Signal) {
	b.t.Helper()
	if err := syscall.Kill(b.init, s); err != nil {
		b.t.Fatal(err)
	}
}
