// Package wgread reads WireGuard devices without ever hanging on one: a daemon that is stopped answers no read, and
// wgctrl has no deadline of its own.
package wgread

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"
)

// Client reads devices. [golang.zx2c4.com/wireguard/wgctrl.Client] satisfies it.
type Client interface {
	// Device is the device of that name, or an error that wraps fs.ErrNotExist.
	Device(name string) (*wgtypes.Device, error)
}

// ErrInFlight says that a read from before has not come back yet, so that no further one was begun.
var ErrInFlight = errors.New("the read before has not come back")

// A Reader reads from one Client, one read at a time. One goroutine uses it.
type Reader struct {
	inFlight chan struct{} // closed when the read that was given up comes back; nil: none
}

// Device reads the device within timeout and before ctx ends. A read that does not come back in time is left behind in
// its goroutine, and its answer, old when it comes, is dropped.
func (r *Reader) Device(ctx context.Context, client Client, name string, timeout time.Duration) (*wgtypes.Device, error) {
	if r.pending() {
		return nil, fmt.Errorf("reading %s: %w", name, ErrInFlight)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var device *wgtypes.Device
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		device, err = client.Device(name)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		r.inFlight = done
		return nil, fmt.Errorf("reading %s: %w", name, ctx.Err())
	}
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return device, nil
}

func (r *Reader) pending() bool {
	if r.inFlight == nil {
		return false
	}
	select {
	case <-r.inFlight:
		r.inFlight = nil
		return false
	default:
		return true
	}
}
