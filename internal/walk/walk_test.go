package walk_test

import (
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/walk"
)

// TestAClosedSpaceIsVisitedWhole walks a clock of twelve hours by steps of one and of five, and wants each hour visited
// once.
func TestAClosedSpaceIsVisitedWhole(t *testing.T) {
	visits := map[int]int{}
	got := walk.All(0, 12, func(hour int, visit func(int)) {
		visits[hour]++
		visit((hour + 1) % 12)
		visit((hour + 5) % 12)
	})
	if want := (walk.Result{States: 12, Edges: 24, Closed: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for hour := range 12 {
		if visits[hour] != 1 {
			t.Errorf("hour %d was visited %d times", hour, visits[hour])
		}
	}
}

func TestOneStateWithoutAnEdge(t *testing.T) {
	got := walk.All("alone", 1, func(string, func(string)) {})
	if want := (walk.Result{States: 1, Closed: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// TestTheLimit has a row at, just below and just above the size of the space.
func TestTheLimit(t *testing.T) {
	line := func(n int, visit func(int)) { visit(min(n+1, 9)) }
	for limit, closed := range map[int]bool{9: false, 10: true, 11: true} {
		if got := walk.All(0, limit, line); got.Closed != closed {
			t.Errorf("limit %d of 10 states: %+v", limit, got)
		}
	}
}

func TestAnOpenSpaceIsGivenUp(t *testing.T) {
	got := walk.All(0, 100, func(n int, visit func(int)) { visit(n + 1) })
	if got.Closed || got.States != 101 || got.Edges != 100 {
		t.Errorf("counting came to an end: %+v", got)
	}
}
