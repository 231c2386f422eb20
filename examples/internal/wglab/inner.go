package wglab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.zx2c4.com/wireguard/device"
	"golang.zx2c4.com/wireguard/tun"
	"gvisor.dev/gvisor/pkg/buffer"
	"gvisor.dev/gvisor/pkg/tcpip"
	"gvisor.dev/gvisor/pkg/tcpip/adapters/gonet"
	"gvisor.dev/gvisor/pkg/tcpip/header"
	"gvisor.dev/gvisor/pkg/tcpip/link/channel"
	"gvisor.dev/gvisor/pkg/tcpip/network/ipv4"
	"gvisor.dev/gvisor/pkg/tcpip/stack"
	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

const (
	nic    = 1
	queued = 1024 // packets on their way out before the stack drops some
)

// inner is the inside of an end: for wireguard-go a tun.Device, for programs a TCP/IP stack. The one that comes with
// wireguard-go closes a channel to which its stack still sends when packets arrive during Close, which is a panic; this
// one reads the stack's own queue.
type inner struct {
	link   *channel.Endpoint
	stack  *stack.Stack
	events chan tun.Event
}

func newInner(address netip.Addr) (*inner, error) {
	if !address.Is4() {
		return nil, fmt.Errorf("address %v: is not IPv4, the only one that a lab knows", address)
	}
	t := &inner{
		link: channel.New(queued, device.DefaultMTU, ""),
		stack: stack.New(stack.Options{
			NetworkProtocols:   []stack.NetworkProtocolFactory{ipv4.NewProtocol},
			TransportProtocols: []stack.TransportProtocolFactory{tcp.NewProtocol},
		}),
		events: make(chan tun.Event),
	}
	if err := t.stack.CreateNIC(nic, t.link); err != nil {
		return nil, fmt.Errorf("making a stack: %v", err)
	}
	own := tcpip.ProtocolAddress{Protocol: ipv4.ProtocolNumber, AddressWithPrefix: tcpip.AddrFrom4(address.As4()).WithPrefix()}
	if err := t.stack.AddProtocolAddress(nic, own, stack.AddressProperties{}); err != nil {
		return nil, fmt.Errorf("address %v: %v", address, err)
	}
	t.stack.AddRoute(tcpip.Route{Destination: header.IPv4EmptySubnet, NIC: nic})
	return t, nil
}

// dial connects to an IPv4 address and port inside the tunnel; the only network is "tcp".
func (t *inner) dial(ctx context.Context, network, address string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	if network != "tcp" || !to.Addr().Is4() {
		return nil, fmt.Errorf("dialling %s %s: only tcp over IPv4 is there", network, address)
	}
	full := tcpip.FullAddress{NIC: nic, Addr: tcpip.AddrFrom4(to.Addr().As4()), Port: to.Port()}
	conn, err := gonet.DialContextTCP(ctx, t.stack, full, ipv4.ProtocolNumber)
	if err != nil {
		return nil, err // not conn: a nil pointer in an interface is no nil interface
	}
	return conn, nil
}

// listen takes connections to a port inside the tunnel.
func (t *inner) listen(port uint16) (net.Listener, error) {
	listener, err := gonet.ListenTCP(t.stack, tcpip.FullAddress{NIC: nic, Port: port}, ipv4.ProtocolNumber)
	if err != nil {
		return nil, err
	}
	return listener, nil
}

// Read hands a packet that leaves the stack to wireguard-go.
func (t *inner) Read(packets [][]byte, sizes []int, offset int) (int, error) {
	packet := t.link.ReadContext(context.Background()) // nil once the link is closed
	if packet == nil {
		return 0, os.ErrClosed
	}
	view := packet.ToView()
	packet.DecRef()
	defer view.Release()
	sizes[0] = copy(packets[0][offset:], view.AsSlice())
	return 1, nil
}

// Write hands packets that came through the tunnel to the stack. wireguard-go lets through only what carries an allowed
// address, and those are IPv4.
func (t *inner) Write(packets [][]byte, offset int) (int, error) {
	for _, data := range packets {
		packet := stack.NewPacketBuffer(stack.PacketBufferOptions{Payload: buffer.MakeWithData(data[offset:])})
		t.link.InjectInbound(ipv4.ProtocolNumber, packet)
		packet.DecRef()
	}
	return len(packets), nil
}

// Close ends the stack with its connections. wireguard-go calls it once.
func (t *inner) Close() error {
	t.stack.RemoveNIC(nic)
	t.stack.Close()
	t.link.Close()
	close(t.events)
	return nil
}

// The rest is what wireguard-go asks of any tun.Device.

func (t *inner) MTU() (int, error)        { return device.DefaultMTU, nil }
func (t *inner) Name() (string, error)    { return "", errors.ErrUnsupported }
func (t *inner) File() *os.File           { return nil }
func (t *inner) Events() <-chan tun.Event { return t.events }
func (t *inner) BatchSize() int           { return 1 }
