package main

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/examples/internal/wglab"
)

const (
	gatewayAddress   = "10.80.0.1" // inside the tunnel; the guests get the ones after it
	gatewayKeepalive = time.Second // the sign of life that the guests go by
	startingUp       = 3 * time.Second
	greeting         = "hello from the gateway"
)

// gatewayServer is the far side: it registers guests over HTTPS as peers of its WireGuard end, and answers them inside
// the tunnel.
type gatewayServer struct {
	address     string // of the registration, whether anybody listens there or not
	certificate tls.Certificate
	pinned      *x509.CertPool // what its guests trust
	key         wgtypes.Key
	inside      netip.Addr

	end     *wglab.End // nil: not started
	servers []*http.Server

	mu      sync.Mutex
	answers int
	leases  map[wgtypes.Key]netip.Addr
	last    netip.Addr // that was given away
}

// newGateway settles what its guests know of it beforehand. It does not start it.
func newGateway() (*gatewayServer, error) {
	key, err := wgtypes.GeneratePrivateKey()
	if err != nil {
		return nil, err
	}
	certificate, pinned, err := newCertificate()
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	inside := netip.MustParseAddr(gatewayAddress)
	return &gatewayServer{
		address:     address,
		certificate: certificate,
		pinned:      pinned,
		key:         key,
		inside:      inside,
		leases:      map[wgtypes.Key]netip.Addr{},
		last:        inside,
	}, nil
}

// freeAddress is one on which nobody listens. It stays free until the gateway starts, since its port lies below those
// that systems give to programs which don't ask for a certain one.
func freeAddress() (string, error) {
	var failures []error
	for range 20 {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(10_000+rand.IntN(20_000)))
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return address, listener.Close()
		}
		failures = append(failures, err)
	}
	return "", errors.Join(failures...)
}

// start brings the gateway up.
func (g *gatewayServer) start() error {
	end, err := wglab.Open("gateway", g.inside, wgtypes.Config{PrivateKey: &g.key})
	if err != nil {
		return err
	}
	g.end = end
	inside, err := end.Listen(80)
	if err != nil {
		return err
	}
	outside, err := tls.Listen("tcp", g.address, &tls.Config{Certificates: []tls.Certificate{g.certificate}})
	if err != nil {
		return err
	}
	g.serve(inside, "GET /", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, greeting) })
	g.serve(outside, "POST /register", g.register)
	return nil
}

func (g *gatewayServer) serve(listener net.Listener, pattern string, handler http.HandlerFunc) {
	mux := http.NewServeMux()
	mux.HandleFunc(pattern, handler)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	g.servers = append(g.servers, server)
	go func() { _ = server.Serve(listener) }() // until it is closed
}

// register answers a guest. The first answer of all is that of a gateway that is not ready yet.
func (g *gatewayServer) register(w http.ResponseWriter, r *http.Request) {
	var request register.Request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 4096)).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	key, err := wgtypes.ParseKey(request.PublicKey)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers++; g.answers == 1 {
		w.Header().Set("Retry-After", strconv.Itoa(int(startingUp/time.Second)))
		http.Error(w, "starting up", http.StatusServiceUnavailable)
		return
	}
	granted, err := g.admit(key)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_ = json.NewEncoder(w).Encode(granted) // a guest that hangs up registers again
}

// admit makes the guest a peer. A guest that is known keeps its address, and its session if it has one.
func (g *gatewayServer) admit(key wgtypes.Key) (register.Lease, error) {
	if _, known := g.leases[key]; !known {
		g.last = g.last.Next()
		g.leases[key] = g.last
	}
	keepalive := gatewayKeepalive
	peer := wgtypes.PeerConfig{
		PublicKey:                   key,
		PersistentKeepaliveInterval: &keepalive,
		ReplaceAllowedIPs:           true,
		AllowedIPs:                  []net.IPNet{register.Host(g.leases[key])},
	}
	if err := g.end.Configure(wgtypes.Config{Peers: []wgtypes.PeerConfig{peer}}); err != nil {
		return register.Lease{}, err
	}
	endpoint, err := g.end.Endpoint()
	return register.Lease{Address: g.leases[key], GatewayAddress: g.inside, GatewayKey: g.key.PublicKey().String(), Endpoint: endpoint}, err
}

// forget drops all WireGuard peers, as a gateway does that lost its table.
func (g *gatewayServer) forget() error { return g.end.Configure(wgtypes.Config{ReplacePeers: true}) }

// guests is how many guests ever registered, told apart by their keys.
func (g *gatewayServer) guests() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.leases)
}

func (g *gatewayServer) close() {
	for _, server := range g.servers {
		_ = server.Close() // the gateway is gone either way
	}
	if g.end != nil {
		g.end.Close()
	}
}
