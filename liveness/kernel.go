package liveness

import (
	"math"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/instant"
	"github.com/evenkeel-go/evenkeel/internal/settings"
)

// A Kernel is the rules for any number of peers. It never changes, and any number of goroutines may share it.
type Kernel struct {
	cfg           Config
	window        time.Duration // how long silence is allowed
	patience      time.Duration // failure_count probes
	keepalivePace time.Duration // the shortest time between two of our keepalives
}

// State is what was seen of one peer and done about it. Its zero value means "nothing seen yet". It is comparable and
// free of pointers; JSON keeps it whole.
type State struct {
	last     instant.Time // the last Step or Record; unset: none yet
	looked   instant.Time // the last look that counted; unset: none yet, so that the next one is the baseline
	progress instant.Time // the last sign of life; unset: none yet
	data     instant.Time // the first data sent since then; unset: none
	probed   instant.Time // the last probe that was tried
	changed  instant.Time // when the verdict last changed; only reported, never measured from

	received, sent int64 // the counters at the last look that counted
	stamp          int64 // of the last handshake seen
	probes, knocks uint8 // since the last sign of life
	flags          flags
	cause          Reason // of the verdict dead
}

type flags uint8

const (
	live      flags = 1 << iota // the verdict
	stamped                     // a handshake was seen
	torn                        // the look before had a counter that went back
	unsending                   // the last probe could not be sent
)

// Observation is what one look found. Its zero value is "could not be observed" and causes nothing.
type Observation struct {
	// Known says that the look succeeded.
	Known bool
	// NoProbe says that no probe can be sent: the peer has no address for one.
	NoProbe bool
	// Handshake says that the peer has had a handshake, Stamp when the last one was, in nanoseconds since the Unix
	// epoch. It is compared for change above all.
	Handshake bool
	Stamp     int64
	// ReceiveBytes and TransmitBytes are WireGuard's counters.
	ReceiveBytes, TransmitBytes int64
}

// Mode is how a peer is judged.
type Mode uint8

const (
	// ModeUnset is no mode: a configuration has to name one.
	ModeUnset Mode = iota
	// ModeDisabled takes every peer for live: the static behaviour.
	ModeDisabled
	// ModePassive goes by what the peer sends of itself.
	ModePassive
	// ModeActive probes a peer that is silent.
	ModeActive
)

// Action is what to do now.
type Action uint8

const (
	// ActionNone is nothing.
	ActionNone Action = iota
	// ActionProbe is to send the peer a datagram through the tunnel, to which WireGuard itself has to react.
	ActionProbe
)

// Reason says why a peer is taken for live or dead, one value for each branch of Step.
type Reason uint8

const (
	// ReasonDisabled: live, for it is not judged.
	ReasonDisabled Reason = 1 + iota
	// ReasonUnknown: it could not be looked at; the verdict holds.
	ReasonUnknown
	// ReasonTorn: a counter went back, which half an answer would show as well; the verdict holds, look again.
	ReasonTorn
	// ReasonNeverHeard: dead, for it has not shown any life yet.
	ReasonNeverHeard
	// ReasonLive: live, for it has shown life.
	ReasonLive
	// ReasonQuiet: live, but silent for probe_interval, so that it is probed.
	ReasonQuiet
	// ReasonSilent: dead, for it was silent for the window.
	ReasonSilent
	// ReasonProbesFailed: dead, for it answered none of the probes.
	ReasonProbesFailed
	// ReasonUnanswered: dead, for data was sent to it and nothing came back.
	ReasonUnanswered
	// ReasonOneWay: dead, for it knocks and hears nothing of us.
	ReasonOneWay
)

// Decision is what Step decided.
type Decision struct {
	// Action is what to do now.
	Action Action
	// Reason is why the verdict is what it is, always set.
	Reason Reason
	// Next is when to look again although nothing new is seen: no action and no other verdict comes before it, and at
	// it something changes. It is now where there is something to do, and zero where only something new can change the
	// decision.
	Next time.Time
	// Live is the verdict.
	Live bool
	// Changed says that it is another than before this step.
	Changed bool
	// Silence is how long the peer has shown no life, as far as that was watched; zero while it never did.
	Silence time.Duration
}

// Outcome is how an attempted action ended. Its zero value changes nothing but the time.
type Outcome struct {
	// Action is what was attempted.
	Action Action
	// OK says that the probe was sent. One that can't be sent proves nothing.
	OK bool
}

// New checks cfg and fills in its defaults.
func New(cfg Config) (*Kernel, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	k := &Kernel{cfg: cfg, window: cfg.Window(), patience: settings.Times(cfg.ProbeInterval, cfg.FailureCount), keepalivePace: rekeyTimeout}
	if cfg.LocalKeepalive > 0 {
		k.keepalivePace = min(rekeyTimeout, cfg.LocalKeepalive)
	}
	return k, nil
}

