package register

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// Lease is what a registration returns: all that a guest needs for its tunnel.
type Lease struct {
	// Address is the guest's inside the tunnel, GatewayAddress the gateway's.
	Address        netip.Addr `json:"address"`
	GatewayAddress netip.Addr `json:"gateway_address"`
	// GatewayKey is the gateway's WireGuard public key in base64, Endpoint where it listens.
	GatewayKey string         `json:"gateway_public_key"`
	Endpoint   netip.AddrPort `json:"endpoint"`
}

// Validate reports every field that can't make a tunnel.
func (l Lease) Validate() error {
	var problems []error
	note := func(ok bool, field string, value any, limit string) {
		if !ok {
			problems = append(problems, fmt.Errorf("lease: %s: %v %s", field, value, limit))
		}
	}
	note(usable(l.Address), "address", l.Address, "is no address of one host")
	note(usable(l.GatewayAddress), "gateway_address", l.GatewayAddress, "is no address of one host")
	note(usable(l.Endpoint.Addr()) && l.Endpoint.Port() != 0, "endpoint", l.Endpoint, "is no address and port of one host")
	_, err := wgtypes.ParseKey(l.GatewayKey)
	note(err == nil, "gateway_public_key", fmt.Sprintf("%q", l.GatewayKey), "is no WireGuard key")
	return errors.Join(problems...)
}

func usable(a netip.Addr) bool { return a.IsValid() && !a.IsUnspecified() && !a.IsMulticast() }

// Peer is the gateway as a peer of the guest's interface, which sends it a packet at this pace. A zero keepalive sends
// none.
func (l Lease) Peer(keepalive time.Duration) (wgtypes.PeerConfig, error) {
	key, err := wgtypes.ParseKey(l.GatewayKey)
	if err != nil {
		return wgtypes.PeerConfig{}, fmt.Errorf("lease: gateway_public_key: %w", err)
	}
	return wgtypes.PeerConfig{
		PublicKey:                   key,
		Endpoint:                    net.UDPAddrFromAddrPort(l.Endpoint),
		PersistentKeepaliveInterval: &keepalive,
		ReplaceAllowedIPs:           true,
		AllowedIPs:                  []net.IPNet{Host(l.GatewayAddress)},
	}, nil
}

// Host is the network of one address.
func Host(address netip.Addr) net.IPNet {
	return net.IPNet{IP: address.AsSlice(), Mask: net.CIDRMask(address.BitLen(), address.BitLen())}
}
