package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/examples/internal/register"
	"github.com/evenkeel-go/evenkeel/examples/internal/wglab"
)

// modeVariable turns this test binary into one of the programs of the bed, whose files lie in /opt/units.
const (
	modeVariable = "BED_PROGRAM"
	shared       = "/opt/units/"
)

func TestMain(m *testing.M) {
	var err error
	switch mode := os.Getenv(modeVariable); mode {
	case "":
		os.Exit(m.Run())
	case "checker":
		os.Exit(run(os.Args[1:], os.Stderr, func(r registrar) registrar { return hangable{r} }))
	case "gateway":
		err = gatewayProgram()
	case "device":
		err = deviceProgram()
	case "up":
		err = upProgram()
	case "down":
		err = configure(wgtypes.Config{ReplacePeers: true})
	case "mint":
		err = mintProgram()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// there says whether a file of this name lies in the bed.
func there(name string) bool {
	_, err := os.Stat(shared + name)
	return err == nil
}

// note adds a line to a file of the bed.
func note(name, line string) error {
	file, err := os.OpenFile(shared+name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = fmt.Fprintln(file, line)
	return err
}

// hangable hangs in a registration, deaf to its context, once there is a file "hang": a look-up in a library that knows
// no deadline.
type hangable struct{ registrar }

func (h hangable) Register(ctx context.Context, key wgtypes.Key) (register.Lease, error) {
	if there("hang") {
		_ = os.Remove(shared + "hang")
		fmt.Fprintln(os.Stderr, "hanging")
		select {}
	}
	return h.registrar.Register(ctx, key)
}

// deviceProgram is the guest's interface: wireguard-go, found by wgctrl under the name wg0.
func deviceProgram() error {
	end, err := wglab.Open("wg0", netip.MustParseAddr("10.80.0.2"), wgtypes.Config{})
	if err != nil {
		return err
	}
	if _, err := end.Serve(); err != nil {
		return err
	}
	select {}
}

// configure changes the guest's interface through wgctrl.
func configure(cfg wgtypes.Config) error {
	client, err := wgctrl.New()
	if err != nil {
		return err
	}
	defer client.Close()
	return client.ConfigureDevice("wg0", cfg)
}

// upProgram makes the interface what its file says, as wg-quick would.
func upProgram() error {
	if err := note("ups", "up"); err != nil {
		return err
	}
	file, err := os.Open(shared + "wg0.conf")
	if err != nil {
		return err
	}
	defer file.Close()
	fields := map[string]string{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), " = "); ok {
			fields[name] = value
		}
	}
	key, err := wgtypes.ParseKey(fields["PrivateKey"])
	if err != nil {
		return err
	}
	seconds, err := strconv.Atoi(fields["PersistentKeepalive"])
	if err != nil {
		return err
	}
	lease := register.Lease{
		GatewayKey: fields["PublicKey"], Endpoint: netip.MustParseAddrPort(fields["Endpoint"]),
		GatewayAddress: netip.MustParsePrefix(fields["AllowedIPs"]).Addr(),
	}
	peer, err := lease.Peer(time.Duration(seconds) * time.Second)
	if err != nil {
		return err
	}
	return configure(wgtypes.Config{PrivateKey: &key, ReplacePeers: true, Peers: []wgtypes.PeerConfig{peer}})
}

func mintProgram() error {
	key, err := wgtypes.GeneratePrivateKey()
	if err != nil {
		return err
	}
	fmt.Println(key)
	return note("mints", "mint")
}

// gatewayProgram is the far side. It is up while there is a file "gateway-up", and forgets its peers when there is one
// named "forget".
func gatewayProgram() error {
	key, err := wgtypes.GeneratePrivateKey()
	if err != nil {
		return err
	}
	for {
		for !there("gateway-up") {
			time.Sleep(50 * time.Millisecond)
		}
		if err := serveGateway(key); err != nil {
			return err
		}
	}
}

func serveGateway(key wgtypes.Key) error {
	inside := netip.MustParseAddr("10.80.0.1")
	end, err := wglab.Open("gateway", inside, wgtypes.Config{PrivateKey: &key})
	if err != nil {
		return err
	}
	defer end.Close()
	server := &http.Server{Addr: "127.0.0.1:8000", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lease, err := admit(end, key, inside, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_ = json.NewEncoder(w).Encode(lease)
	})}
	listener, err := net.Listen("tcp", server.Addr)
	if err != nil {
		return err
	}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	for there("gateway-up") {
		if there("forget") {
			_ = os.Remove(shared + "forget")
			if err := end.Configure(wgtypes.Config{ReplacePeers: true}); err != nil {
				return err
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// admit makes a guest a peer that is sent a keepalive each second.
func admit(end *wglab.End, key wgtypes.Key, inside netip.Addr, r *http.Request) (register.Lease, error) {
	var request register.Request
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		return register.Lease{}, err
	}
	guest, err := wgtypes.ParseKey(request.PublicKey)
	if err != nil {
		return register.Lease{}, err
	}
	address, keepalive := netip.MustParseAddr("10.80.0.2"), time.Second
	err = end.Configure(wgtypes.Config{Peers: []wgtypes.PeerConfig{{
		PublicKey: guest, PersistentKeepaliveInterval: &keepalive,
		ReplaceAllowedIPs: true, AllowedIPs: []net.IPNet{register.Host(address)},
	}}})
	if err != nil {
		return register.Lease{}, err
	}
	endpoint, err := end.Endpoint()
	return register.Lease{Address: address, GatewayAddress: inside, GatewayKey: key.PublicKey().String(), Endpoint: endpoint}, err
}
