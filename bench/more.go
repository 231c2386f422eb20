package main

import (
	"time"

	"github.com/evenkeel-go/evenkeel/liveness"
	"github.com/evenkeel-go/evenkeel/supervise"
)

// peerPair is a live peer in which nothing moved, looked at once a second.
func peerPair() pair {
	kernel := must(liveness.New(liveness.Config{Mode: liveness.ModePassive}))
	obs := liveness.Observation{Known: true, Handshake: true, Stamp: start.UnixNano(), ReceiveBytes: 1000}
	first, _ := kernel.Step(liveness.State{}, obs, start)
	return pair{
		name: "liveness.Step/live",
		ours: func(n int) {
			s := first
			for i := range n {
				s, _ = kernel.Step(s, obs, start.Add(time.Duration(i%60)*time.Second))
			}
		},
		other: func(n int) {
			s := first
			for i := range n {
				s, _ = noPeer(kernel, s, obs, start.Add(time.Duration(i%60)*time.Second))
			}
		},
		otherName: "no-op",
		limit:     4,
	}
}

// noPeer is noop for liveness.
//
//go:noinline
func noPeer(_ *liveness.Kernel, s liveness.State, _ liveness.Observation, _ time.Time) (liveness.State, liveness.Decision) {
	return s, liveness.Decision{}
}

// targetPair is a target that runs, looked at every sweep.
func targetPair() pair {
	kernel := must(supervise.New(supervise.Config{}))
	obs := supervise.Observation{Status: supervise.StatusRunning, Run: 1}
	first, _ := kernel.Step(supervise.State{}, obs, start)
	return pair{
		name: "supervise.Step/running",
		ours: func(n int) {
			s := first
			for i := range n {
				s, _ = kernel.Step(s, obs, start.Add(time.Duration(i%60)*30*time.Second))
			}
		},
		other: func(n int) {
			s := first
			for i := range n {
				s, _ = noTarget(kernel, s, obs, start.Add(time.Duration(i%60)*30*time.Second))
			}
		},
		otherName: "no-op",
		limit:     5,
	}
}

// noTarget is noop for supervise.
//
//go:noinline
func noTarget(_ *supervise.Kernel, s supervise.State, _ supervise.Observation, _ time.Time) (supervise.State, supervise.Decision) {
	return s, supervise.Decision{}
}