// Config gives the values in effect, defaults filled in.
func (k *Kernel) Config() Config { return k.cfg }

// Step folds what was seen at now into s and says what to do. It reads nothing but its arguments.
func (k *Kernel) Step(s State, obs Observation, now time.Time) (State, Decision) {
	t := instant.Of(now)
	d := k.step(&s, &obs, t)
	if d.next != 0 {
		d.Next = d.next.On(now, t)
	}
	return s, d.Decision
}

// decision is a Decision whose Next is an instant, unset for never.
type decision struct {
	Decision
	next instant.Time
}

// step is Step on a state in place.
func (k *Kernel) step(s *State, obs *Observation, t instant.Time) decision {
	watch := instant.Since(s.last, t, k.cfg.MaxGap)
	s.move(watch)
	s.last = t
	was, judged := s.is(live), Reason(0)
	switch {
	case k.cfg.Mode == ModeDisabled:
		judged, s.cause = ReasonDisabled, 0
		s.flags |= live
	case !obs.Known:
		judged = ReasonUnknown
	case k.see(s, obs, watch.From):
	default:
		judged = ReasonTorn
	}
	if judged == 0 {
		judged = k.judge(s, obs)
	}
	d := decision{Decision: Decision{Reason: judged, Live: s.is(live), Changed: was != s.is(live)}}
	if d.Changed || !s.changed.IsSet() {
		s.changed = t
	}
	if s.progress.IsSet() {
		d.Silence = t.Sub(s.progress)
	}
	k.plan(s, obs, &d)
	return d
}

// Record folds the outcome of an attempted probe, finished at now, into s.
func (k *Kernel) Record(s State, out Outcome, now time.Time) State {
	t := instant.Of(now)
	s.move(instant.Since(s.last, t, -1))
	s.last = t
	if out.Action != ActionProbe {
		return s
	}
	s.probed = t
	if !out.OK {
		s.flags |= unsending
		return s
	}
	s.flags &^= unsending
	if s.probes < math.MaxUint8 {
		s.probes++
	}
	return s
}

// move takes the instants of s along with the time that passed since its last step. The helpers of Step work on its copy
// of the state by a pointer: passing 80 bytes by value costs more than all rules together.
func (s *State) move(w instant.Watch) {
	if w.Calm() {
		return
	}
	s.looked, s.probed = w.Move(s.looked), w.Move(s.probed)
	s.progress, s.data = w.MoveSilence(s.progress), w.MoveSilence(s.data)
}

func (s *State) is(f flags) bool { return s.flags&f != 0 }

// see notes what a look at s.last found; false says that the look may be torn and is passed over whole. What happened
// since the look before cannot have happened before from.
func (k *Kernel) see(s *State, obs *Observation, from instant.Time) bool {
	received, sent := obs.ReceiveBytes-s.received, obs.TransmitBytes-s.sent
	baseline := !s.looked.IsSet()
	if !baseline && (received < 0 || sent < 0) {
		if !s.is(torn) {
			s.flags |= torn
			return false
		}
		baseline = true // twice running: the peer was re-created
		s.data, s.knocks = 0, 0
	}
	heard, shook := s.hear(obs, from)
	if !baseline {
		elapsed := s.last.Sub(s.looked)
		n := uint64(0)
		if received > 0 && !shook {
			n = knocks(uint64(received), elapsed)
		}
		s.knocks += uint8(min(n, uint64(math.MaxUint8-s.knocks)))
		if received > 0 && n == 0 {
			heard = s.last
		}
		if sent > 0 && !s.data.IsSet() && k.isData(uint64(sent), elapsed) {
			s.data = s.last
		}
	}
	if heard > s.progress || heard.IsSet() && heard == s.last {
		s.progress, s.probes = heard, 0
		if heard >= s.data { // what was seen before the data answers none of it
			s.data, s.knocks = 0, 0
		}
		k.revive(s, obs)
	}
	s.flags &^= torn
	s.looked, s.received, s.sent = s.last, obs.ReceiveBytes, obs.TransmitBytes
	return true
}

// youngest is the first stamp that is taken for a time: one before 2001 is an age that was misread.
var youngest = time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()

// hear dates the handshake in obs, unset if it is no event, and says whether its stamp is new. The first one ever seen
// counts at its own age, unless it lies in the future; a new one at its stamp, as far as that is possible.
func (s *State) hear(obs *Observation, from instant.Time) (heard instant.Time, shook bool) {
	if !obs.Handshake || obs.Stamp < youngest || s.is(stamped) && obs.Stamp == s.stamp {
		return 0, false
	}
	at := instant.OfNanos(obs.Stamp)
	if s.is(stamped) {
		heard = min(max(at, from), s.last)
	} else if at <= s.last {
		heard = at
	}
	s.stamp = obs.Stamp
	s.flags |= stamped
	return heard, true
}

