// Package evenkeel is a library of reconciliation kernels: the small decisions that every long-running agent has to make
// about things that fail, each as a pure function.
//
// When is a silent peer dead? When is it time to register again, and when to force it? Has this container crashed often
// enough to stop restarting it? How long to wait? Is this loop hung? Agents get these wrong in production, one at a
// time, because the decision is buried in a loop with a clock, a network and a process table around it, where it can't
// be tested. Here the decision is a value, the clock is an argument, and the loop around it is a thin, replaceable
// shell.
//
// # The shape
//
// Whoever has read one kernel knows all five:
//
//	kernel, err := gateway.New(cfg)                    // checks the rules, once
//	state, decision = kernel.Step(state, seen, now)    // evidence in, decision out
//	state = kernel.Record(state, outcome, now)         // what became of it
//
// Config is plain values whose zero means a documented default. State is one comparable value without pointers that JSON
// keeps whole. An Observation's zero value is "could not be observed" and causes nothing. A Decision carries the action,
// the reason, and the exact time of the next look. A Runner drives a kernel with injected clock, observer and actor, and
// records a trace that examples/replay plays again.
//
// # The kernels
//
//   - [github.com/evenkeel-go/evenkeel/backoff] decides how long to wait before the next attempt.
//   - [github.com/evenkeel-go/evenkeel/gateway] decides when to register, to refresh, to force a refresh, to wait or to
//     stop.
//   - [github.com/evenkeel-go/evenkeel/liveness] decides whether a peer is live, when to probe it, and which peer owns each route.
//   - [github.com/evenkeel-go/evenkeel/supervise] decides when to restart, to wait for confirmation, to give up for a while, to keep hands off.
//   - [github.com/evenkeel-go/evenkeel/watchdog] decides when to ping the service manager and when to withhold the ping.
//
// # The laws
//
// Each is a property test in every kernel, and each kernel's documentation numbers them: a kernel is pure and total, it
// keeps evidence and deeds apart, its Next is exact, unknown is not bad news, unwatched time is no evidence, the clock
// may step, expiry is inclusive, and a dead end has an exit.
package evenkeel
