package main

import (
	"fmt"
	"runtime"
	"time"

	peer "github.com/cenkalti/backoff/v5"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
	"github.com/evenkeel-go/evenkeel/watchdog"
)

// A pair is two ways to do a thing n times, which are measured against each other.
type pair struct {
	name        string
	ours, other func(n int)
	otherName   string
	limit       float64 // the most that ours may take, in units of other
}

// pairs lists what is compared. The goals behind the limits: a step costs so little that nobody asks whether to make
// one, and a delay that every machine draws alike is no slower than one from a random source.
func pairs() []pair {
	list := []pair{
		stepPair("gateway.Step/healthy", healthy()),
		stepPair("gateway.Step/retry-wait", retryWait()),
		bareStepPair("gateway.Step/bare", healthy()),
		beatPair(), peerPair(), targetPair(),
	}
	for _, jitter := range []backoff.Jitter{backoff.JitterNone, backoff.JitterEqual, backoff.JitterFull, backoff.JitterDown} {
		list = append(list, delayPair(jitter))
	}
	return list
}

// A story is a stretch of one tunnel's life, told again and again: the looks of almost three minutes, 10 s apart.
type story struct {
	kernel *gateway.Kernel
	first  gateway.State // before the first look
	looks  [16]look
	reason gateway.Reason // of every decision in it
}

type look struct {
	obs gateway.Observation
	now time.Time
}

const poll = 10 * time.Second

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// healthy is a tunnel that is up: its handshake is renewed every two minutes, and no refresh is due.
func healthy() story {
	s := story{kernel: must(gateway.New(gateway.Config{})), reason: gateway.ReasonHealthy}
	s.first = s.kernel.Record(gateway.State{}, gateway.Outcome{Action: gateway.ActionRegister, OK: true}, start)
	for i := range s.looks {
		age := time.Duration(i%12) * poll
		now := start.Add(time.Duration(i+1) * poll)
		s.looks[i] = look{gateway.Observation{
			Config:    gateway.ConfigPresent,
			Handshake: gateway.HandshakeSeen,
			Stamp:     now.Add(-age).UnixNano(),
		}, now}
	}
	return s
}

// retryWait is a tunnel without a configuration whose registration failed a few times: each step draws the delay of the
// schedule and finds that it still runs.
func retryWait() story {
	cfg := gateway.Config{}
	cfg.Retry.Max, cfg.Retry.Jitter = 10*time.Minute, backoff.JitterEqual
	s := story{kernel: must(gateway.New(cfg)), reason: gateway.ReasonRetryWait}
	for range 6 {
		s.first = s.kernel.Record(s.first, gateway.Outcome{Action: gateway.ActionRegister}, start)
	}
	for i := range s.looks {
		s.looks[i] = look{gateway.Observation{Config: gateway.ConfigAbsent}, start.Add(time.Duration(i+1) * poll)}
	}
	return s
}

// stepPair tells st by Step and by a call that does nothing. Both sides carry the state along and begin again with it
// when the story is over, so that they differ in the call alone.
func stepPair(name string, st story) pair {
	step := func(n int) {
		s := st.first
		for i := range n {
			l := &st.looks[i%len(st.looks)]
			if i%len(st.looks) == 0 {
				s = st.first
			}
			s, _ = st.kernel.Step(s, l.obs, l.now)
		}
	}
	nothing := func(n int) {
		s := st.first
		for i := range n {
			l := &st.looks[i%len(st.looks)]
			if i%len(st.looks) == 0 {
				s = st.first
			}
			s, _ = noop(st.kernel, s, l.obs, l.now)
		}
	}
	return pair{name: name, ours: step, other: nothing, otherName: "no-op", limit: 5}
}

// bareStepPair makes the same call again and again and drops what it returns. There is less around the call than in any
// program, so this is the strictest comparison.
func bareStepPair(name string, st story) pair {
	s, l := st.first, st.looks[0]
	step := func(n int) {
		for range n {
			st.kernel.Step(s, l.obs, l.now)
		}
	}
	nothing := func(n int) {
		for range n {
			noop(st.kernel, s, l.obs, l.now)
		}
	}
	return pair{name: name, ours: step, other: nothing, otherName: "no-op", limit: 5}
}

// noop has the signature of Step and does nothing: what any call costs that takes and returns these values.
//
//go:noinline
func noop(_ *gateway.Kernel, s gateway.State, _ gateway.Observation, _ time.Time) (gateway.State, gateway.Decision) {
	return s, gateway.Decision{}
}

// beatPair is a loop that beats once a second under a watchdog of a minute, beside seven that do so less often.
func beatPair() pair {
	cfg := watchdog.Config{Timeout: time.Minute}
	for i := range watchdog.MostSources {
		cfg.Sources = append(cfg.Sources, watchdog.Source{Name: fmt.Sprint("loop ", i)})
	}
	kernel, obs := must(watchdog.New(cfg)), watchdog.Observation{Source: watchdog.ID("loop 0")}
	first, _ := kernel.Step(watchdog.State{}, obs, start)
	first = kernel.Record(first, watchdog.Outcome{Action: watchdog.ActionPing, OK: true}, start)
	return pair{
		name: "watchdog.Step/beat",
		ours: func(n int) {
			s := first
			for i := range n {
				s, _ = kernel.Step(s, obs, start.Add(time.Duration(i%14)*time.Second))
			}
		},
		other: func(n int) {
			s := first
			for i := range n {
				s, _ = noBeat(kernel, s, obs, start.Add(time.Duration(i%14)*time.Second))
			}
		},
		otherName: "no-op",
		limit:     5,
	}
}

// noBeat is noop for the watchdog.
//
//go:noinline
func noBeat(_ *watchdog.Kernel, s watchdog.State, _ watchdog.Observation, _ time.Time) (watchdog.State, watchdog.Decision) {
	return s, watchdog.Decision{}
}

// delayPair asks both schedules for the delays of a long outage. The other one's default draws at random; where ours
// draws nothing, it doesn't either.
func delayPair(jitter backoff.Jitter) pair {
	k := must(backoff.New(backoff.Config{Jitter: jitter}))
	b := peer.NewExponentialBackOff()
	if jitter == backoff.JitterNone {
		b.RandomizationFactor = 0
	}
	key := backoff.Key("bench")
	return pair{
		name: "backoff.Delay/" + jitter.String(),
		ours: func(n int) {
			var sum time.Duration
			for i := range n {
				sum += k.Delay(uint32(i)%16+1, key)
			}
			runtime.KeepAlive(sum) // or the compiler may leave out the calls
		},
		other: func(n int) {
			var sum time.Duration
			for i := range n {
				if uint32(i)%16 == 0 {
					b.Reset()
				}
				sum += b.NextBackOff()
			}
			runtime.KeepAlive(sum)
		},
		otherName: "NextBackOff",
		limit:     0.5,
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
