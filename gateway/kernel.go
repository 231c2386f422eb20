package gateway

import (
	"math"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// A Kernel is the rules for one tunnel. It never changes, and any number of goroutines may share it.
type Kernel struct {
	cfg   Config
	retry *backoff.Kernel
	key   uint64 // of the retry jitter
}

// State is what was seen of one tunnel and done about it. Its zero value means "nothing seen yet". It is comparable and
// free of pointers; JSON keeps it whole.
type State struct {
	last     instant.Time // the last Step or Record; unset: none yet
	attempt  instant.Time // when the last attempt ended; unset: never attempted
	forced   instant.Time // when the last one ended that rebuilt the tunnel
	floor    instant.Time // no action before it: the server asked for that
	adopted  instant.Time // the look that found a configuration, while nothing was ever attempted
	heard    instant.Time // when the last handshake took place; unset: none seen
	never    instant.Time // since when there is no handshake; unset: there is one
	stamp    int64        // the time stamp of the handshake at heard, as the device gives it
	failures uint32       // in a row
}

// Observation is what one look found. Its zero value is "could not be observed" and causes nothing.
type Observation struct {
	// Disabled says that the tunnel is switched off, which is no fault.
	Disabled bool
	// Problem says that something local is wrong that waiting can't cure, such as a missing gateway URL. What it is,
	// the error of the [Observer] tells.
	Problem bool
	// Config says whether the tunnel's configuration is there.
	Config ConfigStatus
	// Handshake says whether the tunnel ever had a handshake, or whatever else proves its life.
	Handshake HandshakeStatus
	// Stamp is the time of the latest handshake in nanoseconds since the Unix epoch, where Handshake is HandshakeSeen.
	// It is compared for change above all: the clock that made it need not agree with the one that steps the kernel.
	Stamp int64
}

// ConfigStatus says whether the tunnel's configuration is there.
type ConfigStatus uint8

const (
	// ConfigUnknown says that it could not be read.
	ConfigUnknown ConfigStatus = iota
	// ConfigAbsent says that there is none: nobody has registered.
	ConfigAbsent
	// ConfigPresent says that there is one.
	ConfigPresent
)

// HandshakeStatus says what is known of the tunnel's handshakes.
type HandshakeStatus uint8

const (
	// HandshakeUnknown says that the tunnel could not be read.
	HandshakeUnknown HandshakeStatus = iota
	// HandshakeNever says that the tunnel has had none since its interface was made.
	HandshakeNever
	// HandshakeSeen says that the observation's Stamp is the latest one's.
	HandshakeSeen
)

// Action is what to do now.
type Action uint8

const (
	// ActionNone is nothing.
	ActionNone Action = iota
	// ActionRegister is to register with the gateway and to write and apply the configuration that it returns.
	ActionRegister
	// ActionRefresh is to register again, which renews the lease; a configuration that comes back unchanged is left
	// alone, and so is the interface.
	ActionRefresh
	// ActionForceRefresh is to register again and to rebuild the interface whatever comes back.
	ActionForceRefresh
	// ActionStop is to end the loop: disabled is a success, misconfigured an error.
	ActionStop
)

// Reason says why a decision was made, one value for each branch of Step.
type Reason uint8

const (
	// ReasonDisabled: the tunnel is switched off; stop.
	ReasonDisabled Reason = 1 + iota
	// ReasonMisconfigured: something local is wrong that waiting can't cure; stop.
	ReasonMisconfigured
	// ReasonConfigUnknown: whether there is a configuration could not be read; nothing is done.
	ReasonConfigUnknown
	// ReasonNeverRegistered: there is no configuration and nothing was ever attempted; register.
	ReasonNeverRegistered
	// ReasonConfigMissing: there is no configuration and the retry delay has passed; register.
	ReasonConfigMissing
	// ReasonRetryWait: there is no configuration, and the retry delay since the last attempt runs.
	ReasonRetryWait
	// ReasonRetryAfter: the next action waits for the time that the server asked for.
	ReasonRetryAfter
	// ReasonTunnelSilent: no handshake for handshake_timeout; force a refresh.
	ReasonTunnelSilent
	// ReasonForceWait: no handshake for handshake_timeout, but the tunnel was rebuilt less than force_interval ago.
	ReasonForceWait
	// ReasonRefreshDue: refresh_interval has passed since the last attempt; refresh.
	ReasonRefreshDue
	// ReasonHealthy: the last handshake is younger than handshake_timeout, and no refresh is due.
	ReasonHealthy
	// ReasonHandshakePending: there was no handshake yet, for less than handshake_timeout, and no refresh is due.
	ReasonHandshakePending
	// ReasonHandshakeUnknown: the tunnel could not be read, and no refresh is due.
	ReasonHandshakeUnknown
)

// Decision is what Step decided.
type Decision struct {
	// Action is what to do now.
	Action Action
	// Reason is why, always set.
	Reason Reason
	// Next is when to look again although nothing new is seen: no action comes before it, and at it something changes.
	// It is now where there is something to do, and zero where only something new can change the decision.
	Next time.Time
	// Silence is how long the tunnel has been silent, as far as that was watched; zero while that is unknown.
	Silence time.Duration
	// Failures is how many attempts failed in a row.
	Failures uint32
}

// Outcome is how an attempt ended. Its zero value changes nothing but the time.
type Outcome struct {
	// Action is what was attempted.
	Action Action
	// OK says that it succeeded. A refusal by the server is a failure like an outage.
	OK bool
	// RetryAfter is the wait that the server asked for, a floor for the next action of any kind. Zero means that it
	// asked for none; a negative one is ignored.
	RetryAfter time.Duration
}

// New checks cfg and fills in its defaults.
func New(cfg Config) (*Kernel, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	cfg = cfg.withDefaults()
	retry, err := backoff.New(cfg.Retry)
	if err != nil {
		return nil, err
	}
	cfg.Retry = retry.Config()
	return &Kernel{cfg: cfg, retry: retry, key: backoff.Key(cfg.Retry.Key)}, nil
}

// Config gives the values in effect, defaults filled in.
func (k *Kernel) Config() Config { return k.cfg }

// Step folds what was seen at now into s and says what to do. It reads nothing but its arguments.
func (k *Kernel) Step(s State, obs Observation, now time.Time) (State, Decision) {
	t := instant.Of(now)
	watch := instant.Since(s.last, t, k.cfg.MaxGap)
	s.move(watch)
	s.last = t
	if !obs.Disabled && !obs.Problem {
		s.see(obs, watch.From)
	}
	p := k.plan(&s, obs)
	d := Decision{Action: p.action, Reason: p.reason, Next: now, Silence: s.silence(obs), Failures: s.failures}
	if p.at > t {
		d.Action, d.Reason, d.Next = ActionNone, p.waiting, p.at.On(now, t)
	}
	if d.Action == ActionStop || d.Action == ActionNone && p.at == never {
		d.Next = time.Time{}
	}
	return s, d
}

// Record folds the outcome of an attempted action, finished at now, into s. The time since the decision was watched: a
// slow attempt takes nothing off a silence. An outcome of no attempt (none, stop) changes nothing but the time.
func (k *Kernel) Record(s State, out Outcome, now time.Time) State {
	t := instant.Of(now)
	s.move(instant.Since(s.last, t, -1))
	s.last = t
	switch out.Action {
	case ActionRegister, ActionForceRefresh:
		s.forced = t
	case ActionRefresh:
	default:
		return s
	}
	s.attempt, s.adopted, s.floor = t, 0, 0
	if after := min(out.RetryAfter, k.cfg.Retry.MaxRetryAfter); after > 0 {
		s.floor = t.Add(after)
	}
	switch {
	case out.OK:
		s.failures = 0
	case s.failures < math.MaxUint32:
		s.failures++
	}
	return s
}

// move takes the instants of s along with the time that passed since its last step. The helpers of Step work on its copy
// of the state by a pointer: passing 72 bytes by value costs more than all rules together.
func (s *State) move(w instant.Watch) {
	s.attempt, s.forced, s.floor, s.adopted = w.Move(s.attempt), w.Move(s.forced), w.Move(s.floor), w.Move(s.adopted)
	s.heard, s.never = w.MoveSilence(s.heard), w.MoveSilence(s.never)
}

// see notes what a look at s.last found. What happened since the look before cannot have happened before from.
func (s *State) see(obs Observation, from instant.Time) {
	switch obs.Config {
	case ConfigAbsent:
		s.adopted, s.heard, s.never, s.stamp = 0, 0, 0, 0
		return
	case ConfigPresent:
	default:
		return
	}
	if !s.attempt.IsSet() && !s.adopted.IsSet() {
		s.adopted = s.last
	}
	switch obs.Handshake {
	case HandshakeNever:
		if !s.never.IsSet() {
			s.never = s.last
		}
	case HandshakeSeen:
		s.hear(obs.Stamp, from)
	}
}

// hear dates the handshake that has this stamp. The first one ever seen counts at its own age, a new one at its stamp
// as far as that is possible; one that is known is no event, and an old silence goes on.
func (s *State) hear(stamp int64, from instant.Time) {
	switch at := instant.OfNanos(stamp); {
	case !s.heard.IsSet():
		s.heard = min(at, s.last)
	case stamp != s.stamp:
		s.heard = min(max(at, from), s.last)
	}
	s.stamp, s.never = stamp, 0
}

// silentSince is the beginning of the silence that obs shows; unset while it is not known.
func (s *State) silentSince(obs Observation) instant.Time {
	switch {
	case obs.Disabled || obs.Problem || obs.Config != ConfigPresent:
		return 0
	case obs.Handshake == HandshakeNever:
		return s.never
	case obs.Handshake == HandshakeSeen:
		return s.heard
	}
	return 0
}

func (s *State) silence(obs Observation) time.Duration {
	since := s.silentSince(obs)
	if !since.IsSet() {
		return 0
	}
	return s.last.Sub(since)
}

// LastAttempt is when the last attempt ended; the zero time while there was none.
func (s State) LastAttempt() time.Time { return s.attempt.Std() }

// LastForced is when the last attempt ended that rebuilt the tunnel; the zero time while there was none.
func (s State) LastForced() time.Time { return s.forced.Std() }

// LastHandshake is when the last handshake took place, as far as that is known; the zero time while none was seen.
func (s State) LastHandshake() time.Time { return s.heard.Std() }

// Failures is how many attempts failed in a row.
func (s State) Failures() uint32 { return s.failures }
