package watchdog_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// manager stands in for the service manager: it notes what it is sent, and fails or is slow as its fields say.
type manager struct {
	ping   func(second float64, limit time.Duration) error
	status func(second float64, limit time.Duration) error

	mu       sync.Mutex
	began    time.Time
	pings    []float64 // when a ping came, failed or not
	statuses []string
	limits   []time.Duration // of each send
}

func (m *manager) Ping(limit time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pings, m.limits = append(m.pings, m.second()), append(m.limits, limit)
	if m.ping == nil {
		return nil
	}
	return m.ping(m.second(), limit)
}

func (m *manager) Status(text string, limit time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.statuses, m.limits = append(m.statuses, text), append(m.limits, limit)
	if m.status == nil {
		return nil
	}
	return m.status(m.second(), limit)
}

func (m *manager) second() float64 { return time.Since(m.began).Seconds() }

// bubble is a program in virtual time: a runner, its manager and its log.
type bubble struct {
	*watchdog.Runner
	manager *manager
	log     *bytes.Buffer
	steps   []watchdog.StepRecord
}

// inBubble runs f in a synctest bubble, in which a leaked goroutine fails the test.
func inBubble(t *testing.T, cfg watchdog.Config, f func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{manager: &manager{began: time.Now()}, log: &bytes.Buffer{}}
		b.Runner = &watchdog.Runner{
			Kernel: newKernel(t, cfg), Notifier: b.manager, Logger: slog.New(slog.NewTextHandler(b.log, nil)),
			OnStep: func(rec watchdog.StepRecord) { b.steps = append(b.steps, rec) },
		}
		f(t, b)
	})
}

// handle is the handle of the loop of this name.
func (b *bubble) handle(t *testing.T, name string) *watchdog.Handle {
	t.Helper()
	h, err := b.Handle(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// work is a work loop: a pass at each interval, until ctx ends.
func work(ctx context.Context, h *watchdog.Handle, interval time.Duration, pass func()) {
	for {
		h.Beat()
		next := time.Now().Add(interval)
		pass()
		if h.SleepUntil(ctx, next) != nil {
			return
		}
	}
}

// idle is a pass in which there is nothing to do.
func idle() {}

// workFor runs one work loop for d.
func workFor(t *testing.T, h *watchdog.Handle, d, interval time.Duration, pass func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	work(ctx, h, interval, pass)
}

// wantLines wants each text so often in the log.
func (b *bubble) wantLines(t *testing.T, want map[string]int) {
	t.Helper()
	for text, n := range want {
		if got := strings.Count(b.log.String(), text); got != n {
			t.Errorf("%d lines with %s, want %d in:\n%s", got, text, n, b.log)
		}
	}
}

// wantPings wants pings at these seconds.
func (b *bubble) wantPings(t *testing.T, want ...float64) {
	t.Helper()
	got := b.manager.pings
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = got[i] == want[i]
	}
	if !same {
		t.Errorf("pings at\n%v, want\n%v", got, want)
	}
}

// wantAlive wants no pause as long as the timeout, from the beginning to now.
func (b *bubble) wantAlive(t *testing.T) {
	t.Helper()
	last := 0.0
	for _, at := range append(b.manager.pings, b.manager.second()) {
		if pause := secs(at - last); pause >= b.Kernel.Config().Timeout {
			t.Errorf("no ping from %v s to %v s: the service manager ends the program", last, at)
		}
		last = at
	}
}