// revive is the only way to life: progress that is young enough.
func (k *Kernel) revive(s *State, obs *Observation) {
	if s.last.Sub(s.progress) < k.limit(s, obs) {
		s.flags |= live
		s.cause = 0
	}
}

// judge is the verdict and its reason. It may end a life and never begins one.
func (k *Kernel) judge(s *State, obs *Observation) Reason {
	if reason, dead := k.dies(s, obs); s.is(live) && dead || !s.is(live) && s.cause == 0 {
		s.flags &^= live
		s.cause = reason
	}
	switch {
	case !s.is(live):
		if s.cause == ReasonNeverHeard && s.progress.IsSet() {
			s.cause = ReasonSilent
		}
		return s.cause
	case k.probing(s, obs) && s.last.Sub(s.progress) >= k.cfg.ProbeInterval:
		return ReasonQuiet
	}
	return ReasonLive
}

// dies says why the peer is dead, if it is.
func (k *Kernel) dies(s *State, obs *Observation) (Reason, bool) {
	if !s.progress.IsSet() {
		return ReasonNeverHeard, true
	}
	silence := s.last.Sub(s.progress)
	switch {
	case s.knocks >= mostKnocks:
		return ReasonOneWay, true
	case s.data.IsSet() && k.cfg.UnansweredAfter > 0 && s.last.Sub(s.data) >= k.cfg.UnansweredAfter:
		return ReasonUnanswered, true
	case k.probing(s, obs) && int(s.probes) >= k.cfg.FailureCount-1 && silence >= k.patience:
		return ReasonProbesFailed, true
	}
	return ReasonSilent, silence >= k.limit(s, obs)
}

// probing says that probes can tell something.
func (k *Kernel) probing(s *State, obs *Observation) bool {
	return k.cfg.Mode == ModeActive && !obs.NoProbe && !s.is(unsending)
}

// limit is how long the peer may be silent.
func (k *Kernel) limit(s *State, obs *Observation) time.Duration {
	if k.probing(s, obs) {
		return max(k.window, k.patience)
	}
	return k.window
}

// plan adds to d what to do and when the next change comes.
func (k *Kernel) plan(s *State, obs *Observation, d *decision) {
	if d.Reason == ReasonTorn {
		d.next = s.last
	}
	if d.Reason == ReasonDisabled || d.Reason == ReasonUnknown || d.Reason == ReasonTorn {
		return
	}
	if next := k.nextChange(s, obs); next != instant.Latest {
		d.next = next
	}
	if k.probeDue(s, obs) <= s.last {
		d.Action, d.next = ActionProbe, s.last
	}
}

// nextChange is when something changes for a peer that stays silent; the end of time where nothing does.
func (k *Kernel) nextChange(s *State, obs *Observation) instant.Time {
	next := k.probeDue(s, obs)
	if !s.is(live) {
		return next
	}
	if quiet := s.progress.Add(k.cfg.ProbeInterval); k.probing(s, obs) && quiet > s.last {
		next = min(next, quiet)
	}
	return min(next, k.death(s, obs))
}

// probeDue is when the next probe is due; the end of time where none can be sent.
func (k *Kernel) probeDue(s *State, obs *Observation) instant.Time {
	if k.cfg.Mode != ModeActive || obs.NoProbe {
		return instant.Latest
	}
	return max(s.progress.Add(k.cfg.ProbeInterval), s.probed.Add(k.cfg.ProbeInterval))
}

// death is when a peer that stays silent dies.
func (k *Kernel) death(s *State, obs *Observation) instant.Time {
	at := s.progress.Add(k.limit(s, obs))
	if s.data.IsSet() && k.cfg.UnansweredAfter > 0 {
		at = min(at, s.data.Add(k.cfg.UnansweredAfter))
	}
	if k.probing(s, obs) && int(s.probes) >= k.cfg.FailureCount-1 {
		at = min(at, s.progress.Add(k.patience))
	}
	return at
}

// Live is the verdict.
func (s State) Live() bool { return s.is(live) }

// Since is when the verdict last changed, or the first look; the zero time before that.
func (s State) Since() time.Time { return s.changed.Std() }

// LastProgress is when the peer last showed life; the zero time while it never did.
func (s State) LastProgress() time.Time { return s.progress.Std() }

// LastProbe is when a probe was last tried; the zero time while none was.
func (s State) LastProbe() time.Time { return s.probed.Std() }
