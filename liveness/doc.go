// Package liveness decides whether a WireGuard peer is live, when to probe it, and which peer owns each route.
//
// The failure behind it: a peer counted as live until the first checks had proved the contrary. A site that was down kept
// its /24 for half a minute after each start of the agent, and swallowed what another peer's /16 would have carried.
//
// # Vocabulary
//
//   - counters: the bytes that WireGuard has received from a peer (RX) and sent to it (TX). They outlive the agent.
//   - progress: RX that grew by more than knocks, or the stamp of a handshake that changed. Nothing else is a sign of life.
//   - knock: an initiation of a handshake that leads to none. It counts as received although the peer may hear nothing.
//   - data: growth of TX that no sum of WireGuard's own messages makes up.
//   - silence: the time since the last progress.
//   - window: how long a silence may last, see [Config.Window].
//   - patience: failure_count × probe_interval, how long it may last while probes are sent.
//   - probe: a datagram through the tunnel, to which the other WireGuard has to react whoever listens there.
//   - torn look: one in which a counter went back, as in half an answer of the device.
//
// # Decisions
//
// The first row that matches decides. A dead peer stays dead, for the reason that it died of, until there is progress
// younger than its limit: the window, or under probes the larger of window and patience.
//
//	observation                                              verdict  reason
//	mode disabled                                            live     disabled
//	the look failed                                          holds    unknown
//	a counter went back, not so in the look before           holds    torn
//	no progress ever                                         dead     never_heard
//	four knocks since the last progress                      dead     one_way
//	data, and no progress for unanswered_after               dead     unanswered
//	under probes: silent for patience,
//	  failure_count - 1 probes sent meanwhile                dead     probes_failed
//	silent for the limit                                     dead     silent
//	under probes: silent for probe_interval                  live     quiet
//	otherwise                                                live     (the reason is live too)
//
// A peer is under probes in mode active, unless it has no address for them or the last one could not be sent: then it is
// judged as a passive one. The action is probe where, in mode active and with an address, there was no progress for
// probe_interval and no probe was tried for as long, whether the peer is live or dead; else there is none.
//
// # Invariants
//
// The laws of every kernel:
//
//  1. Pure. The same kernel and the same arguments give the same result; there is no clock, no I/O, no randomness, no
//     allocation.
//  2. Total. Any State, Observation and time gives a valid decision; arithmetic saturates.
//  3. Evidence and deeds are apart. Step notes only what was seen, Record only what was sent; who does not probe gets the
//     same decision again.
//  4. Next is exact. While the observation stays the same, no probe and no other verdict comes before Next, and at Next
//     something changes. A probe has Next = now, and so has a torn look.
//  5. Unknown is not bad news. A look that failed causes no probe and holds the verdict. Counters add up, so the first
//     good look afterwards decides.
//  6. Unwatched time is no evidence. Beyond max_gap, the time since the last Step or Record counts neither as silence nor
//     as time without an answer. Probes are due on all time.
//  7. The clock may step. A now before the last one means that no time has passed. A handshake's stamp is compared for
//     change; a new one is dated at its stamp where that is possible, and only the first one ever seen at its own age.
//  8. Expiry is inclusive: a limit has expired when elapsed >= limit.
//  9. A dead end has an exit. A silent peer dies, and any progress revives a dead one.
//
// And its own:
//
//  10. A peer that is judged starts dead and comes alive by progress alone: not by a counter or a handshake left from
//     before, nor because a probe can't be sent, nor because a setting changed.
//  11. It dies of one of four things only: four knocks, data without an answer, probes without an answer, or a silence as
//     long as its limit. What could not be sent proves nothing.
//  12. Probes are at least probe_interval apart, and only a peer that is silent for so long is probed.
//  13. A torn look is passed over whole, and the next one decides. Only the second one running is taken for a peer that
//     was made anew, and is its baseline.
//  14. [Kernel.Sweep] leaves the states and reports the decisions that Step gives peer by peer, and returns the earliest
//     Next.
//
// # Routes
//
// [PlanRoutes] makes of verdicts and claims the owner of each prefix, and what has to change for it. It is pure, and
//
//  15. a prefix has one owner, and a live one that claims it: the owner of the last plan as long as that is so, else the
//     one with the lowest metric, and of those with the lowest id. A peer's own tunnel address is its own, live or dead;
//  16. the order of the claimants and of their routes makes no difference, nor do bits behind a prefix or duplicates;
//  17. the changes turn whatever is installed into the plan, installs and moves before withdrawals, and are none when the
//     same is planned again;
//  18. a prefix that is withdrawn names its cover, the narrowest broader prefix that has an owner; where a claimed prefix
//     has neither owner nor cover and the plan was asked for that, it is unreachable, so that nothing leaves in the
//     clear.
//
// # Time
//
// Step and Record take the time as an argument and keep instants of eight bytes, good from 1678 to 2262. Take now after
// the look, or a handshake may seem to lie in the future. A [Runner] passes its start plus the monotonic time since.
//
// # Driving it
//
// [Runner] does this; here is all of it, for those who have a loop already:
//
//	var s liveness.State
//	for {
//		obs := look()
//		var d liveness.Decision
//		s, d = kernel.Step(s, obs, time.Now())
//		if d.Changed {
//			replan() // PlanRoutes over all peers
//		}
//		if d.Action == liveness.ActionProbe {
//			err := send()
//			s = kernel.Record(s, liveness.Outcome{Action: d.Action, OK: err == nil}, time.Now())
//			continue
//		}
//		sleepUntil(earlier(d.Next, check)) // a zero Next is never
//	}
//
// Package wgpeers observes a real WireGuard interface and sends probes into it.
package liveness
