package liveness_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/liveness"
)

// model is the rules once more, as slow and plain as they are told: it keeps the whole history of a peer that is watched
// without a gap, and reads the verdict off it. It is told what happened, and never counts a byte.
type model struct {
	cfg     liveness.Config
	live    bool
	heard   []time.Time // each sign of life
	knocks  []time.Time // each initiation without more
	data    []time.Time // each look that found data sent
	tries   []time.Time // each probe
	sent    []time.Time // each probe that was sent
	unsent  bool        // the last one was not
	noProbe bool        // at the last look
}

// last is the last of times, the zero time for none.
func last(times []time.Time) (at time.Time) {
	if len(times) > 0 {
		at = times[len(times)-1]
	}
	return at
}

// after lists those of times that came after the last sign of life.
func (m *model) after(times []time.Time) (later []time.Time) {
	for _, at := range times {
		if at.After(last(m.heard)) {
			later = append(later, at)
		}
	}
	return later
}

func (m *model) probing() bool { return m.cfg.Mode == liveness.ModeActive && !m.noProbe && !m.unsent }

func (m *model) patience() time.Duration {
	return time.Duration(m.cfg.FailureCount) * m.cfg.ProbeInterval
}

func (m *model) limit() time.Duration {
	if m.probing() {
		return max(m.cfg.Window(), m.patience())
	}
	return m.cfg.Window()
}

// dead says that a peer that has lived dies now.
func (m *model) dead(now time.Time) bool {
	silence := now.Sub(last(m.heard))
	if len(m.after(m.knocks)) >= 4 || silence >= m.limit() {
		return true
	}
	if data := m.after(m.data); len(data) > 0 && m.cfg.UnansweredAfter > 0 && now.Sub(data[0]) >= m.cfg.UnansweredAfter {
		return true
	}
	return m.probing() && silence >= m.patience() && len(m.sent) >= m.cfg.FailureCount-1
}

// look is what the rules say of a good look at now.
func (m *model) look(now time.Time, heard bool) (live, probes bool) {
	if heard {
		m.heard, m.sent = append(m.heard, now), nil
		m.live = true
	} else if m.live && m.dead(now) {
		m.live = false
	}
	due := func(times []time.Time) bool {
		return len(times) == 0 || now.Sub(last(times)) >= m.cfg.ProbeInterval
	}
	return m.live, m.cfg.Mode == liveness.ModeActive && !m.noProbe && due(m.heard) && due(m.tries)
}

// happening is something that can happen to a peer between two looks.
type happening struct {
	received, sent int64
	stamp          bool // a new handshake
	heard          bool // it is a sign of life
	data           bool
	knocks         int
}

// happenings has each thing that the rules tell apart.
var happenings = []happening{
	{},
	{},
	{},
	{received: keepalive, heard: true},
	{received: 96, sent: 64, heard: true, data: true},
	{received: response, stamp: true, heard: true},
	{received: initiation, sent: response, stamp: true, heard: true},
	{received: initiation, knocks: 1},
	{received: initiation, knocks: 1, sent: response},
	{received: 4 * initiation, heard: true},
	{sent: keepalive},
	{sent: initiation},
	{sent: keepalive + initiation + response},
	{sent: data, data: true},
	{sent: 1500 * 1001, data: true},
}

// TestTheModelAgrees lives lives that are watched without a gap, at a distance of at most 14 s between good looks, so
// that 4 initiations in one look are too many for their time.
func TestTheModelAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawJudging(t)
		cfg.MaxGap, cfg.LocalKeepalive = -1, 0
		k := newKernel(t, cfg)
		m := model{cfg: k.Config()}
		obs, now := seen(5000, 5000), start
		s, d := k.Step(liveness.State{}, obs, now)
		m.look(now, false)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if d.Action == probe && rapid.IntRange(0, 5).Draw(t, "acts") > 0 {
				out := liveness.Outcome{Action: probe, OK: rapid.IntRange(0, 4).Draw(t, "ok") > 0}
				s = k.Record(s, out, now)
				m.tries, m.unsent = append(m.tries, now), !out.OK
				if out.OK {
					m.sent = append(m.sent, now)
				}
			}
			if now = now.Add(drawSpan(t, "pause", 1, 7)); rapid.IntRange(0, 5).Draw(t, "fails") == 0 {
				s, d = k.Step(s, blind, now)
				if d.Live != m.live || d.Action != none {
					t.Fatalf("at %v an unknown look gave %+v", now, d)
				}
				now = now.Add(drawSpan(t, "pause", 0, 7))
			}
			h := rapid.SampledFrom(happenings).Draw(t, "happens")
			obs = h.see(obs, now)
			m.noProbe = rapid.IntRange(0, 3).Draw(t, "no probe") == 0
			obs.NoProbe = m.noProbe
			for range h.knocks {
				m.knocks = append(m.knocks, now)
			}
			if h.data {
				m.data = append(m.data, now)
			}
			s, d = k.Step(s, obs, now)
			if live, probes := m.look(now, h.heard); live != d.Live || probes != (d.Action == probe) {
				t.Fatalf("at %v after %+v: want live %v, probe %v, got %+v, state %+v", now.Sub(start), h, live, probes, d, s)
			}
		}
	})
}

// see is what is found at now after obs, once h has happened.
func (h happening) see(obs liveness.Observation, now time.Time) liveness.Observation {
	obs.ReceiveBytes += h.received
	obs.TransmitBytes += h.sent
	if h.stamp {
		obs.Handshake, obs.Stamp = true, now.UnixNano()
	}
	return obs
}
