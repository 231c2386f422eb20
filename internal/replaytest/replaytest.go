// Package replaytest checks recorded traces for the tests of the runners.
package replaytest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

// Check replays a trace and wants each decision that was recorded in it. It returns how many those are: none would prove
// nothing. Each of also looks at every line of the replay for itself.
func Check(t testing.TB, trace []byte, also ...func(replay.Line)) (decisions int) {
	t.Helper()
	start, want := read(t, trace)
	err := replay.Run(bytes.NewReader(trace), nil, func(l replay.Line) error {
		if decisions >= len(want) {
			t.Fatalf("more decisions are replayed than the %d that were recorded", len(want))
		}
		if got := of(l, start); got != want[decisions] {
			t.Errorf("decision %d: replayed %+v, recorded %+v", decisions, got, want[decisions])
		}
		for _, look := range also {
			look(l)
		}
		decisions++
		return nil
	})
	if err != nil || decisions != len(want) {
		t.Errorf("replayed %d decisions of %d: %v", decisions, len(want), err)
	}
	return decisions
}

// decision is what a trace keeps of one.
type decision struct {
	id, action, reason string
	next               time.Time
}

func of(l replay.Line, start time.Time) decision {
	d := decision{id: l.ID, action: l.Action, reason: l.Reason}
	if l.Next != nil {
		d.next = start.Add(time.Duration(*l.Next))
	}
	return d
}

// read lists the decisions that a trace holds, and when it starts.
func read(t testing.TB, trace []byte) (start time.Time, list []decision) {
	t.Helper()
	for lines := bufio.NewScanner(bytes.NewReader(trace)); lines.Scan(); {
		var line struct {
			Start    time.Time
			ID       string
			Decision *struct {
				Action, Reason string
				Next           time.Time
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		if !line.Start.IsZero() {
			start = line.Start
		}
		if d := line.Decision; d != nil {
			list = append(list, decision{line.ID, d.Action, d.Reason, d.Next})
		}
	}
	return start, list
}
