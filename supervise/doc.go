// Package supervise decides when to restart a target, when to leave it alone, and when to give up on it for a while.
//
// The failure behind it: a target that nobody started again. A `docker kill` left a controller "Exited (137)". The
// runtime never restarts a container whose stop it records as deliberate, and the one-shot unit that had started it was
// done: 33 minutes of 502.
//
// # Vocabulary
//
//   - target: what is to run, such as a container; unknown, running, restarting or down.
//   - sighting: a look that found it down. Sightings count when they are nine tenths of a sweep apart: tickers jitter.
//   - confirmed: seen down as often as confirm says, without a look in between that found anything else.
//   - window: how long a restart counts. Health and the end of a pause empty it.
//   - health: running at every look for reset_after, no look more than max_gap after the one before.
//   - pause: how long a target that was given up is left alone.
//   - crash loop: the time from the first giving up to health or another generation; a pause does not end it.
//   - run, generation: the identity of one start of the target, and of the target itself.
//   - guard: somebody else's hand on the target. Not ours: another operation has it. Parked: an operator's durable
//     marker. Busy: a lock, such as a backup's.
//
// # Decisions
//
// The first row that matches decides.
//
//	observation                                           action   reason
//	not ours                                              -        not_ours
//	status unknown                                        -        unknown
//	restarting                                            -        restarting
//	running, restarted or given up since the last health  -        recovering
//	running                                               -        running
//	down, parked                                          -        parked
//	down, fewer than confirm sightings                    -        confirming
//	down, busy                                            -        busy
//	down, guards unreadable                               -        guard_unknown
//	down, given up less than pause ago                    -        paused
//	down, max_restarts within the window                  give_up  crash_loop
//	down                                                  restart  down
//
// Only a target that is down and ours keeps its sightings; all other looks forget them, and so do a new run, a gap
// longer than max_gap and a recorded restart, from which the next ones are spaced. A restart counts whether it worked or
// not. The first ids that are seen are adopted; a new generation is a target without a history.
//
// # Invariants
//
// The laws of every kernel:
//
//  1. Pure. The same kernel and the same arguments give the same result; there is no clock, no I/O, no randomness, no
//     allocation.
//  2. Total. Any State, Observation and time gives a valid decision; arithmetic saturates.
//  3. Evidence and deeds are apart. Step notes only what was seen, Record only what was done; who does not act gets the
//     same decision again.
//  4. Next is exact. While the observation stays the same, no action comes before Next, and at Next something changes:
//     the action, the reason or the number of sightings that confirm. An acting decision has Next = now.
//  5. Unknown is not bad news. A look that could not be made causes no action, and sightings and health start again. A
//     guard that could not be read holds an action back.
//  6. Unwatched time is no evidence. After more than max_gap since the last Step or Record sightings and health start
//     again. The window, the pause and the spacing after a restart run on all time.
//  7. The clock may step. A now before the last one means that no time has passed. The times that are only reported
//     never move.
//  8. Expiry is inclusive: a limit has expired when elapsed >= limit. But a restart exactly as old as the window still
//     counts.
//  9. A dead end has an exit. Confirmation, recovery and a pause have a deadline; what else holds is somebody else's.
//
// And its own:
//
//  10. No restart and no giving up without confirm sightings, each nine tenths of a sweep or more after the one before
//     and after the last recorded restart.
//  11. No more than max_restarts restarts lie within any window, unless health, the end of a pause or a new generation
//     came between.
//  12. Nothing is done to a target that is running, restarting or unknown, nor to one that is not ours, parked or busy,
//     nor while its guards can't be read.
//  13. A pause is whole. Only health and a new generation end it early, and no failure in it makes it longer.
//  14. What consumers watch (the last restart, the last one that failed, the last crash loop) moves when a deed is
//     recorded, and never with a look. A further giving up in a crash loop is no new event.
//  15. After health nothing is held against the target.
//  16. To look again at the same time is to look once, whichever guard was read meanwhile.
//
// # Time
//
// Step and Record take the time as an argument and keep instants of eight bytes, good from 1678 to 2262. Sweep on a
// grid of your own, and at events; Next says when it matters, but a sweep more does no harm.
//
// # Driving it
//
// [Runner] does this for any number of targets; here it is for one, for those who have a loop already. The expensive
// guard is read once, right before the act, and the kernel is asked again at the same time:
//
//	var s supervise.State
//	for now := range sweeps {
//		obs := look() // with the guards that are cheap to read
//		var d supervise.Decision
//		s, d = kernel.Step(s, obs, now)
//		if d.Action != supervise.ActionNone {
//			obs.Guard = readBusy() // GuardNone, GuardBusy or GuardUnknown
//			s, d = kernel.Step(s, obs, now)
//		}
//		if d.Action != supervise.ActionNone {
//			err := act(d.Action)
//			s = kernel.Record(s, supervise.Outcome{Action: d.Action, OK: err == nil}, time.Now())
//		}
//	}
//
// A State belongs in memory. One that is kept across a restart of the agent may hold a giving up that the restart has
// cured.
package supervise
