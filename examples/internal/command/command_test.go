//go:build unix

package command_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/examples/internal/command"
)

func TestRunGivesTheOutput(t *testing.T) {
	out, err := command.Run(t.Context(), []string{"sh", "-c", "echo $WHO; echo noise >&2"}, "WHO=me")
	if out != "me\n" || err != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

func TestRunShowsWhatFailed(t *testing.T) {
	_, err := command.Run(t.Context(), []string{"sh", "-c", "echo no such peer >&2; exit 7"})
	if err == nil || err.Error() != "sh: exit status 7: no such peer" {
		t.Errorf("got %v", err)
	}
	if _, err := command.Run(t.Context(), []string{"no-such-command"}); err == nil || !strings.Contains(err.Error(), "no-such-command") {
		t.Errorf("got %v", err)
	}
	if _, err := command.Run(t.Context(), nil); err == nil {
		t.Error("no command at all ran")
	}
}

// TestACommandThatHangsIsKilledWithItsChildren: the child holds the pipes open, as a hung look-up in a script would.
func TestACommandThatHangsIsKilledWithItsChildren(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := command.Run(ctx, []string{"sh", "-c", "sleep 600 & wait"})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}
