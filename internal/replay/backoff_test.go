package replay_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/internal/replay"
)

// runBackoff replays lines and gives the output as it is printed.
func runBackoff(t *testing.T, lines ...string) []string {
	t.Helper()
	var got []string
	err := replay.Run(strings.NewReader(strings.Join(lines, "\n")), nil, func(l replay.Line) error {
		text, err := json.Marshal(l)
		got = append(got, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestBackoff has a line of output for each record.
func TestBackoff(t *testing.T) {
	want(t, runBackoff(t, `{"kernel":"backoff","config":{"max_retries":2},"act":"fail","act_takes":"1h"}`,
		`{"at":"0s","record":{"ok":false}}`,
		`{"at":"1s","record":{"ok":false,"retry_after":"30s"}}`,
		`{"at":"31s","record":{"ok":false}}`,
		`{"at":"40s","record":{}}`),
		`{"at":"0s","action":"none","reason":"backoff","next":"1s","attempt":1,"delay":"1s","exhausted":false}`,
		`{"at":"1s","action":"none","reason":"retry_after","next":"31s","attempt":2,"delay":"30s","exhausted":false}`,
		`{"at":"31s","action":"none","reason":"max_retries","attempt":3,"delay":"0s","exhausted":true}`,
		`{"at":"40s","action":"none","reason":"ok","attempt":0,"delay":"0s","exhausted":false}`)
}

// TestTheIDIsTheKey draws for each id as the fleet's kernel would, and for none with the key of the configuration.
func TestTheIDIsTheKey(t *testing.T) {
	k, err := backoff.New(backoff.Config{Jitter: backoff.JitterFull, Key: "own"})
	if err != nil {
		t.Fatal(err)
	}
	delays := map[string]time.Duration{}
	err = replay.Run(strings.NewReader(`{"kernel":"backoff","config":{"jitter":"full","key":"own"}}
{"at":"0s","record":{"ok":false}}
{"at":"0s","id":"a","record":{"ok":false}}
{"at":"0s","id":"b","record":{"ok":false}}`), nil, func(l replay.Line) error {
		delays[l.ID] = time.Duration(*l.Delay)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, key := range map[string]string{"": "own", "a": "a", "b": "b"} {
		if want := k.Delay(1, backoff.Key(key)); delays[id] != want {
			t.Errorf("id %q waits %v, want %v", id, delays[id], want)
		}
	}
}

// TestBackoffGoesOnFromAState, for each id from the same one, and repeats a line.
func TestBackoffGoesOnFromAState(t *testing.T) {
	want(t, runBackoff(t,
		`{"kernel":"backoff","state":{"version":1,"last":"2026-01-01T00:00:00Z","first":"2026-01-01T00:00:00Z","delay":"2s","failures":2,"reason":"backoff"}}`,
		`{"at":"0s","until":"10s","every":"10s","id":"a","record":{"ok":false}}`,
		`{"at":"20s","id":"b","record":{"ok":false}}`),
		`{"at":"0s","id":"a","action":"none","reason":"backoff","next":"4s","attempt":3,"delay":"4s","exhausted":false}`,
		`{"at":"10s","id":"a","action":"none","reason":"backoff","next":"18s","attempt":4,"delay":"8s","exhausted":false}`,
		`{"at":"20s","id":"b","action":"none","reason":"backoff","next":"24s","attempt":3,"delay":"4s","exhausted":false}`)
}
