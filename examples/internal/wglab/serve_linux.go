package wglab

import (
	"fmt"

	"golang.zx2c4.com/wireguard/ipc"
)

// Serve lets wgctrl and wg(8) read and configure the end under its name: it opens the socket in /var/run/wireguard that
// they look for, which takes root. stop closes it again.
func (e *End) Serve() (stop func() error, err error) {
	file, err := ipc.UAPIOpen(e.name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	defer file.Close() // the listener has a copy of its own
	listener, err := ipc.UAPIListen(e.name, file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.name, err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go e.device.IpcHandle(conn)
		}
	}()
	return listener.Close, nil
}
