package replay_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

// run replays lines, under another configuration if there is one, and gives each line of output in short:
// "at action reason", with " id" in front and " >next" behind where there are such.
func run(t *testing.T, config string, lines ...string) []string {
	t.Helper()
	var got []string
	var override json.RawMessage
	if config != "" {
		override = json.RawMessage(config)
	}
	err := replay.Run(strings.NewReader(strings.Join(lines, "\n")), override, func(l replay.Line) error {
		got = append(got, short(l))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func short(l replay.Line) string {
	text := fmt.Sprintf("%v %s %s", time.Duration(l.At), l.Action, l.Reason)
	if l.ID != "" {
		text = l.ID + " " + text
	}
	if l.Next != nil {
		text += fmt.Sprintf(" >%v", time.Duration(*l.Next))
	}
	return text
}

// want compares the output line by line.
func want(t *testing.T, got []string, lines ...string) {
	t.Helper()
	for i := range max(len(got), len(lines)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(lines) {
			w = lines[i]
		}
		if g != w {
			t.Errorf("line %d: got %s, want %s", i+1, g, w)
		}
	}
}

// absent is a look that finds no configuration, at a time.
func absent(at string) string { return fmt.Sprintf(`{"at":%q,"observe":{"config":"absent"}}`, at) }

// absentAt are such looks of something with an id.
func absentAt(id string, times ...string) []string {
	lines := make([]string, len(times))
	for i, at := range times {
		lines[i] = fmt.Sprintf(`{"at":%q,"id":%q,"observe":{"config":"absent"}}`, at, id)
	}
	return lines
}

// gatewayHeader has the keys given beside the kernel's name.
func gatewayHeader(keys string) string { return `{"kernel":"gateway"` + keys + `}` }
