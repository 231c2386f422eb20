package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/replay"
)

// plan is a look at a site and an office, the site's prefix within the office's.
func plan(at string, site, office bool) string {
	return fmt.Sprintf(`{"at":%q,"observe":{"peers":[{"id":"site","live":%v,"routes":["10.0.7.9/24"]},{"id":"office","live":%v,"metric":5,"routes":["10.0.0.0/16"]}]}}`, at, site, office)
}

// TestRoutesTellOwnersAndChanges, and take each plan for installed.
func TestRoutesTellOwnersAndChanges(t *testing.T) {
	want(t, output(t, `{"kernel":"routes","config":{"unreachable":true}}`,
		plan("0s", true, true), plan("1s", true, true), plan("2s", false, true), plan("3s", false, false)),
		`{"at":"0s","action":"change","reason":"planned","owners":{"10.0.0.0/16":"office","10.0.7.0/24":"site"},"changes":[{"prefix":"10.0.0.0/16","to":"office"},{"prefix":"10.0.7.0/24","to":"site"}]}`,
		`{"at":"1s","action":"none","reason":"unchanged","owners":{"10.0.0.0/16":"office","10.0.7.0/24":"site"}}`,
		`{"at":"2s","action":"change","reason":"planned","owners":{"10.0.0.0/16":"office"},"changes":[{"prefix":"10.0.7.0/24","from":"site","cover":"10.0.0.0/16"}]}`,
		`{"at":"3s","action":"change","reason":"planned","owners":{},"changes":[{"prefix":"10.0.0.0/16","from":"office","unreachable":true}]}`)
}

// TestRoutesWithoutUnreachable is the default, with a configuration or without.
func TestRoutesWithoutUnreachable(t *testing.T) {
	for _, header := range []string{`{"kernel":"routes"}`, `{"kernel":"routes","config":{}}`, `{"kernel":"routes","config":{"unreachable":false}}`} {
		got := output(t, header, plan("0s", true, true), plan("1s", false, false))
		if len(got) != 2 || strings.Contains(got[1], "unreachable") || !strings.Contains(got[1], `"owners":{}`) {
			t.Errorf("%s: got %s", header, got)
		}
	}
}

// TestRoutesOfEachIDAreTheirOwn, and each change is told in words.
func TestRoutesOfEachIDAreTheirOwn(t *testing.T) {
	var got []string
	look := func(id, peer string) string {
		return fmt.Sprintf(`{"at":"0s","id":%q,"observe":{"peers":[{"id":%q,"live":true,"routes":["10.0.0.0/8"]}]}}`, id, peer)
	}
	err := replay.Run(strings.NewReader(strings.Join([]string{`{"kernel":"routes"}`, look("wg0", "A"), look("wg1", "B"), look("wg0", "A"), look("wg1", "C")}, "\n")), nil, func(l replay.Line) error {
		got = append(got, l.ID+": "+strings.TrimRight(l.Why, "; "))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, got, "wg0: install 10.0.0.0/8 to A", "wg1: install 10.0.0.0/8 to B", "wg0: nothing changes", "wg1: move 10.0.0.0/8 from B to C")
}

func TestRoutesErrorsNameLineAndField(t *testing.T) {
	const header = `{"kernel":"routes"}` + "\n"
	for text, prefix := range map[string]string{
		`{"kernel":"routes","config":{"x":1}}`:                                        "line 1: header: config: x: unknown key",
		header + `{"at":"0s","observe":{"x":1}}`:                                      `line 2: observe: x: unknown key`,
		header + `{"at":"0s","observe":{"peers":[{"id":"A"},{"id":"A"}]}}`:            `line 2: observe: liveness: claimant "A": `,
		header + `{"at":"0s","observe":{"peers":[{"routes":["10.0.0.0/8"]}]}}`:        `line 2: observe: liveness: claimant "": `,
		header + `{"at":"0s","observe":{"peers":[{"id":"A","routes":["10.0.0.0"]}]}}`: `line 2: observe: peers[0].routes: "10.0.0.0" is no prefix`,
		header + `{"at":"0s","record":{"action":"none"}}`:                             "line 2: record: a plan has no outcome",
	} {
		wantError(t, text, prefix)
	}
}
