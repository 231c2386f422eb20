package wglab_test

import (
	"context"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/wglab"
)

const patience = 30 * time.Second

// openServer opens an end at 10.0.0.1 that knows the peer and answers HTTP requests that come through the tunnel.
func openServer(t *testing.T, peer wgtypes.Key) (*wglab.End, wgtypes.Key) {
	t.Helper()
	private := newKey(t)
	end, err := wglab.Open("server", netip.MustParseAddr("10.0.0.1"), wgtypes.Config{
		PrivateKey: &private,
		Peers:      []wgtypes.PeerConfig{{PublicKey: peer, AllowedIPs: []net.IPNet{network(t, "10.0.0.2/32")}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(end.Close)
	listener, err := end.Listen(80)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "hello "+r.RemoteAddr[:len("10.0.0.2")])
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return end, private.PublicKey()
}

// openClient opens an end at 10.0.0.2 that greets the server as soon as it is up.
func openClient(t *testing.T, private wgtypes.Key, server *wglab.End, serverKey wgtypes.Key) *wglab.End {
	t.Helper()
	endpoint, err := server.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	keepalive := time.Second
	end, err := wglab.Open("client", netip.MustParseAddr("10.0.0.2"), wgtypes.Config{
		PrivateKey: &private,
		Peers: []wgtypes.PeerConfig{{
			PublicKey:                   serverKey,
			Endpoint:                    net.UDPAddrFromAddrPort(endpoint),
			PersistentKeepaliveInterval: &keepalive,
			AllowedIPs:                  []net.IPNet{network(t, "10.0.0.1/32")},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return end
}

func get(ctx context.Context, end *wglab.End) (string, error) {
	client := &http.Client{Transport: &http.Transport{DialContext: end.DialContext, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://10.0.0.1/", http.NoBody)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}

func TestTwoEndsShakeHandsAndTalk(t *testing.T) {
	private := newKey(t)
	server, serverKey := openServer(t, private.PublicKey())
	if p := peer(t, server, "server", private.PublicKey()); !p.LastHandshakeTime.IsZero() || p.ReceiveBytes != 0 {
		t.Fatalf("before the client is there: got %+v", p)
	}
	client := openClient(t, private, server, serverKey)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got, err := get(ctx, client)
	if want := "hello 10.0.0.2"; err != nil || got != want {
		t.Fatalf("got %q, %v, want %q", got, err, want)
	}
	for _, p := range []wgtypes.Peer{peer(t, client, "client", serverKey), peer(t, server, "server", private.PublicKey())} {
		if age := time.Since(p.LastHandshakeTime); age < 0 || age > patience || p.ReceiveBytes == 0 || p.TransmitBytes == 0 || !p.Endpoint.IP.IsLoopback() {
			t.Errorf("after a request: got %+v", p)
		}
	}
}

// TestClosingUnderTrafficIsQuiet fails by a panic, by the race detector or by hanging.
func TestClosingUnderTrafficIsQuiet(t *testing.T) {
	private := newKey(t)
	server, serverKey := openServer(t, private.PublicKey())
	for range 10 {
		client := openClient(t, private, server, serverKey)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		if _, err := get(ctx, client); err != nil {
			t.Fatal(err)
		}
		var traffic sync.WaitGroup
		for range 4 {
			traffic.Go(func() {
				for ctx.Err() == nil {
					_, _ = get(ctx, client) // they fail from some moment on
				}
			})
		}
		time.Sleep(20 * time.Millisecond)
		client.Close()
		cancel()
		traffic.Wait()
	}
}

func TestAnEndKnowsItsOwnNameOnly(t *testing.T) {
	server, _ := openServer(t, newKey(t))
	if _, err := server.Device("wg7"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want one that is fs.ErrNotExist", err)
	}
}

func TestAnEndRefusesWhatItCannotDo(t *testing.T) {
	if _, err := wglab.Open("wg0", netip.MustParseAddr("fd00::1"), wgtypes.Config{}); err == nil {
		t.Error("an IPv6 address: no error")
	}
	server, _ := openServer(t, newKey(t))
	taken, err := server.Endpoint()
	if err != nil {
		t.Fatal(err)
	}
	port := int(taken.Port())
	if _, err := wglab.Open("wg0", netip.MustParseAddr("10.0.0.9"), wgtypes.Config{ListenPort: &port}); err == nil {
		t.Errorf("port %d, which is taken: no error", port)
	}
	for _, to := range [][2]string{{"udp", "10.0.0.2:80"}, {"tcp", "[fd00::1]:80"}, {"tcp", "localhost:80"}} {
		if conn, err := server.DialContext(t.Context(), to[0], to[1]); err == nil || conn != nil {
			t.Errorf("dialling %v: got %v, %v", to, conn, err)
		}
	}
	if _, err := server.Listen(80); err == nil {
		t.Error("listening on port 80 twice: no error")
	}
}

func read(t *testing.T, end *wglab.End, name string) *wgtypes.Device {
	t.Helper()
	d, err := end.Device(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func peer(t *testing.T, end *wglab.End, name string, public wgtypes.Key) wgtypes.Peer {
	t.Helper()
	for _, p := range read(t, end, name).Peers {
		if p.PublicKey == public {
			return p
		}
	}
	t.Fatalf("%s: no peer %v", name, public)
	return wgtypes.Peer{}
}

func newKey(t *testing.T) wgtypes.Key {
	t.Helper()
	private, err := wgtypes.GeneratePrivateKey()
	if err != nil {
		t.Fatal(err)
	}
	return private
}

func key(t *testing.T, text string) wgtypes.Key {
	t.Helper()
	raw, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	k, err := wgtypes.NewKey(raw)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func network(t *testing.T, text string) net.IPNet {
	t.Helper()
	_, n, err := net.ParseCIDR(text)
	if err != nil {
		t.Fatal(err)
	}
	return *n
}
