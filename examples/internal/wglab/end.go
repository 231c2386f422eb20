// Package wglab makes WireGuard ends inside this process: wireguard-go over a TCP/IP stack of its own, with UDP on
// loopback. It needs no root, no interface and no service, and nothing outside the machine can reach it.
package wglab

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"

	"golang.zx2c4.com/wireguard/device"
	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// An End is one WireGuard interface. Several goroutines may share it.
type End struct {
	name   string
	inner  *inner
	device *device.Device
}

// Open makes an end that has this address inside the tunnel, configures it and brings it up. Without a listen port the
// system picks one. A peer that has an endpoint and a keepalive is greeted at once; configure the other side first, for
// a greeting that finds nobody is repeated only 5 s later.
func Open(name string, address netip.Addr, cfg wgtypes.Config) (*End, error) {
	inner, err := newInner(address)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	quiet := device.NewLogger(device.LogLevelSilent, "")
	e := &End{name: name, inner: inner, device: device.NewDevice(inner, &loopback{}, quiet)}
	if err := errors.Join(e.Configure(cfg), e.device.Up()); err != nil {
		e.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return e, nil
}

// Configure changes what cfg sets and leaves the rest as it is.
func (e *End) Configure(cfg wgtypes.Config) error { return e.device.IpcSet(ConfigText(cfg)) }

// Device reads the interface as wgctrl's client would. An end knows no name but its own.
func (e *End) Device(name string) (*wgtypes.Device, error) {
	if name != e.name {
		return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	text, err := e.device.IpcGet()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d, err := ParseDevice(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	d.Name, d.Type = name, wgtypes.Userspace
	return d, nil
}

// Endpoint is where the other end sends its UDP packets to.
func (e *End) Endpoint() (netip.AddrPort, error) {
	d, err := e.Device(e.name)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(d.ListenPort)), nil
}

// DialContext connects through the tunnel to an IPv4 address and port; the only network is "tcp". A http.Transport takes
// it.
func (e *End) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return e.inner.dial(ctx, network, address)
}

// Listen takes connections that come through the tunnel to a TCP port.
func (e *End) Listen(port uint16) (net.Listener, error) { return e.inner.listen(port) }

// Close takes the interface away, with its stack and its socket.
func (e *End) Close() { e.device.Close() }
