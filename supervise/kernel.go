package supervise

import (
	"slices"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/ident"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// A Kernel is the rules for any number of targets. It never changes, and any number of goroutines may share it.
type Kernel struct{ cfg Config }

// State is what was seen of one target and done about it. Its zero value means "nothing seen yet". It is comparable and
// free of pointers; JSON keeps it whole.
type State struct {
	last     instant.Time // the last Step or Record; unset: none yet
	counted  instant.Time // the last sighting that counted; unset: none since the count started again
	spaced   instant.Time // the last recorded restart, from which sightings are spaced; unset: none
	running  instant.Time // since when the target has been seen running at every look; unset: it was not at the last
	seen     instant.Time // the last look that saw it running
	gaveUp   instant.Time // when the pause began; unset: none
	restarts [MostRestarts]instant.Time

	// These are reported and never measured from, so that no step of the clock moves them.
	restarted instant.Time // the last restart
	failed    instant.Time // the last one that failed
	crashing  instant.Time // since when the target is in a crash loop; unset: it is in none
	crashed   instant.Time // when the last crash loop began, over or not

	run, generation uint64
	sightings       uint8 // that counted, at most Confirm
}

// Observation is what one look found. Its zero value is "could not be observed" and causes nothing.
type Observation struct {
	// Status says what the target does.
	Status Status
	// Guard says who else has a hand on the target. Runners read the cheap ones at every look and the expensive one,
	// busy, once, right before they act.
	Guard Guard
	// Run is the identity of this run of the target, such as the [ID] of its start time: a new one says that it was
	// started anew. Zero is not known.
	Run uint64
	// Generation is the identity of the target itself, such as the [ID] of its container: a new one says that another
	// took its place. Zero is not known.
	Generation uint64
}

// Status says what the target does.
type Status uint8

const (
	// StatusUnknown says that it could not be read.
	StatusUnknown Status = iota
	// StatusRunning says that it runs.
	StatusRunning
	// StatusRestarting says that the runtime's own restart loop has it.
	StatusRestarting
	// StatusDown says that it does not run.
	StatusDown
)

// Guard says who else has a hand on the target.
type Guard uint8

const (
	// GuardNone is nobody.
	GuardNone Guard = iota
	// GuardNotOurs is another operation: the host is stopped, a swap is in flight, it was stopped or paused on purpose.
	GuardNotOurs
	// GuardParked is an operator's durable marker.
	GuardParked
	// GuardBusy is a lock: a backup runs.
	GuardBusy
	// GuardUnknown says that the guards could not be read.
	GuardUnknown
)

// Action is what to do now.
type Action uint8

const (
	// ActionNone is nothing.
	ActionNone Action = iota
	// ActionRestart is to restart the target.
	ActionRestart
	// ActionGiveUp is to tell people that the target is in a crash loop, and to leave it alone for a while.
	ActionGiveUp
)

// Reason says why a decision was made, one value for each branch of Step.
type Reason uint8

const (
	// ReasonNotOurs: another operation has the target; hands off.
	ReasonNotOurs Reason = 1 + iota
	// ReasonUnknown: the target could not be looked at; nothing is done.
	ReasonUnknown
	// ReasonRestarting: the runtime restarts it; two loops that restart one thing fight.
	ReasonRestarting
	// ReasonRecovering: it runs, and has not run for reset_after yet since it was last restarted.
	ReasonRecovering
	// ReasonRunning: it runs, and nothing is held against it.
	ReasonRunning
	// ReasonParked: it is down, and an operator wants it so.
	ReasonParked
	// ReasonConfirming: it was seen down, but not often enough.
	ReasonConfirming
	// ReasonBusy: it is down, and somebody has locked it.
	ReasonBusy
	// ReasonGuardUnknown: it is down, and whether somebody has locked it could not be read.
	ReasonGuardUnknown
	// ReasonPaused: it is in a crash loop, and the pause runs.
	ReasonPaused
	// ReasonCrashLoop: it was restarted max_restarts times within the window, and is down again; give up for a while.
	ReasonCrashLoop
	// ReasonDown: it is down; restart it.
	ReasonDown
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
	// Sightings is how often the target was seen down, up to Confirm, where it was.
	Sightings int
	// Restarts is how many restarts count: those within the window.
	Restarts int
}

// Outcome is how an attempted action ended. Its zero value changes nothing but the time.
type Outcome struct {
	// Action is what was attempted.
	Action Action
	// OK says that it succeeded. A restart counts either way.
	OK bool
}

// New checks cfg and fills in its defaults.
func New(cfg Config) (*Kernel, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Kernel{cfg: cfg.withDefaults()}, nil
}

// Config gives the values in effect, defaults filled in.
func (k *Kernel) Config() Config { return k.cfg }

// ID is the identity of a name, for an [Observation]; zero for an empty one, which is not known.
func ID(name string) uint64 {
	if name == "" {
		return 0
	}
	return ident.Of(name)
}

// Step folds what was seen at now into s and says what to do. It reads nothing but its arguments.
func (k *Kernel) Step(s State, obs Observation, now time.Time) (State, Decision) {
	t := instant.Of(now)
	watch := instant.Since(s.last, t, k.cfg.MaxGap)
	s.move(watch)
	if watch.Late() {
		s.startAgain()
		s.running = 0
	}
	s.last = t
	k.endPause(&s)
	s.identify(obs)
	k.see(&s, obs)
	d := k.decide(&s, obs, now)
	d.Restarts = k.counting(&s)
	return s, d
}

// Record folds the outcome of an attempted action, finished at now, into s.
func (k *Kernel) Record(s State, out Outcome, now time.Time) State {
	t := instant.Of(now)
	s.move(instant.Since(s.last, t, -1))
	s.last = t
	k.endPause(&s)
	switch out.Action {
	case ActionRestart:
		copy(s.restarts[1:], s.restarts[:])
		s.restarts[0], s.spaced, s.restarted = t, t, t
		if !out.OK {
			s.failed = t
		}
		s.startAgain()
	case ActionGiveUp:
		s.gaveUp = t
		if !s.crashing.IsSet() {
			s.crashing, s.crashed = t, t
		}
	}
	return s
}

// move takes the instants that are measured from along with a step of the clock. The helpers of Step work on its copy of
// the state by a pointer: passing more than 200 bytes by value costs more than all rules together.
func (s *State) move(w instant.Watch) {
	s.counted, s.spaced, s.gaveUp = w.Move(s.counted), w.Move(s.spaced), w.Move(s.gaveUp)
	s.running, s.seen = w.Move(s.running), w.Move(s.seen)
	for i := range s.restarts {
		s.restarts[i] = w.Move(s.restarts[i])
	}
}

// endPause empties the window once the pause is over.
func (k *Kernel) endPause(s *State) {
	if s.gaveUp.IsSet() && s.gaveUp.Add(k.cfg.Pause) <= s.last {
		s.restarts, s.gaveUp = [MostRestarts]instant.Time{}, 0
	}
}

// startAgain forgets the sightings. The spacing after a restart is remembered.
func (s *State) startAgain() { s.sightings, s.counted = 0, 0 }

// identify takes up the ids: the first ones are adopted, a new generation has no history, a new run has no sightings and
// no health.
func (s *State) identify(obs Observation) {
	if obs.Generation != 0 && obs.Generation != s.generation {
		if s.generation != 0 {
			*s = State{last: s.last, restarted: s.restarted, failed: s.failed, crashed: s.crashed}
		}
		s.generation = obs.Generation
	}
	if obs.Run != 0 && obs.Run != s.run {
		if s.run != 0 {
			s.startAgain()
			s.running = 0
		}
		s.run = obs.Run
	}
}

// see notes what the look at s.last found.
func (k *Kernel) see(s *State, obs Observation) {
	if obs.Status != StatusRunning {
		s.running = 0
	}
	switch {
	case obs.Guard == GuardNotOurs:
		s.startAgain()
	case obs.Status == StatusRunning:
		s.startAgain()
		k.watchHealth(s)
	case obs.Status == StatusDown:
		k.sight(s)
	default:
		s.startAgain()
	}
}

// watchHealth notes that the target runs; having done so for reset_after clears its record.
func (k *Kernel) watchHealth(s *State) {
	late := k.cfg.MaxGap >= 0 && s.seen.IsSet() && s.last.Sub(s.seen) > k.cfg.MaxGap
	if !s.running.IsSet() || late {
		s.running = s.last
	}
	s.seen = s.last
	if s.last.Sub(s.running) >= k.cfg.ResetAfter {
		s.restarts, s.gaveUp, s.crashing = [MostRestarts]instant.Time{}, 0, 0
	}
}

// sight counts a sighting, if the last one and the last restart are a sweep ago, or nearly: tickers jitter.
func (k *Kernel) sight(s *State) {
	if s.last >= k.nextSighting(s) && int(s.sightings) < k.cfg.Confirm {
		s.sightings++
		s.counted = s.last
	}
}

// nextSighting is the time from which on a sighting counts.
func (k *Kernel) nextSighting(s *State) instant.Time {
	spacing := k.cfg.SweepInterval - k.cfg.SweepInterval/10
	return max(s.counted.Add(spacing), s.spaced.Add(spacing))
}

// decide works down the rules; the first that matches decides.
func (k *Kernel) decide(s *State, obs Observation, now time.Time) Decision {
	switch {
	case obs.Guard == GuardNotOurs:
		return Decision{Reason: ReasonNotOurs}
	case obs.Status == StatusRunning:
		return k.decideRunning(s, now)
	case obs.Status == StatusRestarting:
		return Decision{Reason: ReasonRestarting}
	case obs.Status != StatusDown:
		return Decision{Reason: ReasonUnknown}
	}
	d := Decision{Sightings: min(int(s.sightings), k.cfg.Confirm)}
	switch {
	case obs.Guard == GuardParked:
		d.Reason = ReasonParked
	case d.Sightings < k.cfg.Confirm:
		d.Reason, d.Next = ReasonConfirming, k.nextSighting(s).On(now, s.last)
	case obs.Guard == GuardBusy:
		d.Reason = ReasonBusy
	case obs.Guard != GuardNone:
		d.Reason = ReasonGuardUnknown
	case s.gaveUp.IsSet():
		d.Reason, d.Next = ReasonPaused, s.gaveUp.Add(k.cfg.Pause).On(now, s.last)
	case k.counting(s) >= k.cfg.MaxRestarts:
		d.Action, d.Reason, d.Next = ActionGiveUp, ReasonCrashLoop, now
	default:
		d.Action, d.Reason, d.Next = ActionRestart, ReasonDown, now
	}
	return d
}

func (k *Kernel) decideRunning(s *State, now time.Time) Decision {
	if s.restarts[0].IsSet() || s.crashing.IsSet() {
		return Decision{Reason: ReasonRecovering, Next: s.running.Add(k.cfg.ResetAfter).On(now, s.last)}
	}
	return Decision{Reason: ReasonRunning}
}

// counting is how many restarts lie within the window. One that is exactly as old still counts: the limit of a rate, of
// all timers, includes both its ends.
func (k *Kernel) counting(s *State) int {
	n := slices.IndexFunc(s.restarts[:], func(at instant.Time) bool {
		return !at.IsSet() || s.last.Sub(at) > k.cfg.Window
	})
	if n < 0 {
		return MostRestarts
	}
	return n
}

// LastRestart is when the target was last restarted, successfully or not; the zero time while it never was.
func (s State) LastRestart() time.Time { return s.restarted.Std() }

// LastFailedRestart is when a restart last failed; the zero time while none did.
func (s State) LastFailedRestart() time.Time { return s.failed.Std() }

// CrashLoopSince is since when the target is in a crash loop; the zero time while it is in none. A pause does not end
// one, health does.
func (s State) CrashLoopSince() time.Time { return s.crashing.Std() }

// LastCrashLoop is when the last crash loop began, over or not; the zero time while there was none.
func (s State) LastCrashLoop() time.Time { return s.crashed.Std() }
