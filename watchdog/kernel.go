package watchdog

import (
	"slices"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/ident"
	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// A Kernel is the rules for one service manager. It never changes, and any number of goroutines may share it.
type Kernel struct {
	cfg Config
	ids []uint64 // of the sources, in their order
}

// State is what was heard of the loops, and the pings that were sent. Its zero value means "nothing seen yet". It is
// comparable and free of pointers; JSON keeps it whole.
type State struct {
	last   instant.Time // the last Step or Record; unset: none yet
	began  instant.Time // the first Step, from which a loop that has not beaten yet is silent
	good   instant.Time // the last ping that was sent
	failed instant.Time // the last one that could not be
	beats  [MostSources]instant.Time
}

// Observation is what one look found: who beats now. Its zero value is that nobody does, and causes nothing.
type Observation struct {
	// Source is the [ID] of the loop that beats. Zero, or one that the kernel does not know, is nobody.
	Source uint64
}

// Action is what to do now.
type Action uint8

const (
	// ActionNone is nothing.
	ActionNone Action = iota
	// ActionPing is to tell the service manager that the program works.
	ActionPing
)

// Reason says why a decision was made, one value for each branch of Step.
type Reason uint8

const (
	// ReasonOff: the service manager expects no ping.
	ReasonOff Reason = 1 + iota
	// ReasonWithheld: a loop has been silent for its budget; whatever the others do, the service manager is to act.
	ReasonWithheld
	// ReasonNoBeat: no loop beats now; only a loop that works may ping.
	ReasonNoBeat
	// ReasonRecent: a loop beats, and a ping was sent less than a quarter of the timeout ago, or failed less than an
	// eighth ago.
	ReasonRecent
	// ReasonBeat: a loop beats, none is late, and a ping is due.
	ReasonBeat
)

// Decision is what Step decided.
type Decision struct {
	// Action is what to do now.
	Action Action
	// Reason is why, always set.
	Reason Reason
	// Next is when to look again although nothing new is seen: no action and no withholding comes before it, and at it
	// something changes. It is now where there is something to do, and zero where only something new can change the
	// decision.
	Next time.Time
	// Late names the loop that is most overdue, where the ping is withheld.
	Late string
	// Overdue is by how much it is.
	Overdue time.Duration
}

// Outcome is how an attempted action ended. Its zero value changes nothing but the time.
type Outcome struct {
	// Action is what was attempted.
	Action Action
	// OK says that the ping was sent.
	OK bool
}

// New checks cfg and fills in its defaults.
func New(cfg Config) (*Kernel, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	k := &Kernel{cfg: cfg.withDefaults()}
	for _, source := range k.cfg.Sources {
		k.ids = append(k.ids, ID(source.Name))
	}
	return k, nil
}

// Config gives the values in effect, defaults filled in.
func (k *Kernel) Config() Config {
	cfg := k.cfg
	cfg.Sources = slices.Clone(cfg.Sources)
	return cfg
}

// ID is the identity of the loop of this name, for an [Observation].
func ID(name string) uint64 { return ident.Of(name) }

// Step folds the beat that was heard at now into s and says what to do. It reads nothing but its arguments.
func (k *Kernel) Step(s State, obs Observation, now time.Time) (State, Decision) {
	t := instant.Of(now)
	s.move(instant.Since(s.last, t, k.cfg.MaxGap))
	s.last = t
	if !s.began.IsSet() {
		s.began = t
	}
	beating := slices.Index(k.ids, obs.Source)
	if beating >= 0 {
		s.beats[beating] = t
	}
	return s, k.decide(&s, beating, now)
}

// Record folds the outcome of an attempted ping, finished at now, into s.
func (k *Kernel) Record(s State, out Outcome, now time.Time) State {
	t := instant.Of(now)
	s.move(instant.Since(s.last, t, -1))
	s.last = t
	switch {
	case out.Action != ActionPing:
	case out.OK:
		s.good = t
	default:
		s.failed = t
	}
	return s
}

// move takes the instants of s along with the time that passed since its last step. The helpers of Step work on its copy
// of the state by a pointer: passing 96 bytes by value costs more than all rules together.
func (s *State) move(w instant.Watch) {
	s.good, s.failed, s.began = w.Move(s.good), w.Move(s.failed), w.MoveSilence(s.began)
	for i := range s.beats {
		s.beats[i] = w.MoveSilence(s.beats[i])
	}
}

// decide works down the rules; the first that matches decides. beating is the source that beats now, -1 for none.
func (k *Kernel) decide(s *State, beating int, now time.Time) Decision {
	if k.cfg.Timeout <= 0 {
		return Decision{Reason: ReasonOff}
	}
	late, due := k.mostOverdue(s, beating)
	if late >= 0 && due <= s.last {
		return Decision{Reason: ReasonWithheld, Late: k.cfg.Sources[late].Name, Overdue: s.last.Sub(due)}
	}
	reason := ReasonNoBeat
	if beating >= 0 {
		ping := k.pingDue(s)
		if ping <= s.last {
			return Decision{Action: ActionPing, Reason: ReasonBeat, Next: now}
		}
		reason, due = ReasonRecent, min(due, ping)
	}
	return Decision{Reason: reason, Next: due.On(now, s.last)}
}

// mostOverdue is the source whose budget ends first, and when; -1 and the end of time where there is none but the one
// that beats.
func (k *Kernel) mostOverdue(s *State, beating int) (source int, due instant.Time) {
	source, due = -1, instant.Latest
	for i := range k.cfg.Sources {
		if i == beating {
			continue
		}
		if end := max(s.beats[i], s.began).Add(k.cfg.Sources[i].Budget); end < due {
			source, due = i, end
		}
	}
	return source, due
}

// pingDue is when a beat may ping again.
func (k *Kernel) pingDue(s *State) instant.Time {
	return max(s.good.Add(k.cfg.Timeout/4), s.failed.Add(k.retry()))
}

// retry is how long after a failed ping the next one is due.
func (k *Kernel) retry() time.Duration { return k.cfg.Timeout / 8 }

// LastPing is when the last ping was sent; the zero time while there was none.
func (s State) LastPing() time.Time { return s.good.Std() }

// LastFailed is when the last ping could not be sent; the zero time while there was none.
func (s State) LastFailed() time.Time { return s.failed.Std() }
