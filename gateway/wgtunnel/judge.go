package wgtunnel

import (
	"fmt"
	"maps"
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
// half an answer: the first time it is an error, and only the same news twice running is believed.
func (o *Observer) judge(device *wgtypes.Device) (gateway.HandshakeStatus, int64, error) {
	seen := make(map[wgtypes.Key]peer, len(device.Peers))
	for _, p := range device.Peers {
		if len(o.Peers) > 0 && !slices.Contains(o.Peers, p.PublicKey) {
			continue
		}
		seen[p.PublicKey] = peer{handshake: p.LastHandshakeTime, received: p.ReceiveBytes}
	}
	bad := o.badNews(seen)
	suspected := o.suspected
	o.suspected = bad
	for _, news := range bad {
		if !slices.Contains(suspected, news) {
			return gateway.HandshakeUnknown, 0, fmt.Errorf("%s: %s", o.Interface, news)
		}
	}
	o.suspected = nil // all of it is believed
	now := o.now()
	for key, p := range seen {
		if before, known := o.peers[key]; known { // a first look is no proof: counters outlive us
			seen[key] = p.hear(before, now)
		}
	}
	o.peers, o.looked = seen, true
	status, stamp := o.stalest()
	return status, stamp, nil
}

// badNews lists what a torn answer could also be the reason of. A peer that is known to be gone is no news.
func (o *Observer) badNews(seen map[wgtypes.Key]peer) (news []string) {
	if len(seen) == 0 && len(o.Peers) == 0 && (!o.looked || len(o.peers) > 0) {
		news = append(news, "no peers")
	}
	for _, key := range o.Peers {
		if _, ok := seen[key]; !ok && !o.looked {
			news = append(news, fmt.Sprintf("peer %v: missing", key))
		}
	}
	for key, before := range o.peers {
		p, ok := seen[key]
		switch {
		case !ok:
			news = append(news, fmt.Sprintf("peer %v: vanished", key))
		case p.received < before.received:
			news = append(news, fmt.Sprintf("peer %v: received bytes went back from %d", key, before.received))
		case p.handshake.Before(before.handshake):
			news = append(news, fmt.Sprintf("peer %v: handshake went back from %v", key, before.handshake))
		}
	}
	return news
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

// stalest is the oldest proof of life among the peers that the tunnel needs. When the peer that was the stalest renews its
// handshake, the older one of the next is told for the first time, and the kernel dates it at the look: so the death of
// one peer is seen later, once, by as much as the handshakes of the others are apart.
func (o *Observer) stalest() (gateway.HandshakeStatus, int64) {
	var proofs []int64
	for _, key := range o.required() {
		proof, ok := o.peers[key].proof(o.ReceivedBytes)
		if !ok {
			return gateway.HandshakeNever, 0
		}
		proofs = append(proofs, proof)
	}
	if len(proofs) == 0 {
		return gateway.HandshakeNever, 0
	}
	return gateway.HandshakeSeen, slices.Min(proofs)
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
