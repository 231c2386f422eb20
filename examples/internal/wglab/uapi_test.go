package wglab_test

import (
	"net"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/wglab"
)

const (
	privateHex = "e84b5a6d2717c1003a13b431570353dbaca9146cf150c5f8575680feba52027a"
	publicHex  = "b85996fecc9c7f1fc6d2572a76eda11d59bcd20be8e543b15ce4bd85a8e75a33"
	sharedHex  = "188515093e952f5f22e865cef3012e72f8b5f0b598ac0309d5dacce3b70fcf52"
)

func TestADeviceIsReadWithAllItsFields(t *testing.T) {
	text := "private_key=" + privateHex + "\nlisten_port=12912\nfwmark=7\n" +
		"public_key=" + publicHex + "\npreshared_key=" + sharedHex + "\nprotocol_version=1\n" +
		"endpoint=[2001:db8::1%eth0]:51820\nlast_handshake_time_sec=1700000000\nlast_handshake_time_nsec=5\n" +
		"tx_bytes=38333\nrx_bytes=9223372036854775807\npersistent_keepalive_interval=111\n" +
		"allowed_ip=192.168.4.4/32\nallowed_ip=fd00::/8\n" +
		"public_key=" + sharedHex + "\nlast_handshake_time_sec=0\nlast_handshake_time_nsec=0\n"
	got, err := wglab.ParseDevice(text)
	if err != nil {
		t.Fatal(err)
	}
	private := key(t, privateHex)
	want := &wgtypes.Device{
		PrivateKey:   private,
		PublicKey:    private.PublicKey(),
		ListenPort:   12912,
		FirewallMark: 7,
		Peers: []wgtypes.Peer{{
			PublicKey:                   key(t, publicHex),
			PresharedKey:                key(t, sharedHex),
			ProtocolVersion:             1,
			Endpoint:                    &net.UDPAddr{IP: net.ParseIP("2001:db8::1"), Port: 51820, Zone: "eth0"},
			LastHandshakeTime:           time.Unix(1700000000, 5),
			TransmitBytes:               38333,
			ReceiveBytes:                9223372036854775807,
			PersistentKeepaliveInterval: 111 * time.Second,
			AllowedIPs:                  []net.IPNet{network(t, "192.168.4.4/32"), network(t, "fd00::/8")},
		}, {
			PublicKey: key(t, sharedHex),
		}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAnErrorNamesKeyAndValue(t *testing.T) {
	peer := "public_key=" + publicHex + "\n"
	for _, tt := range []struct{ name, text, want string }{
		{"no equals sign", "listen_port", `"listen_port": not key=value`},
		{"an empty line", "\n", `"": not key=value`},
		{"an unknown key of the device", "mtu=1420", "mtu=1420: unknown for a device"},
		{"an unknown key of a peer", peer + "name=x", "name=x: unknown for a peer"},
		{"a peer's key before any peer", "rx_bytes=1", "rx_bytes=1: unknown for a device"},
		{"a device's key after a peer", peer + "listen_port=1", "listen_port=1: unknown for a peer"},
		{"a port that is no number", "listen_port=http", "listen_port=http: invalid syntax"},
		{"a port that is too large", "listen_port=65536", "listen_port=65536: value out of range"},
		{"a negative counter", peer + "rx_bytes=-1", "rx_bytes=-1: invalid syntax"},
		{"a counter that is too large", peer + "tx_bytes=9223372036854775808", "tx_bytes=9223372036854775808: value out of range"},
		{"a handshake beyond all times", peer + "last_handshake_time_sec=9000000000", "last_handshake_time_sec=9000000000: value out of range"},
		{"an endpoint that is a name", peer + "endpoint=localhost:1", "endpoint=localhost:1: "},
		{"a prefix without a length", peer + "allowed_ip=10.0.0.1", "allowed_ip=10.0.0.1: "},
		{"a public key that is no key", "public_key=zz", "public_key=zz: not hexadecimal"},
		{"a public key that is cut short", "public_key=b859", "public_key=b859: "},
		{"a keepalive that is too long", peer + "persistent_keepalive_interval=65536", "persistent_keepalive_interval=65536: value out of range"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := wglab.ParseDevice(tt.text)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestAnErrorKeepsSecrets(t *testing.T) {
	for _, text := range []string{"private_key=c0ffee", "private_key=c0ffeex", "public_key=" + publicHex + "\npreshared_key=c0ffee"} {
		_, err := wglab.ParseDevice(text)
		if err == nil || strings.Contains(err.Error(), "c0ffee") || !strings.Contains(err.Error(), "_key=(secret)") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestAConfigurationComesBackAsItWasSet(t *testing.T) {
	private, shared := key(t, privateHex), key(t, sharedHex)
	mark, keepalive := 7, 25*time.Second
	allowed := []net.IPNet{network(t, "10.0.0.0/24"), network(t, "10.1.0.1/32")}
	end, err := wglab.Open("wg0", netip.MustParseAddr("10.0.0.1"), wgtypes.Config{
		PrivateKey:   &private,
		FirewallMark: &mark,
		Peers: []wgtypes.PeerConfig{{
			PublicKey:                   key(t, publicHex),
			PresharedKey:                &shared,
			Endpoint:                    &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 9},
			PersistentKeepaliveInterval: &keepalive,
			AllowedIPs:                  allowed,
		}, {
			PublicKey: shared.PublicKey(),
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	got := read(t, end, "wg0")
	if got.Name != "wg0" || got.PrivateKey != private || got.FirewallMark != mark || got.ListenPort == 0 || len(got.Peers) != 2 {
		t.Fatalf("got %+v", got)
	}
	p := peer(t, end, "wg0", key(t, publicHex))
	if p.PresharedKey != shared || p.Endpoint.String() != "127.0.0.1:9" || p.PersistentKeepaliveInterval != keepalive || !reflect.DeepEqual(p.AllowedIPs, allowed) {
		t.Errorf("got %+v", p)
	}
	// Of the three peers here, the first is removed, the second updated and the third neither made nor changed.
	change := wgtypes.Config{Peers: []wgtypes.PeerConfig{
		{PublicKey: shared.PublicKey(), Remove: true},
		{PublicKey: key(t, publicHex), UpdateOnly: true, ReplaceAllowedIPs: true, AllowedIPs: allowed[1:]},
		{PublicKey: private.PublicKey(), UpdateOnly: true},
	}}
	if err := end.Configure(change); err != nil {
		t.Fatal(err)
	}
	if d := read(t, end, "wg0"); len(d.Peers) != 1 || !reflect.DeepEqual(d.Peers[0].AllowedIPs, allowed[1:]) {
		t.Errorf("after the change: got %+v", d.Peers)
	}
	if err := end.Configure(wgtypes.Config{ReplacePeers: true}); err != nil {
		t.Fatal(err)
	}
	if d := read(t, end, "wg0"); len(d.Peers) != 0 {
		t.Errorf("after all are replaced by none: got %+v", d.Peers)
	}
}
