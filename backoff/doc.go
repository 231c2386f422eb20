// Package backoff decides how long to wait before the next attempt.
//
// It is a schedule rather than a loop: it observes nothing and acts on nothing, so there is no Step. [Kernel.Delay] is
// the schedule, [Kernel.Record] keeps the streak of failures of one thing that is tried, [Retry] is a loop over both.
//
// # Vocabulary
//
//   - streak: failures in a row, with no success between them that ended it.
//   - delay: the wait after a failure. It grows by the multiplier from initial to the cap, max.
//   - jitter: the band under the delay in which the real one is drawn, so that a fleet spreads.
//   - key: what tells the members of a fleet apart. The draw is a hash of seed, key and the streak's length.
//   - exhausted: max_retries or max_elapsed allows no further attempt.
//
// # Decisions
//
//	record                                             delay                  reason
//	ok, or ok for reset_after                          none                   ok
//	ok, but reset_after is not over                    none                   recovering; exhausted stays
//	failure, more than max_retries in a row            none, exhausted        max_retries
//	failure, max_elapsed after the streak's first      none, exhausted        max_elapsed
//	failure                                            Delay(streak, key)     backoff
//	any of them with a longer Retry-After              the Retry-After        retry_after
//
// A Retry-After is bounded by max_retry_after, lasts for one wait, and neither resets the streak nor lifts exhaustion.
//
// # Invariants
//
// The laws of every kernel, as far as a schedule has them:
//
//  1. Pure. The same kernel and the same arguments give the same result, on every machine; the draw is a hash. The
//     delay that was drawn is kept: asking again is not drawing again.
//  2. Total. Any State, Outcome and time gives a valid State; arithmetic saturates.
//  3. Deeds alone move it: nothing but Record changes a State.
//  4. The next attempt is due exactly the delay after the last Record.
//  5. There is nothing unknown to a schedule.
//  6. Waiting is not health: reset_after counts from one ok record to another, without a failure between them.
//  7. The clock may step. A now before the last one means that no time has passed; a remaining wait is never longer than
//     the wait itself.
//  8. Expiry is inclusive: a limit has expired when elapsed >= limit.
//  9. A dead end has an exit: the end of the streak ends exhaustion.
//
// And its own:
//
//  10. min <= Delay <= max for every n from 1 on and every config that Validate accepts.
//  11. Before jitter, the delay never falls from one failure to the next.
//  12. At the cap jitter is as wide as below it, and never above it.
//  13. With max_retries 3 there are three retries: the fourth failure exhausts.
//
// # Time
//
// Record takes the time as an argument and keeps instants of eight bytes, good from 1678 to 2262. [State.Delay] is a
// duration and knows no clock; [State.Due] and [State.Remaining] are in terms of the clock of the last Record, and wait
// for it where it went back since.
//
// # Driving it
//
//	var s backoff.State
//	for !s.Exhausted() {
//		err := attempt()
//		s = kernel.Record(s, backoff.Outcome{OK: err == nil}, time.Now())
//		if err == nil {
//			break
//		}
//		time.Sleep(s.Delay())
//	}
package backoff
