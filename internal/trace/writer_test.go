package trace_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// newWriter writes a trace into a buffer.
func newWriter(t *testing.T, h trace.Header) (*trace.Writer, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	w, err := trace.NewWriter(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	return w, &out
}

// must is for writes into memory.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestWriter holds the form of a recorded trace.
func TestWriter(t *testing.T) {
	w, out := newWriter(t, trace.Header{Kernel: "k", Config: json.RawMessage(`{"a":"1s"}`), Act: trace.Acts{None: true}})
	east := start.In(time.FixedZone("east", 3600))
	calm := trace.Decision{Action: "none", Reason: "calm"}
	must(t, w.Observe(east, "", map[string]int{"x": 1}, trace.Decision{Action: "go", Reason: "due", Next: east}, nil))
	must(t, w.Record(start.Add(1500*time.Millisecond), "a", map[string]bool{"ok": false}, errors.New(`"no"`)))
	must(t, w.Observe(start.Add(time.Minute), "a", nil, calm, errors.New("gone")))
	const want = `{"kernel":"k","config":{"a":"1s"},"act":"none"}
{"at":"2026-03-01T12:00:00Z","observe":{"x":1},"decision":{"action":"go","reason":"due","next":"2026-03-01T12:00:00Z"}}
{"at":"2026-03-01T12:00:01.5Z","id":"a","record":{"ok":false},"error":"\"no\""}
{"at":"2026-03-01T12:01:00Z","id":"a","observe":null,"decision":{"action":"none","reason":"calm"},"error":"gone"}
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out, want)
	}
}

// TestRoundTrip reads what was written.
func TestRoundTrip(t *testing.T) {
	h := trace.Header{
		Kernel: "k", Config: json.RawMessage(`{"a":"1s"}`), State: json.RawMessage(`{"b":1}`), Start: start,
		Act: trace.Acts{OK: []bool{true, false}}, ActTakes: settings.Span(time.Second),
	}
	w, out := newWriter(t, h)
	for i := range 50 {
		at, id := start.Add(time.Duration(i*i)*time.Millisecond), fmt.Sprint("id ", i%3)
		must(t, w.Observe(at, id, map[string]int{"i": i}, trace.Decision{Action: "none", Reason: "calm", Next: at}, nil))
		must(t, w.Record(at, id, map[string]int{"i": -i}, nil))
	}
	r := newReader(t, out.String())
	if !reflect.DeepEqual(r.Header, h) {
		t.Errorf("the header came back as %+v", r.Header)
	}
	events, err := readAll(r)
	if err != nil || len(events) != 100 {
		t.Fatalf("got %d events (%v)", len(events), err)
	}
	for i, e := range events {
		n := i / 2
		text, at := fmt.Sprintf(`{"i":%d}`, n), start.Add(time.Duration(n*n)*time.Millisecond)
		if i%2 == 1 {
			text = fmt.Sprintf(`{"i":%d}`, -n)
		}
		if string(e.Observe)+string(e.Record) != text || !e.At.Equal(at) || e.ID != fmt.Sprint("id ", n%3) || e.Line != i+2 {
			t.Errorf("event %d came back as %+v", i, e)
		}
	}
}

// lines counts writes, and those that are not one line.
type lines struct{ writes, bad int }

func (l *lines) Write(p []byte) (int, error) {
	l.writes++
	if bytes.Count(p, []byte("\n")) != 1 || p[len(p)-1] != '\n' || !json.Valid(p) {
		l.bad++
	}
	return len(p), nil
}

// TestEachLineIsOneWrite lets several goroutines share a writer.
func TestEachLineIsOneWrite(t *testing.T) {
	var out lines
	w, err := trace.NewWriter(&out, trace.Header{Kernel: "k"})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 100 {
				if err := w.Record(start, "a\nb", "c\nd", errors.New("e\nf")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if out.writes != 401 || out.bad != 0 {
		t.Errorf("%d writes, %d of them not one line", out.writes, out.bad)
	}
}

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriterErrors(t *testing.T) {
	if _, err := trace.NewWriter(full{}, trace.Header{Kernel: "k"}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
	w, out := newWriter(t, trace.Header{Kernel: "k"})
	before := out.Len()
	if w.Observe(start, "", math.NaN(), trace.Decision{}, nil) == nil || w.Record(start, "", math.NaN(), nil) == nil {
		t.Error("what has no JSON was written")
	}
	if out.Len() != before {
		t.Errorf("a failed write left %q", out.String()[before:])
	}
	if _, err := trace.NewWriter(out, trace.Header{Config: json.RawMessage("{")}); err == nil || !strings.Contains(err.Error(), "unexpected end") {
		t.Errorf("got %v", err)
	}
}
