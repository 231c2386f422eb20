package main

import (
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// How long the service manager would wait for a ping, and how long the prober's loop may go without a beat.
const (
	pingTimeout  = 8 * time.Second
	proberBudget = 2 * time.Second
)

// The loops that the watchdog watches.
const (
	tunnelLoop = "tunnel"
	proberLoop = "prober"
)

// manager stands for the service manager of this program: it takes the messages on a socket of its own, as systemd does,
// but ends nobody whose pings stay away.
type manager struct {
	report *report
	conn   *net.UnixConn
	runner *watchdog.Runner
	done   sync.WaitGroup

	mu    sync.Mutex
	pings []time.Time
	late  string // the loop for whose silence the pings are withheld
}

// newManager listens under the name of dir, or in it, and makes the watchdog of this program's loops.
func newManager(dir string, r *report) (*manager, error) {
	address := &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"}
	if runtime.GOOS == "linux" {
		address.Name = "@" + filepath.Base(dir) // no file: the path of one may be too long for a socket
	}
	conn, err := net.ListenUnixgram("unixgram", address)
	if err != nil {
		return nil, err
	}
	m := &manager{report: r, conn: conn}
	m.done.Go(m.listen)
	notifier := sdnotify.New(sdnotify.Environment{Socket: address.Name, Watchdog: pingTimeout})
	kernel, err := watchdog.New(watchdog.Config{Timeout: pingTimeout, Sources: []watchdog.Source{
		{Name: tunnelLoop}, {Name: proberLoop, Budget: proberBudget},
	}})
	if err != nil {
		return m, err
	}
	m.runner = &watchdog.Runner{Kernel: kernel, Notifier: notifier, Clock: r.clock, OnStep: m.onStep}
	return m, notifier.Ready()
}

// listen notes the pings until the socket is closed.
func (m *manager) listen() {
	message := make([]byte, 4096)
	for {
		n, err := m.conn.Read(message)
		if err != nil {
			return
		}
		if strings.Contains(string(message[:n]), "WATCHDOG=1") {
			m.mu.Lock()
			m.pings = append(m.pings, m.report.clock.Now())
			m.mu.Unlock()
		}
	}
}

// onStep reports when pings are withheld, and when they come again.
func (m *manager) onStep(rec watchdog.StepRecord) {
	d := rec.Decision
	if m.withheldFor() == d.Late {
		return
	}
	m.mu.Lock()
	m.late = d.Late
	m.mu.Unlock()
	why := strings.TrimPrefix(m.runner.Kernel.Explain(rec.State, d), d.Reason.String()+": ")
	m.report.row("watchdog", fmt.Sprintf("%-17s  %s", d.Reason, why))
}

func (m *manager) withheldFor() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.late
}

// pingedSince says whether a ping came after t.
func (m *manager) pingedSince(t time.Time) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pings) > 0 && m.pings[len(m.pings)-1].After(t)
}

func (m *manager) pinged() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.pings)
}

func (m *manager) close() {
	_ = m.conn.Close() // nobody listens any more either way
	m.done.Wait()
}
