package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

type emitter = func(replay.Line) error

// jsonLines prints each line as JSON.
func jsonLines(w io.Writer) emitter {
	enc := json.NewEncoder(w)
	return func(l replay.Line) error { return enc.Encode(l) }
}

// tableRows prints each line as a row with the kernel's explanation, which begins with the reason.
func tableRows(w io.Writer) emitter {
	const row = "%12s  %-10s %-14s %12s  %s\n"
	begun := false
	return func(l replay.Line) error {
		if !begun {
			begun = true
			fmt.Fprintf(w, row, "AT", "ID", "ACTION", "NEXT", "WHY")
		}
		id, next := l.ID, "-"
		if id == "" {
			id = "-"
		}
		if l.Next != nil {
			next = time.Duration(*l.Next).String()
		}
		_, err := fmt.Fprintf(w, row, time.Duration(l.At), id, l.Action, next, l.Why)
		return err
	}
}

// changesOnly passes on the lines on which something is to be done, or on which the reason is another than before.
func changesOnly(emit emitter) emitter {
	last := map[string]string{}
	return func(l replay.Line) error {
		verdict := fmt.Sprint(l.Reason, l.Late, l.Live != nil && *l.Live)
		before, seen := last[l.ID]
		last[l.ID] = verdict
		if seen && before == verdict && l.Action == replay.ActionNone && l.Attempt == nil { // each attempt draws a delay
			return nil
		}
		return emit(l)
	}
}
