package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// wanted is what a case's header says of its decisions: for a loop the acting ones, with their times, for a schedule
// each record's streak, delay and exhaustion, for a peer the changes of its verdict and its probes, for routes the
// owners after each look.
type wanted struct {
	Actions  [][2]string
	Attempts [][4]any
	Verdicts [][2]string
	Probes   []string
	Owners   [][2]any
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
			var head struct{ Want wanted }
			if err := json.Unmarshal(header, &head); err != nil {
				t.Fatal(err)
			}
			lines := replayed(t, path)
			checkHonest(t, text, lines)
			got, want := fmt.Sprintf("%+v", decisions(t, lines)), fmt.Sprintf("%+v", head.Want)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
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
	verdict := ""
	for _, l := range lines {
		at := seconds(time.Duration(l.At))
		switch {
		case l.Attempt != nil:
			got.Attempts = append(got.Attempts, [4]any{at, float64(*l.Attempt), time.Duration(*l.Delay).String(), *l.Exhausted})
		case l.Owners != nil:
			got.Owners = append(got.Owners, [2]any{at, plainly(t, l.Owners)})
		case l.Live != nil:
			if now := verdictOf(l); now != verdict {
				verdict = now
				got.Verdicts = append(got.Verdicts, [2]string{at, now})
			}
			if l.Action == "probe" {
				got.Probes = append(got.Probes, at)
			}
		case l.Action != replay.ActionNone:
			got.Actions = append(got.Actions, [2]string{at, l.Action})
		}
	}
	return got
}

// verdictOf is live or dead for a peer, and empty for all else.
func verdictOf(l replay.Line) string {
	switch {
	case l.Live == nil:
		return ""
	case *l.Live:
		return "live"
	}
	return "dead"
}

// plainly is v as JSON that nobody knows the type of.
func plainly(t *testing.T, v any) (plain any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

// seconds writes a time as the cases do.
func seconds(d time.Duration) string {
	text, _ := json.Marshal(d.Seconds())
	return string(text) + "s"
}

// checkHonest wants no action and no other verdict before the next that the line before gave, while what is seen stays
// the same.
func checkHonest(t *testing.T, trace []byte, lines []replay.Line) {
	t.Helper()
	seen := observations(t, trace)
	last := map[string]replay.Line{}
	for _, l := range lines {
		before, known := last[l.ID]
		last[l.ID] = l
		same := known && seen[key{l.ID, l.At}] == seen[key{before.ID, before.At}]
		moved := l.Action != replay.ActionNone || verdictOf(l) != verdictOf(before)
		if same && moved && before.Next != nil && before.Action == replay.ActionNone && l.At < *before.Next {
			t.Errorf("%v %v at %v, but next was %v", l.Action, verdictOf(l), time.Duration(l.At), time.Duration(*before.Next))
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
