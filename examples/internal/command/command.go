// Package command runs the commands of an operator's choice so that none of them can hang the program: when the time is
// up, the command is killed with all that it started.
package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// longestTail is how much of a command's output an error shows.
const longestTail = 400

// Run runs argv, without a shell, with these variables beside the program's own, and returns its standard output. An
// error shows the end of what the command wrote to standard error.
func Run(ctx context.Context, argv []string, variables ...string) (string, error) {
	if len(argv) == 0 {
		return "", errors.New("no command")
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), variables...)
	var out, failure bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &failure
	cmd.WaitDelay = time.Second // for pipes that a grandchild keeps open
	ownGroup(cmd)
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err() // "signal: killed" would hide why
	}
	if err != nil {
		return out.String(), fmt.Errorf("%s: %w%s", argv[0], err, tail(failure.String()))
	}
	return out.String(), nil
}

func tail(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	return ": " + text[max(0, len(text)-longestTail):]
}
