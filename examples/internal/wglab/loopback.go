package wglab

import (
	"net"
	"net/netip"
	"sync/atomic"

	"golang.zx2c4.com/wireguard/conn"
)

// loopback is the UDP side of an end: one socket on 127.0.0.1. The bind that comes with wireguard-go listens on every
// address of the machine, which an example has no business to do.
type loopback struct {
	socket atomic.Pointer[net.UDPConn] // nil: closed
}

// Open takes a port, any free one for 0.
func (b *loopback) Open(port uint16) ([]conn.ReceiveFunc, uint16, error) {
	if b.socket.Load() != nil {
		return nil, 0, conn.ErrBindAlreadyOpen
	}
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: int(port)})
	if err != nil {
		return nil, 0, err
	}
	b.socket.Store(socket)
	receive := func(packets [][]byte, sizes []int, endpoints []conn.Endpoint) (int, error) {
		n, from, err := socket.ReadFromUDPAddrPort(packets[0])
		if err != nil {
			return 0, err
		}
		sizes[0], endpoints[0] = n, &conn.StdNetEndpoint{AddrPort: from}
		return 1, nil
	}
	return []conn.ReceiveFunc{receive}, uint16(socket.LocalAddr().(*net.UDPAddr).Port), nil
}

// Close ends the receive function that Open gave.
func (b *loopback) Close() error {
	if socket := b.socket.Swap(nil); socket != nil {
		return socket.Close()
	}
	return nil
}

// Send sends each packet as a datagram.
func (b *loopback) Send(packets [][]byte, to conn.Endpoint) error {
	socket := b.socket.Load()
	if socket == nil {
		return net.ErrClosed
	}
	endpoint, ok := to.(*conn.StdNetEndpoint)
	if !ok {
		return conn.ErrWrongEndpointType
	}
	for _, packet := range packets {
		if _, err := socket.WriteToUDPAddrPort(packet, endpoint.AddrPort); err != nil {
			return err
		}
	}
	return nil
}

// SetMark has nothing to do: loopback traffic is not routed.
func (b *loopback) SetMark(uint32) error { return nil }

// ParseEndpoint reads an address and a port.
func (b *loopback) ParseEndpoint(text string) (conn.Endpoint, error) {
	to, err := netip.ParseAddrPort(text)
	return &conn.StdNetEndpoint{AddrPort: to}, err
}

// BatchSize is how many packets go in one call.
func (b *loopback) BatchSize() int { return 1 }
