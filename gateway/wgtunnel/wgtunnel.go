// Package wgtunnel observes a WireGuard tunnel for the gateway kernel, through wgctrl or anything else that gives its
// Device.
//
// What it reads is not always what is: a daemon that is stopped never answers, one that dies in the middle of an answer
// gives half of it as a whole. So a read has a deadline, a read that failed or looks torn is unknown, and bad news
// counts only once it was read twice running.
package wgtunnel

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/internal/wgread"
)

// Client reads devices. [golang.zx2c4.com/wireguard/wgctrl.Client] satisfies it.
type Client interface {
	// Device is the device of that name, or an error that wraps fs.ErrNotExist.
	Device(name string) (*wgtypes.Device, error)
}

// Observer is a [gateway.Observer] of one WireGuard interface. Its fields are set before the first look; one goroutine
// uses it.
type Observer struct {
	// Client reads the interface, whose name Interface is; both are required.
	Client    Client
	Interface string
	// Config says whether the tunnel's configuration is there, required; [ConfigFile] is one. An error is unknown.
	Config func(context.Context) (bool, error)
	// Peers are the peers that the tunnel needs. The one heard of longest ago decides, so that a live one never hides a
	// dead one for longer than their own handshakes are apart. None means all that the interface has.
	Peers []wgtypes.Key
	// ReceivedBytes takes received bytes for proof of life too, which tells a dead tunnel sooner and needs an other end
	// that sends keepalives. Growth by whole handshake initiations proves nothing: the other end knocks, and may hear
	// nothing of us.
	ReceivedBytes bool
	// Timeout bounds one read. Zero means 5 s.
	Timeout time.Duration
	// Clock dates received bytes; nil is the real one.
	Clock gateway.Clock

	reader    wgread.Reader
	looked    bool                 // peers holds what a look found
	peers     map[wgtypes.Key]peer // at the last look that was believed
	suspected []string             // the bad news of the last look, if it was not believed
}

// ConfigFile says whether a file is there and not empty.
func ConfigFile(path string) func(context.Context) (bool, error) {
	return func(context.Context) (bool, error) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil && info.Size() > 0, err
	}
}

// Observe looks at the configuration, and at the tunnel where there is one.
func (o *Observer) Observe(ctx context.Context) (gateway.Observation, error) {
	there, err := o.Config(ctx)
	if err != nil {
		return gateway.Observation{}, fmt.Errorf("config: %w", err)
	}
	if !there {
		o.looked, o.peers, o.suspected = false, nil, nil
		return gateway.Observation{Config: gateway.ConfigAbsent}, nil
	}
	obs := gateway.Observation{Config: gateway.ConfigPresent}
	device, err := o.read(ctx)
	if err != nil {
		o.suspected = nil // what is not seen twice running is not believed
		return obs, err
	}
	obs.Handshake, obs.Stamp, err = o.judge(device)
	return obs, err
}

// read is the device; an empty one where there is no interface of that name, which is an answer and no failure.
func (o *Observer) read(ctx context.Context) (*wgtypes.Device, error) {
	timeout := o.Timeout
	if timeout == 0 {
		timeout = 5 * time.Second
	}
	device, err := o.reader.Device(ctx, o.Client, o.Interface, timeout)
	if errors.Is(err, fs.ErrNotExist) {
		return &wgtypes.Device{}, nil
	}
	return device, err
}
