package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// wanted is what a case's header says of its decisions: for a loop the acting ones, with their times, for a schedule
// each record's streak, delay and exhaustion.
type wanted struct {
	Actions  [][2]string
	Attempts [][4]any
}

// TestCases replays the timelines in testdata and wants what their headers want.
func TestCases(t *testing.T) {
	paths, err := filepath.Glob("testdata/cases/*.jsonl")
	if err != nil || len(paths) < 10 {
		t.Fatalf("found %v: %v", paths, err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			header, _, _ := bytes.Cut(text, []byte("\n"))
			var want struct{ Want wanted }
			if err := json.Unmarshal(header, &want); err != nil {
				t.Fatal(err)
			}
			lines := replayed(t, path)
			checkHonest(t, text, lines)
			if got := decisions(t, lines); !reflect.DeepEqual(got, want.Want) {
				t.Errorf("got  %+v\nwant %+v", got, want.Want)
			}
		})
	}
}

// replayed runs the program on a trace and reads its output back.
func replayed(t *testing.T, args ...string) (lines []replay.Line) {
	t.Helper()
	var out bytes.Buffer
	if err := run(args, nil, &out, false); err != nil {
		t.Fatal(err)
	}
	for scan := bufio.NewScanner(&out); scan.Scan(); {
		var l replay.Line
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, l)
	}
	return lines
}

// decisions puts lines into the form of a header.
func decisions(t *testing.T, lines []replay.Line) (got wanted) {
	t.Helper()
	for _, l := range lines {
		at := seconds(time.Duration(l.At))
		switch {
		case l.Attempt != nil:
			got.Attempts = append(got.Attempts, [4]any{at, float64(*l.Attempt), time.Duration(*l.Delay).String(), *l.Exhausted})
		case l.Action != replay.ActionNone:
			got.Actions = append(got.Actions, [2]string{at, l.Action})
		}
	}
	return got
}

// seconds writes a time as the cases do.
func seconds(d time.Duration) string {
	text, _ := json.Marshal(d.Seconds())
	return string(text) + "s"
}

// checkHonest wants no action before the next that the line before gave, while what is seen stays the same.
func checkHonest(t *testing.T, trace []byte, lines []replay.Line) {
	t.Helper()
	seen := observations(t, trace)
	last := map[string]replay.Line{}
	for _, l := range lines {
		before, known := last[l.ID]
		last[l.ID] = l
		same := known && seen[key{l.ID, l.At}] == seen[key{before.ID, before.At}]
		if same && before.Next != nil && before.Action == replay.ActionNone && l.Action != replay.ActionNone && l.At < *before.Next {
			t.Errorf("%v at %v, but next was %v", l.Action, time.Duration(l.At), time.Duration(*before.Next))
		}
	}
}

// key is where a line of output came from.
type key struct {
	id string
	at settings.Span
}

// observations is what a case saw, as its text.
func observations(t *testing.T, trace []byte) map[key]string {
	t.Helper()
	seen := map[key]string{}
	for line := range bytes.Lines(trace) {
		var e struct {
			At      settings.Span
			ID      string
			Observe json.RawMessage
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		if e.Observe != nil {
			seen[key{e.ID, e.At}] = string(e.Observe)
		}
	}
	return seen
}
