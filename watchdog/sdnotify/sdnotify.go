// Package sdnotify tells systemd, or whatever service manager speaks its protocol, how the program is: ready, reloading,
// stopping, alive. Where no service manager asked, everything here does nothing and succeeds.
//
// The protocol's words come from go-systemd. The sending does not: its sends have no deadline, and a service manager
// that does not read would hang the very loop that it watches.
package sdnotify

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// longestMessage is what systemd reads of one datagram; a longer one is dropped whole, and the sender not told.
const longestMessage = 4096

// defaultLimit bounds the sends that have no limit of their own.
const defaultLimit = time.Second

// ErrNotReady says that a message was not sent because READY has to come first.
var ErrNotReady = errors.New("sdnotify: not ready yet")

// Notifier sends messages to one service manager. Any number of goroutines may share it. The zero Notifier, like one of
// an empty Environment, sends nothing.
type Notifier struct {
	socket string
	lock   chan struct{} // holds the one token of whoever sends; a channel, since waiting for it has to end in time
	ready  readiness
}

// readiness is how far READY has come.
type readiness uint8

const (
	unready readiness = iota
	unsent            // said, but not sent yet: it goes ahead of whatever is sent next
	sent
)

// New is the Notifier of an environment.
func New(env Environment) *Notifier {
	return &Notifier{socket: env.Socket, lock: make(chan struct{}, 1)}
}

// Ready says that the program has started. It is sent once, however often it is said; if it can't be sent, the error
// says so, and it goes ahead of the next message. It belongs before the program decides that it has nothing to do: an
// exit before READY is a failure to systemd, and the unit restarts for ever.
func (n *Notifier) Ready() error {
	deadline := time.Now().Add(defaultLimit)
	if held, err := n.acquire(deadline); !held {
		return err
	}
	defer n.release()
	if n.ready == unready {
		n.ready = unsent
	}
	return n.flush(deadline)
}

// Ping says that the program works, within limit. Before Ready it is ErrNotReady.
func (n *Notifier) Ping(limit time.Duration) error { return n.send(daemon.SdNotifyWatchdog, limit) }

// Status says, for people, what the program is at, within limit. Line breaks become blanks, and what is too long is cut.
// Before Ready it is ErrNotReady.
func (n *Notifier) Status(text string, limit time.Duration) error {
	return n.send(status(text), limit)
}

// Reloading says that the program reads its configuration anew; Reloaded has to follow.
func (n *Notifier) Reloading() error {
	// Both belong into one datagram: systemd takes RELOADING without the time for a mistake.
	return n.send(daemon.SdNotifyReloading+"\n"+strings.TrimSpace(daemon.SdNotifyMonotonicUsec()), defaultLimit)
}

// Reloaded says that the reload is over, and how it failed if it did: either way the program serves again.
func (n *Notifier) Reloaded(failure error) error {
	message := daemon.SdNotifyReady
	if failure != nil {
		message += "\n" + status("reload failed: "+failure.Error())
	}
	return n.send(message, defaultLimit)
}

// Stopping says that the program is on its way out.
func (n *Notifier) Stopping() error { return n.send(daemon.SdNotifyStopping, defaultLimit) }

// status is a STATUS line that can be sent whatever the text is.
func status(text string) string {
	text = text[:min(len(text), longestMessage/2)] // the rest of the message has to fit as well
	return "STATUS=" + strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "")) // the cut may have left half a rune
}

// send sends one message, READY ahead of it if that is still to be sent. The limit holds for all of it, the wait for
// others that send included.
func (n *Notifier) send(message string, limit time.Duration) error {
	deadline := time.Now().Add(limit)
	if held, err := n.acquire(deadline); !held {
		return err
	}
	defer n.release()
	if n.ready == unready {
		return ErrNotReady
	}
	if err := n.flush(deadline); err != nil {
		return err
	}
	return n.write(message, deadline)
}

// acquire takes the lock, unless the deadline comes first or there is nobody to send to.
func (n *Notifier) acquire(deadline time.Time) (held bool, err error) {
	if n.socket == "" {
		return false, nil
	}
	late := time.NewTimer(time.Until(deadline))
	defer late.Stop()
	select {
	case n.lock <- struct{}{}:
		return true, nil
	case <-late.C:
		return false, fmt.Errorf("sdnotify: waiting for another send: %w", os.ErrDeadlineExceeded)
	}
}

func (n *Notifier) release() { <-n.lock }

// flush sends READY if it was said and is not sent yet. The Notifier is locked.
func (n *Notifier) flush(deadline time.Time) error {
	if n.ready != unsent {
		return nil
	}
	if err := n.write(daemon.SdNotifyReady, deadline); err != nil {
		return err
	}
	n.ready = sent
	return nil
}

// write sends one datagram before the deadline. A new socket for each survives a service manager that is executed anew, and
// closes with it: no child inherits it.
func (n *Notifier) write(message string, deadline time.Time) error {
	if err := check(message); err != nil {
		return err
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: n.socket, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("sdnotify: %w", err)
	}
	defer conn.Close()
	if err := conn.SetWriteDeadline(deadline); err != nil {
		return fmt.Errorf("sdnotify: %w", err)
	}
	if _, err := conn.Write([]byte(message)); err != nil {
		return fmt.Errorf("sdnotify: %w", err)
	}
	return nil
}

// check refuses what systemd would drop without a word.
func check(message string) error {
	switch {
	case message == "":
		return errors.New("sdnotify: the message is empty")
	case len(message) > longestMessage:
		return fmt.Errorf("sdnotify: the message has %d bytes, above %d", len(message), longestMessage)
	case strings.ContainsAny(message, "\x00\r"):
		return fmt.Errorf("sdnotify: %q: a message has no NUL and no carriage return", message)
	}
	return nil
}
