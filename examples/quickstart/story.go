package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/gateway"
)

const (
	mintTakes = 1500 * time.Millisecond
	patience  = 30 * time.Second // for one claim, on a machine that is busy with other things
)

// story is the world and what was shown of it. The first thing that goes wrong is kept in err, and after it nothing
// more is done or claimed.
type story struct {
	ctx     context.Context
	dir     string
	trace   string
	report  *report
	gateway *gatewayServer
	guest   *guest // nil: it never booted
	prober  *prober
	manager *manager
	probing sync.WaitGroup
	mints   atomic.Int32
	traces  []*os.File
	err     error

	upAfter time.Duration        // when the application first answered
	tried   []gateway.StepRecord // by guests that are gone
}

// tell plays the story in dir and returns what did not come true.
func tell(ctx context.Context, dir, trace string, r *report) error {
	far, err := newGateway()
	if err != nil {
		return err
	}
	own, err := newManager(dir, r)
	if err != nil {
		return err
	}
	defer own.close()
	loop, err := own.runner.Handle(proberLoop)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &story{ctx: ctx, dir: dir, trace: trace, report: r, gateway: far, manager: own, prober: &prober{clock: r.clock, loop: loop}}
	r.introduce()
	for _, act := range []func(){s.bootWithoutGateway, s.gatewayReturns, s.tunnelIsCut, s.guestRestarts, s.loopHangs} {
		if s.err == nil {
			act()
		}
	}
	cancel()
	s.close()
	if s.err == nil {
		s.summary()
	}
	return s.err
}

func (s *story) bootWithoutGateway() {
	s.report.title("1. The guest boots while its gateway is down.")
	began := s.report.clock.Now()
	s.do("the guest boots", func() error { return s.boot("") })
	s.await("the application answers", s.applicationAnswers)
	s.upAfter = s.report.clock.Now().Sub(began)
	s.claim("it was up within a second and did not wait for the gateway, which is not there", func() bool {
		return s.upAfter < time.Second && s.gateway.end == nil
	})
	s.await("three registrations failed", func() bool { return len(s.guest.attempts()) >= 3 })
	s.claim("the first retry waited 500ms at least, the next one 1s", func() bool {
		tried := s.guest.attempts()
		return pause(tried, 1) >= firstRetry && pause(tried, 2) >= 2*firstRetry
	})
	s.claim("all of them used one key, minted once", s.mintedOnce)
	s.claim("the application still answers", s.applicationAnswers)
}

func (s *story) gatewayReturns() {
	s.report.title("2. The gateway comes back, and is not ready at first.")
	s.do("the gateway starts", s.gateway.start)
	refused := -1
	s.await("it refused a registration and asked for 3s", func() bool {
		refused = s.find(0, func(p gateway.StepRecord) bool { return p.Outcome.RetryAfter == startingUp })
		return refused >= 0
	})
	s.await("a registration succeeded", func() bool { return s.find(refused, succeeded) >= 0 })
	s.claim("it was sent 3s after the refusal or later", func() bool {
		return pause(s.guest.attempts(), refused+1) >= startingUp
	})
	s.await("a request through the tunnel is answered", s.routed(s.report.clock.Now()))
	s.await("the kernel has seen the handshake", s.healthy)
	s.await("a periodic refresh succeeded", func() bool {
		return s.find(refused, func(p gateway.StepRecord) bool { return succeeded(p) && p.Outcome.Action == gateway.ActionRefresh }) >= 0
	})
	s.claim("it left the interface alone, for nothing had changed", func() bool { return s.guest.tunnel.built() == 1 })
	s.claim("there still is one key", s.mintedOnce)
}

func (s *story) tunnelIsCut() {
	s.report.title("3. The gateway loses its table of peers: the tunnel is dead, and nobody says so.")
	cut, from := s.report.clock.Now(), len(s.guest.attempts())
	s.do("the gateway forgets its peers", s.gateway.forget)
	s.await("requests through the tunnel are not answered any more", func() bool { return s.prober.noRouteSince(cut) })
	s.claim("the application still answers", s.applicationAnswers)
	forced := -1
	s.await("a forced refresh succeeded", func() bool {
		forced = s.find(from, func(p gateway.StepRecord) bool { return succeeded(p) && p.Outcome.Action == gateway.ActionForceRefresh })
		return forced >= 0
	})
	s.claim("it came after 3s of silence", func() bool {
		return s.guest.attempts()[forced].Decision.Silence >= silenceLimit
	})
	s.claim("it rebuilt the interface", func() bool { return s.guest.tunnel.built() > 1 })
	s.await("a request through the tunnel is answered again", s.routed(s.report.clock.Now()))
	s.await("the kernel has seen the new handshake", s.healthy)
}

func (s *story) guestRestarts() {
	s.report.title("4. The guest restarts, and finds its key and its configuration.")
	s.do("the guest goes down", func() error { s.shutDown(); return nil })
	began := s.report.clock.Now()
	s.do("the guest boots", func() error { return s.boot(".restart") })
	s.await("the application answers", s.applicationAnswers)
	s.await("a request through the tunnel is answered", s.routed(began))
	s.await("a periodic refresh succeeded", func() bool { return s.find(0, succeeded) >= 0 })
	s.claim("nothing but refreshes was needed", func() bool {
		return s.find(0, func(p gateway.StepRecord) bool { return p.Outcome.Action != gateway.ActionRefresh }) < 0
	})
	s.claim("the key was loaded, not minted again", s.mintedOnce)
	s.claim("to the gateway it is the same guest as before", func() bool { return s.gateway.guests() == 1 })
}

