package liveness_test

import (
	"encoding/json"
	"net/netip"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// growths are what a byte of a timeline may add to a counter.
var growths = []int64{0, 0, keepalive, initiation, 2 * initiation, 96, data, -1000}

// FuzzTimeline reads bytes as a life of a peer, two for each step, and checks what every step must keep.
func FuzzTimeline(f *testing.F) {
	f.Add([]byte{0x10, 0x01, 0x13, 0x12, 0x12, 0x80, 0x22, 0x02, 0x1f, 0x08, 0x1f, 0x00, 0x1f, 0x00})
	f.Add([]byte("a peer that goes and comes back"))
	k := newKernel(f, liveness.Config{Mode: liveness.ModeActive})
	f.Fuzz(func(t *testing.T, life []byte) {
		var s liveness.State
		obs, now := seen(0, 0), start
		for ; len(life) >= 2; life = life[2:] {
			now = now.Add(time.Duration(int(life[0]&0x3f)-16) * 2500 * time.Millisecond)
			obs.Known, obs.NoProbe = life[0]&0xc0 != 0xc0, life[0]&0xc0 == 0x80
			obs.ReceiveBytes += growths[life[1]&7]
			obs.TransmitBytes += growths[life[1]>>3&7]
			if life[1] >= 0xc0 {
				obs.Handshake, obs.Stamp = !obs.Handshake || life[1]&1 == 0, now.Add(-time.Duration(life[1]&15)*10*time.Second).UnixNano()
			}
			before := s
			var d liveness.Decision
			s, d = k.Step(s, obs, now)
			checkEdge(t, k, edge{before, s, obs, d, now})
			if d.Action == probe && life[1]&0x80 == 0 {
				s = k.Record(s, liveness.Outcome{Action: probe, OK: life[0]&1 == 0}, now.Add(time.Duration(life[0]>>6)*time.Second))
			}
		}
		reread(t, s)
	})
}

// FuzzState decodes any bytes: a state that is taken makes valid decisions and survives its own encoding.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"last":"2026-01-01T00:05:00Z","looked":"2026-01-01T00:05:00Z","progress":"2026-01-01T00:04:00Z","data":"2026-01-01T00:04:30Z","changed":"2026-01-01T00:01:00Z","receive_bytes":9,"transmit_bytes":9,"stamp":1767225600000000000,"stamped":true,"knocks":3,"live":true}`))
	f.Add([]byte(`{"version":1,"last":"2026-01-01T00:05:00Z","looked":"2026-01-01T00:05:00Z","probed":"2026-01-01T00:04:00Z","probes":2,"unsending":true,"torn":true,"cause":"never_heard"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var taken liveness.State
		if json.Unmarshal(text, &taken) != nil {
			if taken != (liveness.State{}) {
				t.Fatalf("a refused state left %+v behind", taken)
			}
			return
		}
		for _, cfg := range []liveness.Config{passive, {Mode: liveness.ModeActive}} {
			k, s := newKernel(t, cfg), taken
			for i, obs := range []liveness.Observation{blind, seen(5, 5), seen(0, 5), mute(shaken(148, 5, 0)), shaken(9, 2000, 60)} {
				var d liveness.Decision
				now := at(float64(300 * i))
				if s, d = k.Step(s, obs, now); d.Reason == 0 || d.Silence < 0 || !d.Next.IsZero() && d.Next.Before(now) || d.Live != s.Live() {
					t.Fatalf("from %s, seeing %+v: %+v", text, obs, d)
				}
				s = k.Record(reread(t, s), liveness.Outcome{Action: probe, OK: i%2 == 0}, now)
			}
		}
	})
}

// FuzzPlan reads bytes as claims, four for each, and wants a plan that is whole and stable.
func FuzzPlan(f *testing.F) {
	f.Add([]byte{0x01, 10, 0, 24, 0x02, 10, 0, 16, 0x83, 10, 0, 8})
	f.Fuzz(func(t *testing.T, text []byte) {
		peers := make([]liveness.Claimant, 8)
		for i := range peers {
			peers[i] = liveness.Claimant{ID: string(rune('a' + i)), Live: true}
		}
		for ; len(text) >= 4; text = text[4:] {
			c := &peers[text[0]&7]
			c.Live, c.Metric = text[0]&0x80 == 0, int(int8(text[0]))
			c.Routes = append(c.Routes, netip.PrefixFrom(netip.AddrFrom4([4]byte{text[1], text[2]}), int(text[3]&31)))
		}
		p := plan(t, peers, nil, true)
		for prefix, id := range p.Owners {
			if owner := peers[id[0]-'a']; !owner.Live || !slices.ContainsFunc(owner.Routes, func(r netip.Prefix) bool { return r.Masked() == prefix }) {
				t.Fatalf("%v belongs to %+v", prefix, owner)
			}
		}
		slices.Reverse(peers)
		again, err := liveness.PlanRoutes(peers, p.Owners, nil, true)
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Fatalf("planned again: %+v, %v, want %+v", again, err, p)
		}
	})
}
