package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

const (
	probeInterval = 150 * time.Millisecond
	probeTimeout  = 300 * time.Millisecond
)

// prober sends a request through the tunnel at a steady pace and keeps count, to tell for how long there was no route.
type prober struct {
	clock  clock
	loop   *watchdog.Handle
	tunnel atomic.Pointer[tunnel] // the guest's at the time
	wait   atomic.Pointer[chan struct{}]

	mu       sync.Mutex
	sent     int
	answered int
	last     time.Time       // when the last request that was answered was sent
	without  time.Time       // since when none was answered; zero: the last one was
	failed   time.Time       // when the last one that was not answered was sent
	outages  []time.Duration // how long each time without a route was that is over
}

// run probes until ctx ends.
func (p *prober) run(ctx context.Context) {
	for {
		p.loop.Beat()
		if free := p.wait.Swap(nil); free != nil {
			select { // this is the hang that is shown
			case <-*free:
			case <-ctx.Done():
			}
		}
		sent := p.clock.Now()
		err := p.probe(ctx)
		if ctx.Err() != nil {
			return
		}
		p.note(sent, err == nil)
		if p.loop.SleepUntil(ctx, sent.Add(probeInterval)) != nil {
			return
		}
	}
}

// hang makes the loop hang in its next pass, until free is closed.
func (p *prober) hang(free chan struct{}) { p.wait.Store(&free) }

func (p *prober) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DialContext: p.tunnel.Load().DialContext, DisableKeepAlives: true}}
	return expect(ctx, client, "http://"+gatewayAddress+"/", greeting)
}

func (p *prober) note(sent time.Time, answered bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent++
	switch {
	case !answered && p.without.IsZero():
		p.without = sent
	case answered && !p.without.IsZero():
		p.outages = append(p.outages, p.clock.Now().Sub(p.without))
		p.without = time.Time{}
	}
	if answered {
		p.answered++
		p.last = sent
	} else {
		p.failed = sent
	}
}

// routeSince says whether a request was answered that was sent after t.
func (p *prober) routeSince(t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last.After(t)
}

// noRouteSince says whether the last request was sent after t and not answered.
func (p *prober) noRouteSince(t time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed.After(t) && p.failed.After(p.last)
}

// expect asks for a page and compares it.
func expect(ctx context.Context, client *http.Client, url, want string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	got, err := io.ReadAll(answer.Body)
	if err == nil && string(got) != want {
		err = fmt.Errorf("%s: got %q, want %q", url, got, want)
	}
	return err
}
