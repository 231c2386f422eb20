//go:build unix

package command

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the command into a process group of its own, which is killed as a whole: a shell script that waits for a
// hung child would leave the child behind.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
