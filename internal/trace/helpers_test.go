package trace_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// start is where the tests' time begins, another instant than the default.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// header is the shortest one.
const header = `{"kernel":"k"}` + "\n"

// seenTimes says that the field "seen" of an observation holds a time, and "also" another.
func seenTimes(trace.Header) ([]string, error) { return []string{"seen", "also"}, nil }

// newReader reads lines as a trace.
func newReader(t *testing.T, lines ...string) *trace.Reader {
	t.Helper()
	r, err := trace.NewReader(strings.NewReader(strings.Join(lines, "\n")), seenTimes)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll is all events up to the end or an error.
func readAll(r *trace.Reader) ([]trace.Event, error) {
	var events []trace.Event
	for {
		e, err := r.Next()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return events, err
		}
		events = append(events, e)
	}
}

// times is when the events are, from the start of the trace.
func times(r *trace.Reader, events []trace.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, e.At.Sub(r.Start()).String())
	}
	return strings.Join(all, " ")
}

// wantTimes reads lines and compares when their events are.
func wantTimes(t *testing.T, want string, lines ...string) {
	t.Helper()
	r := newReader(t, lines...)
	events, err := readAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if got := times(r, events); got != want {
		t.Errorf("events at %s, want %s", got, want)
	}
}

// looked is an empty observation at a time.
func looked(at string) string { return fmt.Sprintf(`{"at":%q,"observe":{}}`, at) }
