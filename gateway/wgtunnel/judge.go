package wgtunnel

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// initiation is the size of a handshake initiation on the wire and in the byte counters, from WireGuard's protocol.
const initiation = 148

// peer is what is remembered of a peer from look to look.
type peer struct {
	handshake time.Time // the latest; zero: none
	received  int64
	heard     time.Time // when received bytes last proved life; zero: never
}

// judge says what the device proves of the tunnel. Bad news, a peer that is missing or whose numbers went back, may be
// half an answer: the first time it is an error, and only twice running is it believed.
func (o *Observer) judge(device *wgtypes.Device) (gateway.HandshakeStatus, int64, error) {
	seen := make(map[wgtypes.Key]peer, len(device.Peers))
	for _, p := range device.Peers {
		if len(o.Peers) > 0 && !slices.Contains(o.Peers, p.PublicKey) {
			continue
		}
		seen[p.PublicKey] = peer{handshake: p.LastHandshakeTime, received: p.ReceiveBytes}
	}
	if bad := o.badNews(seen); bad != nil && !o.torn {
		o.torn = true
		return gateway.HandshakeUnknown, 0, bad
	}
	o.torn = false
	now := o.now()
	for key, p := range seen {
		if before, known := o.peers[key]; known { // a first look is no proof: counters outlive us
			seen[key] = p.hear(before, now)
		}
	}
	o.peers = seen
	status, stamp := o.stalest()
	return status, stamp, nil
}

// badNews says what a torn answer could also be the reason of.
func (o *Observer) badNews(seen map[wgtypes.Key]peer) error {
	if len(seen) == 0 && len(o.Peers) == 0 {
		return fmt.Errorf("%s: no peers", o.Interface)
	}
	for _, key := range o.Peers {
		if _, ok := seen[key]; !ok {
			return fmt.Errorf("%s: peer %v: missing", o.Interface, key)
		}
	}
	for key, before := range o.peers {
		p, ok := seen[key]
		switch {
		case !ok:
			return fmt.Errorf("%s: peer %v: vanished", o.Interface, key)
		case p.received < before.received:
			return fmt.Errorf("%s: peer %v: received bytes went from %d to %d", o.Interface, key, before.received, p.received)
		case p.handshake.Before(before.handshake):
			return fmt.Errorf("%s: peer %v: handshake went from %v to %v", o.Interface, key, before.handshake, p.handshake)
		}
	}
	return nil
}

// hear carries the last proof of life over, or finds a new one: received bytes that grew, but not by whole initiations.
// Bytes that went back begin anew.
func (p peer) hear(before peer, now time.Time) peer {
	switch growth := p.received - before.received; {
	case growth < 0:
	case growth%initiation != 0:
		p.heard = now
	default:
		p.heard = before.heard
	}
	return p
}

// stalest is the oldest proof of life among the peers that the tunnel needs.
func (o *Observer) stalest() (gateway.HandshakeStatus, int64) {
	oldest := int64(math.MaxInt64)
	for _, key := range o.required() {
		proof, ok := o.peers[key].proof(o.ReceivedBytes)
		if !ok {
			return gateway.HandshakeNever, 0
		}
		oldest = min(oldest, proof)
	}
	if oldest == math.MaxInt64 {
		return gateway.HandshakeNever, 0
	}
	return gateway.HandshakeSeen, oldest
}

func (o *Observer) required() []wgtypes.Key {
	if len(o.Peers) > 0 {
		return o.Peers
	}
	return slices.Collect(maps.Keys(o.peers))
}

// proof is when the peer last proved that it lives, in nanoseconds since the Unix epoch; false where it never did.
func (p peer) proof(bytesToo bool) (int64, bool) {
	at := p.handshake
	if bytesToo && p.heard.After(at) {
		at = p.heard
	}
	nanos := instant.Of(at).Nanos()
	return nanos, !at.IsZero() && nanos != 0 // a zero time of either kind is how a device says never
}

func (o *Observer) now() time.Time {
	if o.Clock == nil {
		return time.Now()
	}
	return o.Clock.Now()
}
