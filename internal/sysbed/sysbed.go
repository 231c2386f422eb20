//go:build linux

// Package sysbed runs a real systemd for a test, in namespaces of the test's own: another process table, another file
// system, another network, gone with the test.
package sysbed

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/testenv"
)

//go:embed init.sh
var initScript string

// patience bounds what takes a second on an idle machine.
const patience = 90 * time.Second

// Bed is one running systemd.
type Bed struct {
	t     testing.TB
	init  int    // the process id of its systemd, seen from here
	units string // the directory that it shows at /opt/units
	log   *bytes.Buffer
}

// Start boots a systemd with these units (name to content), all wanted at boot, and these files (name to source) beside
// them under /opt/units. It ends with the test, which is skipped, or in CI fails, where no systemd can run.
func Start(t testing.TB, units, files map[string]string) *Bed {
	t.Helper()
	cgroup := need(t)
	dir := t.TempDir()
	b := &Bed{t: t, units: filepath.Join(dir, "units"), log: &bytes.Buffer{}}
	root := filepath.Join(dir, "root")
	for _, made := range []string{b.units, root} {
		if err := os.Mkdir(made, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range units {
		b.Write(name, content)
	}
	wants := strings.Join(slices.Collect(maps.Keys(units)), " ")
	b.Write("bed.target", "[Unit]\nDefaultDependencies=no\nWants="+wants+"\n")
	for name, source := range files {
		content, err := os.ReadFile(source)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(name, string(content))
	}
	b.Write("init.sh", initScript)
	b.boot(cgroup, root)
	return b
}

// need says where the units' cgroups go, or why there can be no systemd here.
func need(t testing.TB) string {
	t.Helper()
	if os.Geteuid() != 0 {
		testenv.Skip(t, "a systemd needs root")
	}
	for _, path := range []string{"/lib/systemd/systemd", "/usr/bin/unshare", "/usr/bin/nsenter", "/bin/bash"} {
		if _, err := os.Stat(path); err != nil {
			testenv.Skip(t, "a systemd needs %s: %v", path, err)
		}
	}
	for _, mount := range []string{"/sys/fs/cgroup/unified", "/sys/fs/cgroup"} {
		if _, err := os.Stat(mount + "/cgroup.procs"); err == nil {
			return filepath.Join(mount, fmt.Sprintf("bed.%d.%d", os.Getpid(), time.Now().UnixNano()))
		}
	}
	testenv.Skip(t, "a systemd needs a cgroup2 mount")
	return ""
}

// boot starts systemd in its namespaces and waits until it answers.
func (b *Bed) boot(cgroup, root string) {
	b.t.Helper()
	if err := os.Mkdir(cgroup, 0o755); err != nil {
		testenv.Skip(b.t, "a systemd needs a cgroup of its own: %v", err)
	}
	script := `echo $$ >"$0/cgroup.procs" && exec unshare --pid --mount --uts --ipc --net --cgroup --fork --kill-child=SIGKILL /bin/bash "$1" "$2" "$3"`
	outer := exec.Command("/bin/bash", "-c", script, cgroup, filepath.Join(b.units, "init.sh"), root, b.units)
	outer.Stdout, outer.Stderr = b.log, b.log
	outer.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	runtime.LockOSThread() // Pdeathsig fires when the starting thread ends
	if err := outer.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		_ = outer.Process.Kill() // and --kill-child takes systemd along, and the kernel all that it started
		_ = outer.Wait()
		runtime.UnlockOSThread()
		b.sweep(cgroup)
	})
	b.Until("systemd is up", func() bool {
		b.init = child(outer.Process.Pid)
		_, err := os.Stat(fmt.Sprintf("/proc/%d/root/run/systemd/private", b.init))
		return b.init != 0 && err == nil && strings.TrimSpace(read(fmt.Sprintf("/proc/%d/comm", b.init))) == "systemd"
	})
}

// sweep removes the cgroups, which outlive their processes by a moment.
func (b *Bed) sweep(cgroup string) {
	for range 200 {
		_ = exec.Command("find", cgroup, "-depth", "-type", "d", "-delete").Run() // the next look tells
		if _, err := os.Stat(cgroup); err != nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.t.Errorf("%s stays behind", cgroup)
}

// child is the process that pid started, 0 while there is none.
func child(pid int) int {
	first, _, _ := strings.Cut(read(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid)), " ")
	n, _ := strconv.Atoi(strings.TrimSpace(first))
	return n
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}
