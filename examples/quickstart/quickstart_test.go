package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// TestTheStoryComesTrueAndReplays runs the whole program, and then its two traces through the kernel again.
func TestTheStoryComesTrueAndReplays(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-trace", path}, &out); err != nil {
		t.Fatalf("%v, after:\n%s", err, &out)
	}
	isEmpty(t, os.Getenv("TMPDIR"))
	if !strings.Contains(out.String(), "Everything that was shown came true.") {
		t.Errorf("the story has no end:\n%s", &out)
	}
	if row := regexp.MustCompile(`(?m)^ {3}\d\.\d\ds {2}register {7}never_registered {3}there is no configuration`); !row.Match(out.Bytes()) {
		t.Errorf("no row like %v in:\n%s", row, &out)
	}
	// 12 s at a look each 200 ms is 60 lines, and 4 s is 20; a busy machine misses some.
	first := replays(t, path, 30)
	for action, atLeast := range map[string]int{"register": 5, "refresh": 1, "force_refresh": 1} {
		if first[action] < atLeast {
			t.Errorf("%s: %d times, want at least %d", action, first[action], atLeast)
		}
	}
	second := replays(t, path+".restart", 10)
	if second["register"] != 0 || second["refresh"] < 1 {
		t.Errorf("after the restart: got %v, want refreshes and no registration", second)
	}
}

// replays checks that a replay of a trace decides what was recorded in it, and counts the actions.
func replays(t *testing.T, path string, atLeast int) map[string]int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	start, recorded := decisions(t, text)
	if len(recorded) < atLeast {
		t.Fatalf("%s: %d decisions, want at least %d", filepath.Base(path), len(recorded), atLeast)
	}
	actions, i := map[string]int{}, 0
	err = replay.Run(bytes.NewReader(text), nil, func(l replay.Line) error {
		if i == len(recorded) {
			return errors.New("the replay has more decisions than the trace")
		}
		want := recorded[i]
		i++
		got := trace.Decision{Action: l.Action, Reason: l.Reason}
		if l.Next != nil {
			got.Next = start.Add(time.Duration(*l.Next))
		}
		if got.Action != want.Action || got.Reason != want.Reason || !got.Next.Equal(want.Next) {
			t.Errorf("%s: decision %d at %v: got %v, want %v", filepath.Base(path), i, time.Duration(l.At), got, want)
		}
		actions[l.Action]++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if i != len(recorded) {
		t.Errorf("%s: the replay has %d decisions, the trace %d", filepath.Base(path), i, len(recorded))
	}
	return actions
}

// decisions are those that a trace has beside its observations, and the trace's start.
func decisions(t *testing.T, text []byte) (start time.Time, recorded []trace.Decision) {
	t.Helper()
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		var line struct {
			Start    time.Time       `json:"start"`
			Observe  json.RawMessage `json:"observe"`
			Decision trace.Decision  `json:"decision"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%v in %s", err, lines.Bytes())
		}
		if !line.Start.IsZero() {
			start = line.Start
		}
		if line.Observe != nil {
			recorded = append(recorded, line.Decision)
		}
	}
	if err := lines.Err(); err != nil || start.IsZero() {
		t.Fatalf("no start in the trace: %v", err)
	}
	return start, recorded
}

// TestAnInterruptEndsTheStory interrupts it at moments of different kinds: while a key is minted, and with a tunnel up.
func TestAnInterruptEndsTheStory(t *testing.T) {
	for _, moment := range []string{"a key is minted", "a request through the tunnel is answered"} {
		t.Run(moment, func(t *testing.T) {
			t.Setenv("TMPDIR", t.TempDir())
			before := runtime.NumGoroutine()
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			out, in := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- run(ctx, nil, in)
				_ = in.Close()
			}()
			var told strings.Builder
			lines := bufio.NewScanner(out)
			for lines.Scan() {
				told.WriteString(lines.Text() + "\n")
				if strings.Contains(lines.Text(), moment) {
					interrupt()
				}
			}
			select {
			case err := <-ended:
				if !errors.Is(err, context.Canceled) {
					t.Errorf("got %v, want context.Canceled, after:\n%s", err, &told)
				}
			case <-time.After(time.Minute):
				t.Fatal("it goes on")
			}
			if strings.Contains(told.String(), "came true. In all") {
				t.Error("it claims to have shown everything")
			}
			isEmpty(t, os.Getenv("TMPDIR"))
			for limit := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > before; time.Sleep(20 * time.Millisecond) {
				if time.Now().After(limit) {
					stacks := make([]byte, 1<<20)
					t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
				}
			}
		})
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if err := run(t.Context(), []string{"-trace", filepath.Join(t.TempDir(), "no", "such", "directory")}, io.Discard); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a trace that can't be written: got %v, want one that is os.ErrNotExist", err)
	}
	isEmpty(t, os.Getenv("TMPDIR"))
}

// isEmpty checks that nothing is left in a directory.
func isEmpty(t *testing.T, dir string) {
	t.Helper()
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("left behind: %s", entry.Name())
	}
}
