package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const never = "testdata/cases/gateway-table-never.jsonl"

func TestActionsPrintsWhatIsDecidedOrChanges(t *testing.T) {
	all, actions := replayed(t, never), replayed(t, "-actions", never)
	if len(all) != 90 {
		t.Errorf("%d lines in all", len(all))
	}
	var got []string
	for _, l := range actions {
		got = append(got, l.Reason)
	}
	want := "handshake_pending tunnel_silent force_wait tunnel_silent force_wait tunnel_silent force_wait tunnel_silent force_wait"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestConfigReplaysUnderAnother(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.json")
	write(t, path, `{"handshake_timeout":"400s"}`)
	var forced []string
	for _, l := range replayed(t, "-config", path, never) {
		if l.Action == "force_refresh" {
			forced = append(forced, seconds(time.Duration(l.At)))
		}
	}
	if strings.Join(forced, " ") != "400s 800s" {
		t.Errorf("forced at %v", forced)
	}
}

func TestAPersonReadsATable(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-actions", never}, nil, &out, true); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if !strings.Contains(lines[0], "ACTION") || !strings.Contains(lines[2], "force_refresh") ||
		!strings.Contains(lines[2], "tunnel_silent: silent for 3m0s, limit 3m0s; rebuild the tunnel now") {
		t.Errorf("got:\n%s", &out)
	}
}

func TestDashIsStandardInput(t *testing.T) {
	text, err := os.ReadFile(never)
	if err != nil {
		t.Fatal(err)
	}
	var fromFile, fromInput bytes.Buffer
	if err := errors.Join(run([]string{never}, nil, &fromFile, false), run([]string{"-"}, bytes.NewReader(text), &fromInput, false)); err != nil {
		t.Fatal(err)
	}
	if fromFile.String() != fromInput.String() || fromFile.Len() == 0 {
		t.Error("the file and standard input give different output")
	}
}

// TestErrorsNameFileLineAndField reads bad traces.
func TestErrorsNameFileLineAndField(t *testing.T) {
	const head = `{"kernel":"gateway"}` + "\n"
	for _, row := range []struct{ trace, want string }{
		{``, "line 1: the trace is empty, want a header"},
		{`{"kernel":"toaster"}`, `line 1: header: kernel: "toaster" is none of backoff, gateway`},
		{`{"kernel":"gateway","config":{"poll_interval":"-1s"}}`, "line 1: header: config: gateway: poll_interval: -1s is not above 0"},
		{head + `{"at":"0s","observe":{"config":"lost"}}`, `line 2: observe: config: "lost" is none of unknown, absent, present`},
		{head + `{"at":"0s","observe":{},"mood":"good"}`, `line 2: json: unknown field "mood"`},
		{head + "\n" + `{"at":"soon","observe":{}}`, `line 3: at: "soon" is neither a duration such as "90s" nor an RFC 3339 time`},
		{head + `{"at":"0s","record":{"action":"dance"}}`, `line 2: record: action: "dance" is none of none, register`},
		{head + `{"at":"0s"`, "line 2: "},
	} {
		path := filepath.Join(t.TempDir(), "bad.jsonl")
		write(t, path, row.trace)
		err := run([]string{path}, nil, &bytes.Buffer{}, false)
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+row.want) {
			t.Errorf("%q: got %v, want %s", row.trace, err, row.want)
		}
	}
	if err := run([]string{"no such file"}, nil, &bytes.Buffer{}, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := run([]string{"-config", "no such file", never}, nil, &bytes.Buffer{}, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"a", "b"}} {
		if err := run(args, nil, &bytes.Buffer{}, false); !errors.Is(err, flag.ErrHelp) {
			t.Errorf("%v: got %v", args, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
