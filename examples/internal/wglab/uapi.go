package wglab

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// ConfigText writes cfg as wireguard-go reads it, one key=value a line.
func ConfigText(cfg wgtypes.Config) string {
	var text strings.Builder
	put := func(key, format string, value any) { fmt.Fprintf(&text, "%s="+format+"\n", key, value) }
	if cfg.PrivateKey != nil {
		put("private_key", "%x", cfg.PrivateKey[:])
	}
	if cfg.ListenPort != nil {
		put("listen_port", "%d", *cfg.ListenPort)
	}
	if cfg.FirewallMark != nil {
		put("fwmark", "%d", *cfg.FirewallMark)
	}
	if cfg.ReplacePeers {
		put("replace_peers", "%t", true)
	}
	for _, p := range cfg.Peers {
		putPeer(put, p)
	}
	return text.String()
}

func putPeer(put func(key, format string, value any), p wgtypes.PeerConfig) {
	put("public_key", "%x", p.PublicKey[:])
	if p.Remove {
		put("remove", "%t", true)
	}
	if p.UpdateOnly {
		put("update_only", "%t", true)
	}
	if p.PresharedKey != nil {
		put("preshared_key", "%x", p.PresharedKey[:])
	}
	if p.Endpoint != nil {
		put("endpoint", "%v", p.Endpoint)
	}
	if p.PersistentKeepaliveInterval != nil {
		put("persistent_keepalive_interval", "%d", *p.PersistentKeepaliveInterval/time.Second)
	}
	if p.ReplaceAllowedIPs {
		put("replace_allowed_ips", "%t", true)
	}
	for _, prefix := range p.AllowedIPs {
		put("allowed_ip", "%v", &prefix)
	}
}

// ParseDevice reads what wireguard-go says of its device. It is strict, since a line that is passed over today is a
// counter that silently stands still tomorrow: every error names its line's key and, but for secrets, its value.
func ParseDevice(text string) (*wgtypes.Device, error) {
	device := &wgtypes.Device{}
	var peer *wgtypes.Peer
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		if !ok {
			return nil, fmt.Errorf("%q: not key=value", key)
		}
		if key == "public_key" {
			device.Peers = append(device.Peers, wgtypes.Peer{})
			peer = &device.Peers[len(device.Peers)-1]
		}
		if err := set(device, peer, key, value); err != nil {
			if key == "private_key" || key == "preshared_key" {
				value = "(secret)"
			}
			return nil, fmt.Errorf("%s=%s: %w", key, value, err)
		}
	}
	return device, nil
}

// set sets one field: of the device as long as there is no peer, then of the peer.
func set(device *wgtypes.Device, peer *wgtypes.Peer, key, value string) error {
	if peer == nil {
		if setField, ok := deviceFields[key]; ok {
			return setField(device, value)
		}
		return errors.New("unknown for a device")
	}
	if setField, ok := peerFields[key]; ok {
		return setField(peer, value)
	}
	return errors.New("unknown for a peer")
}

var deviceFields = map[string]func(d *wgtypes.Device, value string) error{
	"private_key": func(d *wgtypes.Device, value string) (err error) {
		d.PrivateKey, err = parseKey(value)
		d.PublicKey = d.PrivateKey.PublicKey()
		return err
	},
	"listen_port": func(d *wgtypes.Device, value string) error { return parseNumber(&d.ListenPort, value, 16) },
	"fwmark":      func(d *wgtypes.Device, value string) error { return parseNumber(&d.FirewallMark, value, 32) },
}

var peerFields = map[string]func(p *wgtypes.Peer, value string) error{
	"public_key":       func(p *wgtypes.Peer, value string) (err error) { p.PublicKey, err = parseKey(value); return err },
	"preshared_key":    func(p *wgtypes.Peer, value string) (err error) { p.PresharedKey, err = parseKey(value); return err },
	"protocol_version": func(p *wgtypes.Peer, value string) error { return parseNumber(&p.ProtocolVersion, value, 31) },
	"rx_bytes":         func(p *wgtypes.Peer, value string) error { return parseNumber(&p.ReceiveBytes, value, 63) },
	"tx_bytes":         func(p *wgtypes.Peer, value string) error { return parseNumber(&p.TransmitBytes, value, 63) },
	"endpoint": func(p *wgtypes.Peer, value string) error {
		at, err := netip.ParseAddrPort(value)
		p.Endpoint = net.UDPAddrFromAddrPort(at)
		return err
	},
	"last_handshake_time_sec":  func(p *wgtypes.Peer, value string) error { return addHandshake(p, value, time.Second) },
	"last_handshake_time_nsec": func(p *wgtypes.Peer, value string) error { return addHandshake(p, value, time.Nanosecond) },
	"persistent_keepalive_interval": func(p *wgtypes.Peer, value string) error {
		var seconds int
		err := parseNumber(&seconds, value, 16)
		p.PersistentKeepaliveInterval = time.Duration(seconds) * time.Second
		return err
	},
	"allowed_ip": func(p *wgtypes.Peer, value string) error {
		_, prefix, err := net.ParseCIDR(value)
		if err == nil {
			p.AllowedIPs = append(p.AllowedIPs, *prefix)
		}
		return err
	},
}

func parseKey(value string) (wgtypes.Key, error) {
	raw, err := hex.DecodeString(value)
	if err != nil {
		return wgtypes.Key{}, errors.New("not hexadecimal") // the decoder's own error would quote a secret
	}
	return wgtypes.NewKey(raw)
}

// parseNumber reads a number that takes at most so many bits and no sign.
func parseNumber[N int | int64](to *N, value string, bits int) error {
	n, err := strconv.ParseUint(value, 10, bits)
	*to = N(n)
	return errors.Unwrap(err) // the wrapping repeats the value
}

// addHandshake adds seconds or nanoseconds since the Unix epoch to a handshake's time. None of either is no handshake,
// which leaves the zero time.
func addHandshake(p *wgtypes.Peer, value string, unit time.Duration) error {
	var n int64
	if err := parseNumber(&n, value, 33); err != nil || n == 0 { // as many seconds as a Duration holds
		return err
	}
	if p.LastHandshakeTime.IsZero() {
		p.LastHandshakeTime = time.Unix(0, 0)
	}
	p.LastHandshakeTime = p.LastHandshakeTime.Add(time.Duration(n) * unit)
	return nil
}
