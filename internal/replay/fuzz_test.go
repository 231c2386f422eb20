package replay_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

var errEnough = errors.New("enough")

// FuzzRun replays any bytes: it ends, each line of output is whole, and each error names its line.
func FuzzRun(f *testing.F) {
	for _, seed := range []string{
		"",
		`{"kernel":"none"}`,
		gatewayHeader(`,"act":["fail","ok"],"act_takes":"15s"`) + "\n" + absent("0s") + "\n" + absent("10s") + "\n" + absent("-1h"),
		gatewayHeader(`,"config":{"max_gap":"-1s"}`) + "\n" + `{"at":"0s","until":"900s","every":"10s","observe":{"config":"present","handshake":"never"}}`,
		gatewayHeader("") + "\n" + `{"at":"0s","observe":{"config":"present","handshake":"-2562047h"}}` + "\n" + absent("2562047h"),
		gatewayHeader("") + "\n" + `{"at":"9999-12-31T23:59:59Z","observe":{"config":"present","handshake":"2562047h"}}`,
		`{"kernel":"backoff","config":{"jitter":"full","max":"2562047h"}}` + "\n" + `{"at":"0s","until":"50s","every":"1s","id":"a","record":{"ok":false}}`,
		`{"kernel":"backoff","state":{"version":1,"reason":"fresh"}}` + "\n" + `{"at":"0001-01-01T00:00:00Z","record":null}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := 0
		err := replay.Run(strings.NewReader(text), nil, func(l replay.Line) error {
			if lines++; lines > 1000 {
				return errEnough
			}
			if l.Action == "" || l.Reason == "" || l.Why == "" {
				t.Fatalf("not a line: %+v", l)
			}
			_, err := json.Marshal(l)
			return err
		})
		if err != nil && !errors.Is(err, errEnough) && !strings.HasPrefix(err.Error(), "line ") {
			t.Fatalf("no line is named: %v", err)
		}
	})
}
