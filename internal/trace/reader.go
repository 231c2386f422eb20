package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

const (
	longestLine = 64 << 20   // bytes; a routes event with 100,000 prefixes takes some 3 MB
	mostRepeats = 10_000_000 // of one line with until and every: four months of seconds
)

// A Reader reads the events of one trace. Every error names its line.
type Reader struct {
	// Header is the trace's first line.
	Header Header

	lines *bufio.Scanner
	line  int
	times []string
	start time.Time
	begun bool  // the start is settled
	next  Event // the line at hand, at its next time
	until time.Time
	every time.Duration // zero: no line is at hand
}

// NewReader reads the header. times gives the fields of an observation that hold times, or refuses the header: in them a
// duration from the start is put into RFC 3339.
func NewReader(r io.Reader, times func(Header) ([]string, error)) (*Reader, error) {
	tr := &Reader{lines: bufio.NewScanner(r)}
	tr.lines.Buffer(nil, longestLine)
	line, err := tr.readLine()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("line 1: the trace is empty, want a header")
	}
	if err != nil {
		return nil, err
	}
	if err := settings.UnmarshalKnown(line, &tr.Header); err != nil {
		return nil, tr.Fail(fmt.Errorf("header: %w", err))
	}
	if tr.Header.Kernel == "" {
		return nil, tr.Fail(errors.New("header: kernel: missing"))
	}
	if tr.Header.ActTakes < 0 {
		return nil, tr.Fail(fmt.Errorf("header: act_takes: %v is negative", time.Duration(tr.Header.ActTakes)))
	}
	if tr.times, err = times(tr.Header); err != nil {
		return nil, tr.Fail(fmt.Errorf("header: %w", err))
	}
	tr.start, tr.begun = tr.Header.Start, !tr.Header.Start.IsZero()
	return tr, nil
}

// Start is what durations count from. It is known once the first event is read.
func (r *Reader) Start() time.Time { return r.start }

// Next is the next event, or io.EOF. A line with until and every is one event for each time.
func (r *Reader) Next() (Event, error) {
	if r.every > 0 {
		r.next.At = r.next.At.Add(r.every)
		if !r.next.At.After(r.until) {
			return r.next, nil
		}
		r.every = 0
	}
	line, err := r.readLine()
	if err != nil {
		return Event{}, err
	}
	if err := r.parse(line); err != nil {
		return Event{}, r.Fail(err)
	}
	return r.next, nil
}

// readLine is the next line that is not blank.
func (r *Reader) readLine() ([]byte, error) {
	for r.lines.Scan() {
		r.line++
		if line := bytes.TrimSpace(r.lines.Bytes()); len(line) > 0 {
			return line, nil
		}
	}
	if err := r.lines.Err(); err != nil {
		r.line++
		return nil, r.Fail(err)
	}
	return nil, io.EOF
}

// Fail is err with the number of the line that was read last.
func (r *Reader) Fail(err error) error { return fmt.Errorf("line %d: %w", r.line, err) }

type eventJSON struct {
	At       *string         `json:"at"`
	Until    string          `json:"until,omitempty"`
	Every    settings.Span   `json:"every,omitzero"`
	ID       string          `json:"id,omitempty"`
	Observe  json.RawMessage `json:"observe,omitempty"`
	Record   json.RawMessage `json:"record,omitempty"`
	Decision *Decision       `json:"decision,omitempty"`
	Error    string          `json:"error,omitempty"`
}

func (r *Reader) parse(line []byte) error {
	var in eventJSON
	if err := settings.Unmarshal(line, &in); err != nil {
		return err
	}
	if in.At == nil {
		return errors.New("at: missing")
	}
	if (in.Observe == nil) == (in.Record == nil) {
		return errors.New("want either observe or record")
	}
	if in.Observe != nil && in.Observe[0] != '{' {
		return fmt.Errorf("observe: not a JSON object: %.20s", in.Observe)
	}
	if in.Record != nil && in.Record[0] != '{' {
		return fmt.Errorf("record: not a JSON object: %.20s", in.Record)
	}
	at, err := r.time(*in.At)
	if err != nil {
		return fmt.Errorf("at: %w", err)
	}
	observe, err := r.resolve(in.Observe)
	if err != nil {
		return fmt.Errorf("observe: %w", err)
	}
	r.next = Event{At: at, ID: in.ID, Observe: observe, Record: in.Record, Line: r.line}
	return r.repeat(in)
}

// repeat takes up until and every.
func (r *Reader) repeat(in eventJSON) error {
	every := time.Duration(in.Every)
	switch {
	case in.Until == "" && every == 0:
		return nil
	case in.Until == "" || every <= 0:
		return fmt.Errorf("until %q, every %v: want both, and every above 0", in.Until, every)
	}
	until, err := r.time(in.Until)
	if err != nil {
		return fmt.Errorf("until: %w", err)
	}
	if until.Before(r.next.At) {
		return fmt.Errorf("until: %s lies before at", in.Until)
	}
	if n := until.Sub(r.next.At) / every; n >= mostRepeats {
		return fmt.Errorf("every: %v gives %d events, above %d", every, n+1, mostRepeats)
	}
	r.until, r.every = until, every
	return nil
}

// time reads a duration from the start or a time in RFC 3339. The first one read settles the start, if the header did
// not.
func (r *Reader) time(text string) (time.Time, error) {
	d, notDuration := time.ParseDuration(text)
	at, err := time.Parse(time.RFC3339Nano, text)
	switch {
	case notDuration != nil && err != nil:
		return time.Time{}, fmt.Errorf(`%q is neither a duration such as "90s" nor an RFC 3339 time`, text)
	case r.begun:
	case notDuration == nil:
		r.start = DefaultStart
	default:
		r.start = at
	}
	r.begun = true
	if notDuration == nil {
		return r.start.Add(d), nil
	}
	return at, nil
}

// resolve puts the durations in the time fields of an observation into RFC 3339.
func (r *Reader) resolve(observe json.RawMessage) (json.RawMessage, error) {
	if observe == nil || len(r.times) == 0 {
		return observe, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(observe, &fields); err != nil {
		return nil, fmt.Errorf("not a JSON object: %w", err)
	}
	changed := false
	for _, name := range r.times {
		var text string
		if json.Unmarshal(fields[name], &text) != nil {
			continue
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			continue // a word, or a time already
		}
		if fields[name], err = json.Marshal(r.start.Add(d)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		changed = true
	}
	if !changed {
		return observe, nil
	}
	return json.Marshal(fields)
}
