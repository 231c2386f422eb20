package liveness_test

import (
	"fmt"
	"maps"
	"net/netip"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// drawPrefix draws one of few prefixes of either family, nested in each other, often with host bits.
func drawPrefix(t *rapid.T) netip.Prefix {
	base := rapid.SampledFrom([]string{"10.0.0.0", "10.0.0.129", "10.0.3.1", "172.16.0.0", "fd00::", "fd00::1:0:1", "::ffff:10.0.0.1"}).Draw(t, "address")
	addr := netip.MustParseAddr(base)
	return netip.PrefixFrom(addr, rapid.SampledFrom([]int{0, 8, 16, 24, 25, addr.BitLen()}).Draw(t, "bits"))
}

// drawClaimants draws peers, each with its own address in the tunnel.
func drawClaimants(t *rapid.T) (list []liveness.Claimant) {
	for i := range rapid.IntRange(0, 6).Draw(t, "peers") {
		c := liveness.Claimant{
			ID: fmt.Sprint("peer ", i), Live: rapid.Bool().Draw(t, "live"), Metric: rapid.IntRange(-1, 1).Draw(t, "metric"),
			Tunnel: []netip.Prefix{netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 32)},
		}
		for range rapid.IntRange(0, 5).Draw(t, "routes") {
			c.Routes = append(c.Routes, drawPrefix(t))
		}
		list = append(list, c)
	}
	return list
}

// drawOwners draws what was planned, or what somebody installed.
func drawOwners(t *rapid.T, name string) liveness.Owners {
	o := liveness.Owners{}
	for range rapid.IntRange(0, 8).Draw(t, name) {
		o[drawPrefix(t).Masked()] = fmt.Sprint("peer ", rapid.IntRange(0, 7).Draw(t, "owner"))
	}
	return o
}

// claimed says who claims what, and whose own each prefix is.
func claimed(list []liveness.Claimant) (claims map[netip.Prefix][]liveness.Claimant, own map[netip.Prefix]string) {
	claims, own = map[netip.Prefix][]liveness.Claimant{}, map[netip.Prefix]string{}
	for _, c := range list {
		for _, prefix := range c.Tunnel {
			own[prefix.Masked()] = c.ID
		}
		for _, prefix := range c.Routes {
			claims[prefix.Masked()] = append(claims[prefix.Masked()], c)
		}
	}
	return claims, own
}

// rightful is the owner by the rule, found the slow way.
func rightful(claims []liveness.Claimant, own, last string) string {
	if own != "" {
		return own
	}
	best := liveness.Claimant{}
	for _, c := range claims {
		switch {
		case c.Live && c.ID == last:
			return last
		case c.Live && (best.ID == "" || c.Metric < best.Metric || c.Metric == best.Metric && c.ID < best.ID):
			best = c
		}
	}
	return best.ID
}

// TestInvariant15EachPrefixHasItsRightfulOwner, and what nobody may own has none.
func TestInvariant15EachPrefixHasItsRightfulOwner(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, last := drawClaimants(t), drawOwners(t, "last")
		claims, own := claimed(list)
		want := liveness.Owners{}
		for prefix := range claims {
			want[prefix] = rightful(claims[prefix], own[prefix], last[prefix])
		}
		maps.Copy(want, own)
		maps.DeleteFunc(want, func(_ netip.Prefix, id string) bool { return id == "" })
		p, err := liveness.PlanRoutes(list, last, drawOwners(t, "installed"), rapid.Bool().Draw(t, "unreachable"))
		if err != nil || !reflect.DeepEqual(p.Owners, want) {
			t.Fatalf("got %v, %v, want %v", p.Owners, err, want)
		}
	})
}

// TestInvariant16ThePlanIsTheSameInAnyOrder of claimants and of their routes, and is made without changing them.
func TestInvariant16ThePlanIsTheSameInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, last, installed := drawClaimants(t), drawOwners(t, "last"), drawOwners(t, "installed")
		before := fmt.Sprint(list, last, installed)
		want, err := liveness.PlanRoutes(list, last, installed, true)
		if err != nil || fmt.Sprint(list, last, installed) != before {
			t.Fatalf("%v, and the arguments became %v %v %v", err, list, last, installed)
		}
		for i := range list {
			list[i].Routes = rapid.Permutation(list[i].Routes).Draw(t, "routes")
		}
		if got, err := liveness.PlanRoutes(rapid.Permutation(list).Draw(t, "order"), last, installed, true); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

// TestInvariant17ChangesLeadToThePlan from whatever is installed, installs and moves first, and then nothing is left.
func TestInvariant17ChangesLeadToThePlan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, last, installed := drawClaimants(t), drawOwners(t, "last"), drawOwners(t, "installed")
		p, err := liveness.PlanRoutes(list, last, installed, rapid.Bool().Draw(t, "unreachable"))
		if err != nil {
			t.Fatal(err)
		}
		withdrawing := false
		for _, c := range p.Changes {
			if c.From != installed[c.Prefix] || c.From == c.To {
				t.Fatalf("%v, but %q has it", c, installed[c.Prefix])
			}
			if withdrawing = withdrawing || c.To == ""; withdrawing != (c.To == "") {
				t.Fatalf("%v comes after a withdrawal", c)
			}
			if installed[c.Prefix] = c.To; c.To == "" {
				delete(installed, c.Prefix)
			}
		}
		if !reflect.DeepEqual(installed, p.Owners) {
			t.Fatalf("the changes lead to %v, the plan is %v", installed, p.Owners)
		}
		if again, err := liveness.PlanRoutes(list, p.Owners, installed, false); err != nil || len(again.Changes) > 0 || !reflect.DeepEqual(again.Owners, p.Owners) {
			t.Fatalf("planned again: %+v, %v", again, err)
		}
	})
}

// TestInvariant18WhatIsWithdrawnIsCoveredOrNamed: the cover is the narrowest broader prefix that has an owner, and a
// claimed prefix without owner or cover is unreachable where that was asked for.
func TestInvariant18WhatIsWithdrawnIsCoveredOrNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, asked := drawClaimants(t), rapid.Bool().Draw(t, "unreachable")
		p, err := liveness.PlanRoutes(list, nil, drawOwners(t, "installed"), asked)
		if err != nil {
			t.Fatal(err)
		}
		cover := func(of netip.Prefix) (narrowest netip.Prefix) {
			for prefix := range p.Owners {
				if prefix.Bits() < of.Bits() && prefix.Contains(of.Addr()) && (!narrowest.IsValid() || prefix.Bits() > narrowest.Bits()) {
					narrowest = prefix
				}
			}
			return narrowest
		}
		stranded := map[netip.Prefix]bool{}
		claims, _ := claimed(list)
		for prefix := range claims {
			if asked && p.Owners[prefix] == "" && !cover(prefix).IsValid() {
				stranded[prefix] = true
			}
		}
		for _, c := range p.Changes {
			if c.To == "" && (c.Cover != cover(c.Prefix) || c.Unreachable != stranded[c.Prefix]) || c.To != "" && (c.Cover.IsValid() || c.Unreachable) {
				t.Fatalf("%+v, cover %v, stranded %v", c, cover(c.Prefix), stranded)
			}
		}
		for _, prefix := range p.Unreachable {
			if !stranded[prefix] {
				t.Fatalf("%v is taken for unreachable, want %v", prefix, stranded)
			}
			delete(stranded, prefix)
		}
		if len(stranded) > 0 {
			t.Fatalf("%v are not named", stranded)
		}
	})
}
