package liveness_test

import (
	"encoding/json"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// TestADisabledKernelLeavesAStateThatCanBeRead steps a peer that had died under another mode.
func TestADisabledKernelLeavesAStateThatCanBeRead(t *testing.T) {
	passive, err := liveness.New(liveness.Config{Mode: liveness.ModePassive})
	if err != nil {
		t.Fatal(err)
	}
	disabled, err := liveness.New(liveness.Config{Mode: liveness.ModeDisabled})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, d := passive.Step(liveness.State{}, liveness.Observation{Known: true}, now)
	if d.Live {
		t.Fatal("it lives")
	}
	s, d = disabled.Step(s, liveness.Observation{Known: true}, now)
	text, err := json.Marshal(s)
	if err != nil || !d.Live {
		t.Fatal(d, err)
	}
	if err := json.Unmarshal(text, &s); err != nil {
		t.Error(err)
	}
}

// TestTheLongestWindowIsNoOverflow takes what Validate lets through, and no more.
func TestTheLongestWindowIsNoOverflow(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for _, cfg := range []liveness.Config{
		{Mode: liveness.ModePassive, FailureCount: 255, Keepalive: year / 256},
		{Mode: liveness.ModePassive, Keepalive: year / 256, LocalKeepalive: time.Minute},
	} {
		if err := cfg.Validate(); err != nil || cfg.Window() <= 0 {
			t.Errorf("%+v: %v, window %v", cfg, err, cfg.Window())
		}
		cfg.Keepalive++
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "liveness: keepalive: ") {
			t.Errorf("%+v: %v", cfg, err)
		}
	}
}

// TestATunnelAddressIsOfOnePeer: two peers with one address could only take it from each other.
func TestATunnelAddressIsOfOnePeer(t *testing.T) {
	for name, text := range map[string]string{"a subnet": "10.0.0.0/24", "another peer's": "10.0.0.2/32"} {
		_, err := liveness.PlanRoutes([]liveness.Claimant{
			{ID: "A", Tunnel: []netip.Prefix{netip.MustParsePrefix(text)}},
			{ID: "B", Tunnel: []netip.Prefix{netip.MustParsePrefix("10.0.0.2/32")}},
		}, nil, nil, false)
		if err == nil || !strings.Contains(err.Error(), "is not an address of this peer alone") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatIsInstalledMayHaveHostBits: it is the same route as the one that is wanted.
func TestWhatIsInstalledMayHaveHostBits(t *testing.T) {
	installed := liveness.Owners{netip.MustParsePrefix("10.0.0.1/16"): "A"}
	plan, err := liveness.PlanRoutes([]liveness.Claimant{{ID: "A", Live: true, Routes: []netip.Prefix{netip.MustParsePrefix("10.0.0.9/16")}}}, installed, installed, false)
	if err != nil || len(plan.Changes) != 0 {
		t.Errorf("%v, %v", plan.Changes, err)
	}
}

// TestAnOldStampAnswersNoData: the peer died of data without an answer, and what is older than the data is none.
func TestAnOldStampAnswersNoData(t *testing.T) {
	k, err := liveness.New(liveness.Config{Mode: liveness.ModePassive})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(second int) time.Time { return now.Add(time.Duration(second) * time.Second) }
	var s liveness.State
	var d liveness.Decision
	for second := range 50 {
		obs := liveness.Observation{Known: true, ReceiveBytes: 100, TransmitBytes: 100}
		if second >= 10 {
			obs.ReceiveBytes = 132
		}
		if second >= 12 {
			obs.TransmitBytes = 5000
		}
		if second >= 43 {
			obs.Handshake, obs.Stamp = true, at(5).UnixNano()
		}
		s, d = k.Step(s, obs, at(second))
		if second >= 42 && (d.Live || d.Reason != liveness.ReasonUnanswered) {
			t.Fatalf("at %d s: %+v", second, d)
		}
	}
}
