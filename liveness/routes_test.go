package liveness_test

import (
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// prefixes parses the words of text.
func prefixes(text string) (list []netip.Prefix) {
	for word := range strings.FieldsSeq(text) {
		list = append(list, netip.MustParsePrefix(word))
	}
	return list
}

// claims reads claimants such as "A10 10.0.0.0/16 | -B20 10.0.0.0/16": a name of one letter, a metric, and routes, with
// a minus in front of one that is dead.
func claims(text string) (list []liveness.Claimant) {
	for claim := range strings.SplitSeq(text, "|") {
		name, routes, _ := strings.Cut(strings.TrimSpace(claim), " ")
		if name == "" {
			continue
		}
		name, dead := strings.CutPrefix(name, "-")
		c := liveness.Claimant{ID: name[:1], Live: !dead, Routes: prefixes(routes)}
		_, _ = fmt.Sscan(name[1:], &c.Metric) // without a number it stays 0
		list = append(list, c)
	}
	return list
}

// owners reads such as "10.0.0.0/16 A 10.1.0.0/16 B".
func owners(text string) liveness.Owners {
	o := liveness.Owners{}
	for words := strings.Fields(text); len(words) > 0; words = words[2:] {
		o[netip.MustParsePrefix(words[0])] = words[1]
	}
	return o
}

// plan is PlanRoutes of what must not fail, after owners that are installed as they are.
func plan(t failer, claimants []liveness.Claimant, before liveness.Owners, unreachable bool) liveness.Plan {
	t.Helper()
	p, err := liveness.PlanRoutes(claimants, before, before, unreachable)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// words are the changes of a plan.
func words(p liveness.Plan) string {
	list := make([]string, len(p.Changes))
	for i, c := range p.Changes {
		list[i] = c.String()
	}
	return strings.Join(list, "; ")
}

// story is a sequence of claims, each planned after the one before, and what each changes.
type story struct {
	name  string
	steps [][2]string
}

// stories are those of the known failures whose number is in front, and more.
var stories = []story{
	{"M01 the owner dies, and each time the other takes over", [][2]string{
		{"A10 10.0.0.0/16 | B10 10.0.0.0/16", "install 10.0.0.0/16 to A"},
		{"-A10 10.0.0.0/16 | B10 10.0.0.0/16", "move 10.0.0.0/16 from A to B"},
		{"A10 10.0.0.0/16 | B10 10.0.0.0/16", ""},
		{"A10 10.0.0.0/16 | -B10 10.0.0.0/16", "move 10.0.0.0/16 from B to A"},
		{"-A10 10.0.0.0/16 | -B10 10.0.0.0/16", "withdraw 10.0.0.0/16 from A"},
		{"-A10 10.0.0.0/16 | B10 10.0.0.0/16", "install 10.0.0.0/16 to B"},
	}},
	{"M02 M05 a live owner keeps its prefix from a better one", [][2]string{
		{"-A10 10.0.0.0/16 | B20 10.0.0.0/16", "install 10.0.0.0/16 to B"},
		{"A10 10.0.0.0/16 | B20 10.0.0.0/16", ""},
		{"A-5 10.0.0.0/16 | B20 10.0.0.0/16", ""},
	}},
	{"M04 all dead, and only the one that comes back is chosen", [][2]string{
		{"A 10.0.0.0/16 | B 10.0.0.0/16 | C 10.0.0.0/16", "install 10.0.0.0/16 to A"},
		{"-A 10.0.0.0/16 | -B 10.0.0.0/16 | -C 10.0.0.0/16", "withdraw 10.0.0.0/16 from A"},
		{"-A 10.0.0.0/16 | -B 10.0.0.0/16 | C 10.0.0.0/16", "install 10.0.0.0/16 to C"},
	}},
	{"M11 a dead peer's claim survives it, and its death takes nothing of others", [][2]string{
		{"A 10.0.0.0/16 | B 10.0.0.0/16 10.1.0.0/16", "install 10.0.0.0/16 to A; install 10.1.0.0/16 to B"},
		{"-A 10.0.0.0/16 | B 10.0.0.0/16 10.1.0.0/16", "move 10.0.0.0/16 from A to B"},
		{"-A 10.0.0.0/16 | -B 10.0.0.0/16 10.1.0.0/16", "withdraw 10.0.0.0/16 from B; withdraw 10.1.0.0/16 from B"},
		{"A 10.0.0.0/16 | -B 10.0.0.0/16 10.1.0.0/16", "install 10.0.0.0/16 to A"},
	}},
	{"M13 M25 a live owner that claims no longer loses it", [][2]string{
		{"A 10.0.0.0/16 | B 10.0.0.0/16", "install 10.0.0.0/16 to A"},
		{"A | B 10.0.0.0/16", "move 10.0.0.0/16 from A to B"},
		{"A 10.0.0.0/16 | B", "move 10.0.0.0/16 from B to A"},
		{"A | B", "withdraw 10.0.0.0/16 from A"},
		{"", ""},
	}},
	{"M14 nobody lives: a withdrawal, and no move to nobody", [][2]string{
		{"A 10.0.0.0/16", "install 10.0.0.0/16 to A"},
		{"-A 10.0.0.0/16", "withdraw 10.0.0.0/16 from A"},
		{"-A 10.0.0.0/16", ""},
	}},
	{"the broader prefix of a live peer carries on", [][2]string{
		{"A 10.0.0.0/24 | B 10.0.0.0/16", "install 10.0.0.0/16 to B; install 10.0.0.0/24 to A"},
		{"-A 10.0.0.0/24 | B 10.0.0.0/16", "withdraw 10.0.0.0/24 from A, 10.0.0.0/16 carries on"},
		{"-A 10.0.0.0/24 | -B 10.0.0.0/16", "withdraw 10.0.0.0/16 from B"},
		{"A 10.0.0.0/24 | B 10.0.0.0/16", "install 10.0.0.0/16 to B; install 10.0.0.0/24 to A"},
	}},
	{"the lowest metric, and of those the lowest id", [][2]string{
		{"C5 10.0.0.0/16 | B10 10.0.0.0/16 | -A1 10.0.0.0/16", "install 10.0.0.0/16 to C"},
		{"-C5 10.0.0.0/16 | D10 10.0.0.0/16 | B10 10.0.0.0/16", "move 10.0.0.0/16 from C to B"},
		{"-C5 10.0.0.0/16 | D-1 10.0.0.0/16 | -B10 10.0.0.0/16", "move 10.0.0.0/16 from B to D"},
	}},
	{"host bits are cut off, and duplicates are one", [][2]string{
		{"A 10.0.0.7/16 10.0.0.0/16 10.0.255.255/16", "install 10.0.0.0/16 to A"},
		{"-A 10.0.0.8/16 | B 10.0.1.1/16", "move 10.0.0.0/16 from A to B"},
	}},
	{"both families, each for itself", [][2]string{
		{"A ::/0 0.0.0.0/0 fd00::1/64 | B fd00::/48", "install 0.0.0.0/0 to A; install ::/0 to A; install fd00::/48 to B; install fd00::/64 to A"},
		{"A ::/0 0.0.0.0/0 | -B fd00::/48 10.0.0.0/8", "withdraw fd00::/48 from B, ::/0 carries on; withdraw fd00::/64 from A, ::/0 carries on"},
		{"-A ::/0 0.0.0.0/0 | B ::/0", "move ::/0 from A to B; withdraw 0.0.0.0/0 from A"},
	}},
	{"the cover is the narrowest one that has an owner", [][2]string{
		{"A 10.1.2.0/24 | B 10.1.0.0/16 | C 10.0.0.0/8 | D 0.0.0.0/0", "install 0.0.0.0/0 to D; install 10.0.0.0/8 to C; install 10.1.0.0/16 to B; install 10.1.2.0/24 to A"},
		{"-A 10.1.2.0/24 | B 10.1.0.0/16 | C 10.0.0.0/8 | D 0.0.0.0/0", "withdraw 10.1.2.0/24 from A, 10.1.0.0/16 carries on"},
		{"A 10.1.2.0/24 | B 10.1.0.0/16 | C 10.0.0.0/8 | D 0.0.0.0/0", "install 10.1.2.0/24 to A"},
		{"-A 10.1.2.0/24 | -B 10.1.0.0/16 | C 10.0.0.0/8 | D 0.0.0.0/0", "withdraw 10.1.0.0/16 from B, 10.0.0.0/8 carries on; withdraw 10.1.2.0/24 from A, 10.0.0.0/8 carries on"},
		{"-A 10.1.2.0/24 | -B 10.1.0.0/16 | -C 10.0.0.0/8 | D 0.0.0.0/0", "withdraw 10.0.0.0/8 from C, 0.0.0.0/0 carries on"},
	}},
	{"installs and moves come before withdrawals", [][2]string{
		{"A 10.0.0.0/24 10.0.2.0/24", "install 10.0.0.0/24 to A; install 10.0.2.0/24 to A"},
		{"-A 10.0.0.0/24 10.0.2.0/24 | B 10.0.2.0/24 10.0.3.0/24", "move 10.0.2.0/24 from A to B; install 10.0.3.0/24 to B; withdraw 10.0.0.0/24 from A"},
	}},
}

func TestPlansInSequence(t *testing.T) {
	for _, story := range stories {
		t.Run(story.name, func(t *testing.T) {
			var before liveness.Owners
			for i, step := range story.steps {
				p := plan(t, claims(step[0]), before, false)
				if got := words(p); got != step[1] {
					t.Errorf("%d: got %q, want %q", i, got, step[1])
				}
				if p.Owners == nil || len(p.Unreachable) > 0 {
					t.Errorf("%d: got %+v", i, p)
				}
				before = p.Owners
			}
		})
	}
}

// TestATunnelAddressIsItsPeersOwn, live or dead, whoever else claims it.
func TestATunnelAddressIsItsPeersOwn(t *testing.T) {
	const own = "10.254.0.2/32"
	peers := claims("-A50 10.0.0.0/16 | B1 10.254.0.2/32 10.0.0.0/16")
	peers[0].Tunnel = prefixes("10.254.0.2/32 fd00::2/128")
	for range 2 {
		p := plan(t, peers, owners(own+" B"), true)
		if want := owners(own + " A fd00::2/128 A 10.0.0.0/16 B"); !reflect.DeepEqual(p.Owners, want) {
			t.Errorf("got %v", p.Owners)
		}
		if got := words(p); got != "install 10.0.0.0/16 to B; move 10.254.0.2/32 from B to A; install fd00::2/128 to A" {
			t.Errorf("got %s", got)
		}
		peers[0], peers[1] = peers[1], peers[0]
	}
	peers = peers[:1]
	p := plan(t, peers, owners(own+" A fd00::2/128 A 10.0.0.0/16 A"), false)
	if got := words(p); got != "withdraw 10.0.0.0/16 from A" {
		t.Errorf("a dead peer alone: %s", got)
	}
}

// TestWhatNothingCarriesIsUnreachable, where the plan is asked for that.
func TestWhatNothingCarriesIsUnreachable(t *testing.T) {
	before := owners("10.0.0.0/24 A 10.0.0.0/16 B 192.168.0.0/24 A")
	for _, row := range []struct{ claims, changes, unreachable string }{
		{"-A 10.0.0.0/24 192.168.0.0/24 | B 10.0.0.0/16", "withdraw 10.0.0.0/24 from A, 10.0.0.0/16 carries on; withdraw 192.168.0.0/24 from A, unreachable", "[192.168.0.0/24]"},
		{"A 10.0.0.0/24 192.168.0.0/24 | -B 10.0.0.0/16", "withdraw 10.0.0.0/16 from B, unreachable", "[10.0.0.0/16]"},
		{"-A 10.0.0.0/24 192.168.0.0/24 | -B 10.0.0.0/16", "withdraw 10.0.0.0/16 from B, unreachable; withdraw 10.0.0.0/24 from A, unreachable; withdraw 192.168.0.0/24 from A, unreachable", "[10.0.0.0/16 10.0.0.0/24 192.168.0.0/24]"},
		{"A 10.0.0.0/24 | B 10.0.0.0/16", "withdraw 192.168.0.0/24 from A", "[]"},
		{"A 10.0.0.0/24 192.168.0.0/24 | B 10.0.0.0/16 | -C 172.16.0.0/12", "", "[172.16.0.0/12]"},
	} {
		p := plan(t, claims(row.claims), before, true)
		if got := words(p); got != row.changes || fmt.Sprint(p.Unreachable) != row.unreachable {
			t.Errorf("%s: got %q and %v unreachable", row.claims, got, p.Unreachable)
		}
	}
}

// TestDriftIsRepaired: the changes are against what is installed, the owners go by the last plan.
func TestDriftIsRepaired(t *testing.T) {
	peers := claims("A10 10.0.0.0/16 10.1.0.0/16 | B5 10.0.0.0/16 | -C 10.2.0.0/16")
	last := owners("10.0.0.0/16 A 10.1.0.0/16 A")
	for _, row := range []struct{ installed, changes string }{
		{"10.0.0.0/16 A 10.1.0.0/16 A", ""},
		{"10.0.0.0/16 B 10.1.0.0/16 A", "move 10.0.0.0/16 from B to A"},
		{"10.0.0.0/16 A", "install 10.1.0.0/16 to A"},
		{"10.0.0.0/16 A 10.1.0.0/16 A 10.2.0.0/16 C", "withdraw 10.2.0.0/16 from C"},
		{"10.0.0.0/16 A 10.1.0.0/16 A 10.0.7.0/24 X", "withdraw 10.0.7.0/24 from X, 10.0.0.0/16 carries on"},
		{"", "install 10.0.0.0/16 to A; install 10.1.0.0/16 to A"},
	} {
		p, err := liveness.PlanRoutes(peers, last, owners(row.installed), false)
		if err != nil || words(p) != row.changes || !reflect.DeepEqual(p.Owners, last) {
			t.Errorf("%q is installed: got %q, owners %v, %v", row.installed, words(p), p.Owners, err)
		}
	}
}

// TestPlanErrorsNameTheClaimant, and all of them at once.
func TestPlanErrorsNameTheClaimant(t *testing.T) {
	peers := []liveness.Claimant{
		{ID: "A", Routes: []netip.Prefix{{}}},
		{ID: "B", Tunnel: []netip.Prefix{netip.PrefixFrom(netip.MustParseAddr("10.0.0.1"), 33)}},
		{ID: "B"},
		{},
	}
	p, err := liveness.PlanRoutes(peers, nil, nil, false)
	for _, want := range []string{`routes of "A": invalid Prefix is no prefix`, `routes of "B": `, `claimant "B": `, `claimant "": `} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	if p.Owners != nil || p.Changes != nil {
		t.Errorf("and yet a plan: %+v", p)
	}
}
