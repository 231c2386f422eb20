package liveness

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
)

// Claimant is a peer that claims routes.
type Claimant struct {
	// ID tells the peers apart. It must not be empty.
	ID string
	// Live is the verdict on the peer.
	Live bool
	// Metric decides among live claimants of one prefix: the lowest has it, the lowest ID where metrics are equal.
	Metric int
	// Routes are the prefixes that the peer claims. Bits behind the prefix are cut off, and duplicates are one.
	Routes []netip.Prefix
	// Tunnel are the peer's own addresses inside the tunnel, each a prefix of a single address that no other peer has.
	// They are its own, live or dead: without them a peer could never come back.
	Tunnel []netip.Prefix
}

// Owners says which peer each prefix goes to. A prefix without an owner is not in it.
type Owners map[netip.Prefix]string

// Change is one difference between what is installed and what is wanted.
type Change struct {
	// Prefix is the route that changes.
	Prefix netip.Prefix `json:"prefix"`
	// From is the peer that has it now, empty for none.
	From string `json:"from,omitempty"`
	// To is the peer that is to have it, empty for none.
	To string `json:"to,omitempty"`
	// Cover is the prefix that carries the traffic of one that is withdrawn, if a live peer owns a broader one.
	Cover netip.Prefix `json:"cover,omitzero"`
	// Unreachable says that the prefix gets an unreachable route, since nothing carries its traffic and it must not
	// leave in the clear.
	Unreachable bool `json:"unreachable,omitempty"`
}

// Plan is who is to own what, and what has to change for it.
type Plan struct {
	// Owners is the owner of each prefix that has one.
	Owners Owners
	// Changes lists installs and moves first, withdrawals last, each by prefix: so no traffic is without a route that
	// could have one. A move is one change, not a withdrawal and an install.
	Changes []Change
	// Unreachable lists the prefixes that nothing carries, where the plan was asked for that.
	Unreachable []netip.Prefix
}

// PlanRoutes decides who owns each prefix, and what to change against what is installed. As in WireGuard a prefix has one
// owner: the one of the last plan while that is live and claims it, else the live claimant with the lowest metric, and
// of those the lowest id. One without a live claimant is withdrawn, so that a broader prefix of a live peer carries its
// traffic. With unreachable set, prefixes that nothing carries get an unreachable route.
//
// It is pure: the last plan's Owners and what is installed are arguments, so that a change made by others is repaired by
// the next plan. The error names every claimant that can't be planned for.
func PlanRoutes(claimants []Claimant, last, installed Owners, unreachable bool) (Plan, error) {
	claims, err := index(claimants)
	if err != nil {
		return Plan{}, err
	}
	last, installed = last.masked(), installed.masked()
	plan := Plan{Owners: Owners{}}
	for prefix, rivals := range claims {
		if owner := elect(rivals, last[prefix]); owner != "" {
			plan.Owners[prefix] = owner
		}
	}
	plan.change(claims, installed, unreachable)
	return plan, nil
}

// masked is o with host bits cut off, as plans have it.
func (o Owners) masked() Owners {
	masked := make(Owners, len(o))
	for prefix, owner := range o {
		masked[prefix.Masked()] = owner
	}
	return masked
}

// claim is one peer's claim on one prefix.
type claim struct {
	id     string
	live   bool
	metric int
	own    bool // it is the peer's own address
}

// index lists the claims on each prefix.
func index(claimants []Claimant) (map[netip.Prefix][]claim, error) {
	claims := map[netip.Prefix][]claim{}
	seen := map[string]bool{}
	var problems []error
	add := func(c Claimant, prefixes []netip.Prefix, own bool) {
		for _, prefix := range prefixes {
			if !prefix.IsValid() {
				problems = append(problems, fmt.Errorf("liveness: routes of %q: %v is no prefix", c.ID, prefix))
				continue
			}
			if own && (!prefix.IsSingleIP() || slices.ContainsFunc(claims[prefix], func(c claim) bool { return c.own })) {
				problems = append(problems, fmt.Errorf("liveness: tunnel of %q: %v is not an address of this peer alone", c.ID, prefix))
			}
			prefix = prefix.Masked()
			claims[prefix] = append(claims[prefix], claim{c.ID, c.Live, c.Metric, own})
		}
	}
	for _, c := range claimants {
		if c.ID == "" || seen[c.ID] {
			problems = append(problems, fmt.Errorf("liveness: claimant %q: its id is empty or there twice", c.ID))
		}
		seen[c.ID] = true
		add(c, c.Tunnel, true)
		add(c, c.Routes, false)
	}
	return claims, errors.Join(problems...)
}

// elect is the owner among rivals, empty for none.
func elect(rivals []claim, last string) string {
	best := -1
	for i, c := range rivals {
		switch {
		case c.own:
			return c.id
		case !c.live:
		case c.id == last:
			best = i
		case best < 0 || rivals[best].id != last && c.before(rivals[best]):
			best = i
		}
	}
	if best < 0 {
		return ""
	}
	return rivals[best].id
}

// before says that c comes before other in an election.
func (c claim) before(other claim) bool {
	return cmp.Or(cmp.Compare(c.metric, other.metric), cmp.Compare(c.id, other.id)) < 0
}

// change lists what differs from what is installed.
func (p *Plan) change(claims map[netip.Prefix][]claim, installed Owners, unreachable bool) {
	var withdrawals []Change
	for _, prefix := range slices.SortedFunc(maps.Keys(claims), comparePrefixes) {
		from, to := installed[prefix], p.Owners[prefix]
		if to != "" {
			if from != to {
				p.Changes = append(p.Changes, Change{Prefix: prefix, From: from, To: to})
			}
			continue
		}
		cover := p.cover(prefix)
		stranded := unreachable && !cover.IsValid()
		if stranded {
			p.Unreachable = append(p.Unreachable, prefix)
		}
		if from != "" {
			withdrawals = append(withdrawals, Change{Prefix: prefix, From: from, Cover: cover, Unreachable: stranded})
		}
	}
	for _, prefix := range slices.SortedFunc(maps.Keys(installed), comparePrefixes) {
		if _, claimed := claims[prefix]; !claimed { // nobody claims it any more
			withdrawals = append(withdrawals, Change{Prefix: prefix, From: installed[prefix], Cover: p.cover(prefix)})
		}
	}
	p.Changes = append(p.Changes, withdrawals...)
}

// cover is the narrowest prefix around this one that has an owner, invalid for none.
func (p *Plan) cover(prefix netip.Prefix) netip.Prefix {
	for bits := prefix.Bits() - 1; bits >= 0; bits-- {
		wider, err := prefix.Addr().Prefix(bits)
		if err != nil {
			break
		}
		if p.Owners[wider] != "" {
			return wider
		}
	}
	return netip.Prefix{}
}

func comparePrefixes(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}

// String says the change in words.
func (c Change) String() string {
	switch {
	case c.From == "":
		return fmt.Sprintf("install %v to %s", c.Prefix, c.To)
	case c.To != "":
		return fmt.Sprintf("move %v from %s to %s", c.Prefix, c.From, c.To)
	case c.Cover.IsValid():
		return fmt.Sprintf("withdraw %v from %s, %v carries on", c.Prefix, c.From, c.Cover)
	case c.Unreachable:
		return fmt.Sprintf("withdraw %v from %s, unreachable", c.Prefix, c.From)
	}
	return fmt.Sprintf("withdraw %v from %s", c.Prefix, c.From)
}
