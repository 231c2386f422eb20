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

// TestActionsPrintsEveryAttempt: each has a delay of its own.
func TestActionsPrintsEveryAttempt(t *testing.T) {
	if got := len(replayed(t, "-actions", "testdata/cases/backoff-schedule.jsonl")); got != 6 {
		t.Errorf("%d lines", got)
	}
}

// TestActionsPrintsWhoIsLate: the loop for whose sake the ping is withheld is part of what is decided.
func TestActionsPrintsWhoIsLate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "late.jsonl")
	write(t, path, `{"kernel":"watchdog","config":{"timeout":"60s","sources":[{"name":"a","budget":"5s"},{"name":"b","budget":"8s"}]}}
{"at":"0s","observe":{"beat":"b"}}
{"at":"6s","observe":{}}
{"at":"9s","observe":{"beat":"a"}}`)
	var late []string
	for _, l := range replayed(t, "-actions", path) {
		late = append(late, l.Late)
	}
	if strings.Join(late, ",") != ",a,b" {
		t.Errorf("late are %q", late)
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
		{`{"kernel":"gateway","config":{"poll_interval":"-1s"}}`, "line 1: header: config: gateway: poll_interval: -1s is below 1ms"},
		{head + `{"at":"0s","observe":{"config":"lost"}}`, `line 2: observe: config: "lost" is none of unknown, absent, present`},
		{head + `{"at":"0s","observe":{},"mood":"good"}`, `line 2: mood: unknown key`},
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
	path := filepath.Join(t.TempDir(), "busy.jsonl")
	write(t, path, `{"kernel":"gateway","act_takes":"60s"}
{"at":"0s","observe":{"config":"absent"}}
{"at":"10s","observe":{"config":"absent","mood":"good"}}`)
	if err := run([]string{path}, nil, &bytes.Buffer{}, false); err == nil || !strings.HasSuffix(err.Error(), "line 3: observe: mood: unknown key") {
		t.Errorf("a line that is passed over: got %v", err)
	}
	if err := run([]string{"no such file"}, nil, &bytes.Buffer{}, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	if err := run([]string{"-config", "no such file", never}, nil, &bytes.Buffer{}, false); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestUsage(t *testing.T) {
	if err := run([]string{"-h"}, nil, &bytes.Buffer{}, false); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v", err)
	}
	for _, args := range [][]string{{}, {"a", "b"}} {
		if err := run(args, nil, &bytes.Buffer{}, false); !errors.Is(err, errUsage) {
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
