// Package watchdog decides when to ping the service manager and when to withhold the ping.
//
// The failure behind it: a refresh that never returned left a process that looked healthy for ever. A service manager
// restarts what stops pinging, but a ping from a goroutine of its own goes on whatever hangs beside it. So here only the
// work loop itself pings, at the top of a pass, and one loop that is silent for too long withholds the pings of all.
//
// # Vocabulary
//
//   - source: a work loop that beats.
//   - beat: a loop's word that it lives, given at the top of a pass, before the work.
//   - budget: how long a source may go without a beat.
//   - ping: the program's word to the service manager, which ends the program when none comes for the timeout.
//   - withheld: no ping is sent although a loop beats, because another one is late.
//
// # Decisions
//
// The first row that matches decides. A silence counts from the last beat, one that comes now included, and from the
// first Step before there was any.
//
//	observation                                                    action  reason
//	no timeout                                                     -       off
//	a source is silent for its budget                              -       withheld, naming the most overdue
//	no source beats now                                            -       no_beat
//	a beat; pinged < timeout/4 ago, or failed to < timeout/8 ago   -       recent
//	a beat                                                         ping    beat
//
// # Invariants
//
// The laws of every kernel:
//
//  1. Pure. The same kernel and the same arguments give the same result; there is no clock, no I/O, no randomness, no
//     allocation.
//  2. Total. Any State, Observation and time gives a valid decision; arithmetic saturates.
//  3. Evidence and deeds are apart. Step notes only beats, Record only pings; who does not ping gets the same decision
//     again.
//  4. Next is exact. While the same source goes on beating, or none does, no ping and no withholding comes before Next,
//     and at Next something changes. A ping has Next = now.
//  5. Unknown is not bad news. A step without a beat causes nothing but that time passes.
//  6. Unwatched time is no evidence. Beyond max_gap, the time since the last Step or Record does not count toward a
//     silence: a program that was stopped as a whole is not the fault of one of its loops.
//  7. The clock may step. A now before the last one means that no time has passed.
//  8. Expiry is inclusive: a limit has expired when elapsed >= limit.
//  9. A dead end has an exit. A ping that is withheld comes with the beat of the loop that was late.
//
// And its own:
//
//  10. No ping without a beat at that very time.
//  11. No ping while any source is silent for its budget.
//  12. Good pings are at least a quarter of the timeout apart, and tries after a failed one at least an eighth.
//  13. A loop that beats at least every half of the timeout and of its budget is pinged for at least every three quarters
//     of the timeout.
//
// # Time
//
// Step and Record take the time as an argument and keep instants of eight bytes, good from 1678 to 2262.
//
// # Driving it
//
// A [Runner] is shared by all loops of a program, and each has a [Handle], which is the Pacer of the other packages'
// runners:
//
//	runner := &watchdog.Runner{Kernel: kernel, Notifier: notifier}
//	handle, err := runner.Handle("main")
//	...
//	for {
//		handle.Beat()
//		handle.Stage("looking")
//		next := work()
//		if err := handle.SleepUntil(ctx, next); err != nil {
//			return err
//		}
//	}
//
// Package sdnotify talks to systemd.
package watchdog
