// Package gateway decides when a guest registers with its gateway, refreshes the registration, forces a refresh that
// rebuilds the tunnel, waits, or stops.
//
// The failure behind it: one timer for every kind of refresh. Each periodic refresh of a dead tunnel re-armed the limit
// of the forced one, which alone could have mended it, and so it never came.
//
// # Vocabulary
//
//   - configuration: what a registration returns and the tunnel runs on; present, absent or unknown.
//   - handshake: the proof that the other end lives. A time stamp, or never since the interface was made, or unknown.
//   - silence: the time since the last handshake, or since the look that first found that there is none.
//   - register: to register with the gateway and apply the configuration that comes back.
//   - refresh: to register again. An unchanged configuration is left alone, and so is the interface.
//   - forced refresh: to register again and rebuild the interface whatever comes back.
//   - attempt: any of the three; it ends when its outcome is recorded.
//
// # Decisions
//
// The first row that matches decides.
//
//	observation                                              action         reason
//	disabled                                                 stop           disabled
//	problem                                                  stop           misconfigured
//	configuration unknown                                    -              config_unknown
//	configuration absent, nothing ever attempted             register       never_registered
//	configuration absent, retry delay not over               -              retry_wait
//	configuration absent                                     register       config_missing
//	silent for handshake_timeout, forced < force_interval    -              force_wait
//	silent for handshake_timeout                             force_refresh  tunnel_silent
//	refresh_interval since the last attempt                  refresh        refresh_due
//	otherwise, by handshake: seen, never, unknown            -              healthy, handshake_pending,
//	                                                                        handshake_unknown
//
// A Retry-After of the server puts any of the actions off (reason retry_after). The retry delay counts from the end of
// the last attempt: [backoff.Kernel.Delay] of the failures in a row, or retry.initial after none. Where a configuration
// is found although nothing was ever attempted, whoever wrote it has just registered: the refresh interval counts from
// that look.
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
//  4. Next is exact. While the observation stays the same, no action comes before Next, and at Next something changes.
//     An acting decision has Next = now; a stop has none.
//  5. Unknown is not bad news. An observation that could not be made causes no forced refresh, nor does it begin, move
//     or end a silence.
//  6. Unwatched time is no evidence. Beyond max_gap, the time since the last Step or Record does not count toward a
//     silence. Refresh, retry and force intervals run on all time.
//  7. The clock may step. A now before the last one means that no time has passed. A handshake's stamp is compared for
//     change; a new one is dated at its stamp where that is possible, and only the first one ever seen at its own age.
//  8. Expiry is inclusive: a limit has expired when elapsed >= limit.
//  9. A dead end has an exit. Every wait of the kernel has a deadline.
//
// And its own:
//
//  10. Forced refreshes, and a forced refresh after a registration, are at least force_interval apart.
//  11. While a tunnel is known to be silent for handshake_timeout there is no periodic refresh: it can't mend the tunnel,
//     and its record must not put off what can.
//  12. Only a new handshake ends a silence, or the loss of the configuration, which ends the tunnel.
//  13. No action comes before the Retry-After of the last attempt, bounded by retry.max_retry_after, has passed.
//  14. A tunnel that is heard within handshake_timeout is never rebuilt.
//
// # Time
//
// Step and Record take the time as an argument and keep instants of eight bytes, good from 1678 to 2262. A [Runner]
// passes its start plus the monotonic time since.
//
// # Driving it
//
// [Runner] does this; here is all of it, for those who have a loop already:
//
//	var s gateway.State
//	for {
//		obs := look()
//		var d gateway.Decision
//		s, d = kernel.Step(s, obs, time.Now())
//		switch d.Action {
//		case gateway.ActionStop:
//			return d.Reason
//		case gateway.ActionNone:
//			sleepUntil(earlier(d.Next, poll)) // a zero Next is never
//		default:
//			err := act(d.Action)
//			s = kernel.Record(s, gateway.Outcome{Action: d.Action, OK: err == nil}, time.Now())
//		}
//	}
//
// [Enroller] keeps the key material that registrations use: minting it is expensive, and a retry must not do it again.
// Package wgtunnel observes a real WireGuard interface.
package gateway
