package trace_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/trace"
)

// FuzzReader reads any bytes as a trace: it ends, each event is whole, and each error names its line.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{
		"",
		"\n\nx",
		header + looked("0s"),
		header + looked("2026-03-01T12:00:00+01:00") + "\n\n" + `{"at":"-1h","id":"a","record":{"ok":false},"error":"x"}`,
		header + `{"at":"0s","until":"1s","every":"100ms","observe":{"seen":"2s"}}`,
		header + `{"at":"9999-12-31T23:59:59Z","until":"2562047h","every":"2562047h","observe":{"seen":"2562047h"}}`,
		`{"kernel":"k","act":["ok","fail"],"act_takes":"1s","start":"1970-01-01T00:00:00Z"}` + "\n" + looked("-2562047h"),
		header + `{"at":"0s","observe":null}` + "\n" + `{"at":"0s","record":null}` + "\n" + `null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := trace.NewReader(strings.NewReader(text), seenTimes)
		for range 1000 {
			if err == nil {
				var e trace.Event
				if e, err = r.Next(); err == nil && ((e.Observe == nil) == (e.Record == nil) || e.Line < 2) {
					t.Fatalf("not an event: %+v", e)
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil && !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("no line is named: %v", err)
			}
		}
	})
}