func (s *story) loopHangs() {
	s.report.title("5. A loop of this program hangs, and the service manager is to know, though the other loop goes on.")
	s.await("the service manager was pinged", func() bool { return s.manager.pinged() > 0 })
	hung, free := s.report.clock.Now(), make(chan struct{})
	s.do("the loop that sends the requests hangs", func() error { s.prober.hang(free); return nil })
	s.await("the ping is withheld, for the prober's sake", func() bool { return s.manager.withheldFor() == proberLoop })
	withheld := s.report.clock.Now()
	s.claim("its loop was silent for 2s before", func() bool { return withheld.Sub(hung) >= proberBudget-probeInterval-probeTimeout })
	s.await("the other loop makes passes all the same, until a ping is overdue", func() bool {
		return s.guest.passedSince(withheld.Add(pingTimeout / 4))
	})
	s.claim("none of them pinged", func() bool { return !s.manager.pingedSince(withheld) })
	s.do("the loop goes on", func() error { close(free); return nil })
	s.await("the service manager is pinged again", func() bool { return s.manager.pingedSince(withheld) && s.manager.withheldFor() == "" })
}

// do does something to the world.
func (s *story) do(what string, step func() error) {
	if s.err != nil {
		return
	}
	s.report.event("%s", what)
	if err := step(); err != nil {
		s.err = fmt.Errorf("%s: %w", what, err)
	}
}

// claim checks that something is true now.
func (s *story) claim(text string, holds func() bool) {
	switch {
	case s.err != nil:
	case holds():
		s.report.holds(text)
	case s.ctx.Err() != nil: // an interrupted check proves nothing
		s.err = s.ctx.Err()
	default:
		s.err = fmt.Errorf("this did not come true: %s", text)
	}
}

// await checks that something comes true.
func (s *story) await(text string, holds func() bool) {
	if s.err != nil {
		return
	}
	limit := time.After(patience)
	for !holds() {
		select {
		case <-s.ctx.Done():
			s.err = s.ctx.Err()
			return
		case <-limit:
			s.err = fmt.Errorf("this did not come true within %v: %s", patience, text)
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	s.report.holds(text)
}

// boot makes a guest on what earlier ones left, and starts it.
func (s *story) boot(suffix string) error {
	trace, err := s.openTrace(suffix)
	if err != nil {
		return err
	}
	loop, err := s.manager.runner.Handle(tunnelLoop)
	if err != nil {
		return err
	}
	next, err := newGuest(s.dir, s.gateway, s.mint, s.report, trace)
	if err != nil {
		return err
	}
	next.runner.Pacer = loop
	s.prober.tunnel.Store(next.tunnel)
	if err := next.start(s.ctx); err != nil {
		return err
	}
	if s.guest == nil {
		s.probing.Go(func() { s.prober.run(s.ctx) })
	}
	s.guest = next
	return nil
}

// openTrace is where a guest's trace goes, nil for nowhere.
func (s *story) openTrace(suffix string) (io.Writer, error) {
	if s.trace == "" {
		return nil, nil
	}
	file, err := os.Create(s.trace + suffix)
	if err != nil {
		return nil, err
	}
	s.traces = append(s.traces, file)
	return file, nil
}

// mint makes a key, as slowly as a key service does that is asked over a network.
func (s *story) mint(ctx context.Context) (wgtypes.Key, error) {
	s.report.event("a key is minted, which takes %v", mintTakes)
	s.mints.Add(1)
	select {
	case <-ctx.Done():
		return wgtypes.Key{}, ctx.Err()
	case <-time.After(mintTakes):
		return wgtypes.GeneratePrivateKey()
	}
}

func (s *story) shutDown() {
	s.guest.stop()
	s.tried = append(s.tried, s.guest.attempts()...)
}

// close ends everything that was started.
func (s *story) close() {
	s.probing.Wait()
	if s.guest != nil {
		s.shutDown()
	}
	s.gateway.close()
	for _, file := range s.traces {
		s.err = errors.Join(s.err, file.Close())
	}
}

func (s *story) applicationAnswers() bool { return s.guest.applicationAnswers(s.ctx) }

func (s *story) mintedOnce() bool { return s.mints.Load() == 1 }

func (s *story) healthy() bool { return s.guest.reason() == gateway.ReasonHealthy }

func (s *story) routed(since time.Time) func() bool {
	return func() bool { return s.prober.routeSince(since) }
}

// find is the index of the guest's first attempt from one on that is as wanted, or -1.
func (s *story) find(from int, wanted func(gateway.StepRecord) bool) int {
	for i, p := range s.guest.attempts() {
		if i >= from && wanted(p) {
			return i
		}
	}
	return -1
}

func succeeded(p gateway.StepRecord) bool { return p.Outcome.OK }

// pause is how long the guest waited before its i-th attempt, after the one before had ended.
func pause(tried []gateway.StepRecord, i int) time.Duration {
	return tried[i].At.Sub(tried[i-1].ActedAt)
}
