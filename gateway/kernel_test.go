package gateway_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/gateway"
)

// event is a look at a time, or the record of an action.
type event struct {
	at     float64
	obs    gateway.Observation
	record *gateway.Outcome
}

func look(at float64, obs gateway.Observation) event { return event{at: at, obs: obs} }

func done(at float64, a gateway.Action, ok bool) event {
	return event{at: at, record: &gateway.Outcome{Action: a, OK: ok}}
}

func told(at float64, a gateway.Action, ok bool, after time.Duration) event {
	return event{at: at, record: &gateway.Outcome{Action: a, OK: ok, RetryAfter: after}}
}

// the names that the tables use
const (
	register = gateway.ActionRegister
	refresh  = gateway.ActionRefresh
	force    = gateway.ActionForceRefresh
	stop     = gateway.ActionStop
	none     = gateway.ActionNone
)

// noNext stands for a decision that only something new can change.
var noNext = math.NaN()

// TestDecisions has a row at, just before and just after each boundary. The last event of a row is the look that is
// judged.
func TestDecisions(t *testing.T) {
	const tick = 1e-9
	disabled, problem := gateway.Observation{Disabled: true}, gateway.Observation{Problem: true, Config: gateway.ConfigAbsent}
	rows := []struct {
		name   string
		cfg    gateway.Config
		events []event
		action gateway.Action
		reason gateway.Reason
		next   float64
	}{
		{"disabled stops", gateway.Config{}, []event{look(0, disabled)}, stop, gateway.ReasonDisabled, noNext},
		{"a problem stops", gateway.Config{}, []event{look(0, problem)}, stop, gateway.ReasonMisconfigured, noNext},
		{"disabled comes before a problem", gateway.Config{}, []event{look(0, gateway.Observation{Disabled: true, Problem: true})}, stop, gateway.ReasonDisabled, noNext},
		{"nothing could be seen", gateway.Config{}, []event{look(0, blind)}, none, gateway.ReasonConfigUnknown, noNext},
		{"an unknown configuration hides a dead tunnel", gateway.Config{MaxGap: -1}, []event{look(0, unheard), look(1000, blind)}, none, gateway.ReasonConfigUnknown, noNext},

		{"never attempted", gateway.Config{}, []event{look(0, absent)}, register, gateway.ReasonNeverRegistered, 0},
		{"who does not act is told again", gateway.Config{}, []event{look(0, absent), look(10, absent)}, register, gateway.ReasonNeverRegistered, 10},
		{"just before the first retry", gateway.Config{}, []event{look(0, absent), done(5, register, false), look(35-tick, absent)}, none, gateway.ReasonRetryWait, 35},
		{"at the first retry", gateway.Config{}, []event{look(0, absent), done(5, register, false), look(35, absent)}, register, gateway.ReasonConfigMissing, 35},
		{"just after the first retry", gateway.Config{}, []event{look(0, absent), done(5, register, false), look(35+tick, absent)}, register, gateway.ReasonConfigMissing, 35 + tick},
		{"the second retry waits 60 s", gateway.Config{}, []event{done(0, register, false), done(30, register, false), look(89, absent)}, none, gateway.ReasonRetryWait, 90},
		{"the third retry waits 120 s", gateway.Config{}, []event{done(0, register, false), done(30, refresh, false), done(90, force, false), look(100, absent)}, none, gateway.ReasonRetryWait, 210},
		{"the fourth retry too", gateway.Config{}, []event{done(0, register, false), done(30, register, false), done(90, register, false), done(210, register, false), look(211, absent)}, none, gateway.ReasonRetryWait, 330},
		{"lost after a success, retry.initial", gateway.Config{}, []event{done(0, register, true), look(29, absent)}, none, gateway.ReasonRetryWait, 30},
		{"a success ends the streak", gateway.Config{}, []event{done(0, register, false), done(30, register, false), done(90, register, true), look(91, absent)}, none, gateway.ReasonRetryWait, 120},
		{"a stop that is recorded is no attempt", gateway.Config{}, []event{done(0, stop, true), look(1, absent)}, register, gateway.ReasonNeverRegistered, 1},

		{"found without an attempt, just before the refresh", gateway.Config{}, []event{look(7, opaque), look(187-tick, opaque)}, none, gateway.ReasonHandshakeUnknown, 187},
		{"found without an attempt, at the refresh", gateway.Config{}, []event{look(7, opaque), look(187, opaque)}, refresh, gateway.ReasonRefreshDue, 187},
		{"found again after it was absent", gateway.Config{}, []event{look(0, opaque), look(10, absent), look(20, opaque), look(180, opaque)}, none, gateway.ReasonHandshakeUnknown, 200},
		{"an attempt counts, not the find", gateway.Config{}, []event{look(0, opaque), done(100, refresh, false), look(180, opaque)}, none, gateway.ReasonHandshakeUnknown, 280},
		{"no periodic refresh", gateway.Config{RefreshInterval: -1}, []event{look(0, opaque), look(1e6, opaque)}, none, gateway.ReasonHandshakeUnknown, noNext},

		{"just before the tunnel counts as silent", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, unheard), look(180-tick, unheard)}, none, gateway.ReasonHandshakePending, 180},
		{"at the handshake timeout", gateway.Config{MaxGap: -1}, []event{look(0, unheard), look(180, unheard)}, force, gateway.ReasonTunnelSilent, 180},
		{"a handshake counts at its own age when it is the first", gateway.Config{}, []event{look(100, heard(-79))}, none, gateway.ReasonHealthy, 101},
		{"and may be too old at once", gateway.Config{}, []event{look(101, heard(-79))}, force, gateway.ReasonTunnelSilent, 101},
		{"but never lies in the future", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(1000)), look(179, heard(1000))}, none, gateway.ReasonHealthy, 180},
		{"one that is only as new as the look before is dated there", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(0)), look(100, heard(0)), look(110, heard(50))}, none, gateway.ReasonHealthy, 280},
		{"one between the looks is dated at its stamp", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(0)), look(100, heard(0)), look(110, heard(104))}, none, gateway.ReasonHealthy, 284},
		{"one from the future is dated now", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(0)), look(110, heard(500))}, none, gateway.ReasonHealthy, 290},
		{"a stamp that turns to never begins a silence", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(0)), look(100, unheard)}, none, gateway.ReasonHandshakePending, 280},
		{"one that comes back as it was resumes its old one", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(0)), look(100, unheard), look(110, heard(0))}, none, gateway.ReasonHealthy, 180},
		{"an unknown handshake does not move the silence", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, unheard), look(100, opaque), look(180, unheard)}, force, gateway.ReasonTunnelSilent, 180},
		{"and hides it", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, unheard), look(180, opaque)}, none, gateway.ReasonHandshakeUnknown, noNext},
		{"a lost configuration forgets the handshake", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, unheard), look(100, absent), look(110, unheard)}, none, gateway.ReasonHandshakePending, 290},
		{"a look that stops notes nothing", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, gateway.Observation{Disabled: true, Config: gateway.ConfigPresent, Handshake: gateway.HandshakeNever}), look(100, unheard)}, none, gateway.ReasonHandshakePending, 280},
		{"so that it counts at its own age again", gateway.Config{RefreshInterval: -1, MaxGap: -1}, []event{look(0, heard(0)), look(100, heard(0)), look(110, heard(50)), look(115, absent), look(120, heard(50))}, none, gateway.ReasonHealthy, 230},
		{"a refresh ends no silence", gateway.Config{MaxGap: -1}, []event{look(0, unheard), done(150, refresh, true), look(180, unheard)}, force, gateway.ReasonTunnelSilent, 180},
		{"no handshake timeout, no forced refresh", gateway.Config{HandshakeTimeout: -1, RefreshInterval: -1}, []event{look(0, unheard), look(1e6, unheard)}, none, gateway.ReasonHandshakePending, noNext},

		{"forced just before", gateway.Config{MaxGap: -1}, []event{look(0, unheard), done(100, force, true), look(280-tick, unheard)}, none, gateway.ReasonForceWait, 280},
		{"forced long enough ago", gateway.Config{MaxGap: -1}, []event{look(0, unheard), done(100, force, true), look(280, unheard)}, force, gateway.ReasonTunnelSilent, 280},
		{"a registration rebuilds too", gateway.Config{MaxGap: -1}, []event{look(0, unheard), done(100, register, true), look(279, unheard)}, none, gateway.ReasonForceWait, 280},
		{"while silent the refresh stays away", gateway.Config{RefreshInterval: 20 * time.Second, MaxGap: -1}, []event{look(0, unheard), done(180, force, true), look(300, unheard)}, none, gateway.ReasonForceWait, 360},

		{"a server that asks for time, absent", gateway.Config{}, []event{told(0, register, false, 100*time.Second), look(99, absent)}, none, gateway.ReasonRetryAfter, 100},
		{"and when it is over", gateway.Config{}, []event{told(0, register, false, 100*time.Second), look(100, absent)}, register, gateway.ReasonConfigMissing, 100},
		{"asking for less than the schedule changes nothing", gateway.Config{}, []event{told(0, register, false, time.Second), look(1, absent)}, none, gateway.ReasonRetryWait, 30},
		{"asking for the very same is the schedule's reason", gateway.Config{}, []event{told(0, register, false, 30*time.Second), look(1, absent)}, none, gateway.ReasonRetryWait, 30},
		{"it puts off both, so that the death in between changes nothing", gateway.Config{RefreshInterval: 5 * time.Second, HandshakeTimeout: 20 * time.Second}, []event{look(0, unheard), told(0, refresh, true, 100*time.Second), look(1, unheard)}, none, gateway.ReasonRetryAfter, 100},
		{"it is bounded", gateway.Config{}, []event{told(0, register, false, time.Hour), look(1, absent)}, none, gateway.ReasonRetryAfter, 300},
		{"a negative one is ignored", gateway.Config{}, []event{told(0, register, false, -time.Hour), look(1, absent)}, none, gateway.ReasonRetryWait, 30},
		{"it also puts off a forced refresh", gateway.Config{MaxGap: -1}, []event{look(0, unheard), told(10, refresh, true, 200*time.Second), look(190, unheard)}, none, gateway.ReasonRetryAfter, 210},
		{"and a periodic one", gateway.Config{RefreshInterval: time.Minute}, []event{told(0, refresh, true, 100*time.Second), look(70, opaque)}, none, gateway.ReasonRetryAfter, 100},
		{"it holds for one action only", gateway.Config{}, []event{told(0, register, false, 100*time.Second), done(100, register, false), look(101, absent)}, none, gateway.ReasonRetryWait, 160},
		{"a server may be told not to ask", gateway.Config{Retry: backoff.Config{MaxRetryAfter: -1}}, []event{told(0, register, false, time.Minute), look(1, absent)}, none, gateway.ReasonRetryWait, 30},

		{"unwatched time is no silence", gateway.Config{RefreshInterval: -1}, []event{look(0, unheard), look(1000, unheard)}, none, gateway.ReasonHandshakePending, 1150},
		{"each gap forgives its own excess", gateway.Config{RefreshInterval: -1}, []event{look(0, unheard), look(100, unheard), look(200, unheard)}, none, gateway.ReasonHandshakePending, 320},
		{"an attempt is watched", gateway.Config{}, []event{look(0, unheard), done(170, force, true), look(180, unheard)}, none, gateway.ReasonForceWait, 350},
		{"a refresh is due on unwatched time too", gateway.Config{}, []event{look(0, unheard), look(1000, unheard)}, refresh, gateway.ReasonRefreshDue, 1000},

		{"the clock goes back: the silence moves along", gateway.Config{RefreshInterval: -1}, []event{look(1000, unheard), look(1010, unheard), look(10, unheard)}, none, gateway.ReasonHandshakePending, 180},
		{"the clock goes back: the retry moves along", gateway.Config{}, []event{done(1000, register, false), look(400, absent)}, none, gateway.ReasonRetryWait, 430},
		{"the clock goes back: Retry-After moves along", gateway.Config{}, []event{told(1000, register, false, 100*time.Second), look(400, absent)}, none, gateway.ReasonRetryAfter, 500},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			k := newKernel(t, row.cfg)
			var s gateway.State
			var d gateway.Decision
			for _, e := range row.events {
				if e.record != nil {
					s = k.Record(s, *e.record, at(e.at))
				} else {
					s, d = k.Step(s, e.obs, at(e.at))
				}
			}
			want := at(row.next)
			if math.IsNaN(row.next) {
				want = time.Time{}
			}
			if d.Action != row.action || d.Reason != row.reason || !d.Next.Equal(want) {
				t.Errorf("got %v because %v, next %v; want %v because %v, next %v", d.Action, d.Reason, d.Next, row.action, row.reason, want)
			}
			checkExplained(t, k, s, d)
		})
	}
}

// checkExplained wants a sentence that begins with the reason.
func checkExplained(t *testing.T, k *gateway.Kernel, s gateway.State, d gateway.Decision) {
	t.Helper()
	why := k.Explain(s, d)
	if !strings.HasPrefix(why, d.Reason.String()+": ") || strings.Contains(why, "%!") {
		t.Errorf("explained as %q", why)
	}
}

// drive runs the kernel over 900 s against a world, either at every poll or when Next comes, and lists its actions.
// Attempts take as long as takes and all end as ok says.
func drive(k *gateway.Kernel, see func(second float64) gateway.Observation, ok bool, takes time.Duration, sleeping bool) []string {
	var s gateway.State
	var actions []string
	for now := start; now.Sub(start) < 900*time.Second; {
		var d gateway.Decision
		s, d = k.Step(s, see(now.Sub(start).Seconds()), now)
		if acting(d) {
			actions = append(actions, fmt.Sprintf("%v@%g", d.Action, now.Sub(start).Seconds()))
			now = now.Add(takes)
			s = k.Record(s, gateway.Outcome{Action: d.Action, OK: ok}, now)
			continue
		}
		poll := now.Add(k.Config().PollInterval)
		if !sleeping {
			now = now.Truncate(k.Config().PollInterval).Add(k.Config().PollInterval)
			continue
		}
		now = now.Add(k.Config().MaxGap)
		if !d.Next.IsZero() && d.Next.Before(now) {
			now = d.Next
		} else if now.Before(poll) {
			now = poll
		}
	}
	return actions
}

// TestVerification is the table that the rules were made for: 900 s at a 10 s poll, by polling and by sleeping.
func TestVerification(t *testing.T) {
	healthy := func(at float64) gateway.Observation { return heard(at) }
	gone := func(from, back float64) func(float64) gateway.Observation {
		return func(at float64) gateway.Observation {
			if at >= from && at < back {
				at = from
			}
			return heard(at)
		}
	}
	always := func(obs gateway.Observation) func(float64) gateway.Observation {
		return func(float64) gateway.Observation { return obs }
	}
	for _, row := range []struct {
		name  string
		see   func(float64) gateway.Observation
		ok    bool
		takes time.Duration
		want  string
	}{
		{"healthy: never forced", healthy, true, 0, "refresh@180 refresh@360 refresh@540 refresh@720"},
		{"never a handshake: forced four times", always(unheard), true, 0, "force_refresh@180 force_refresh@360 force_refresh@540 force_refresh@720"},
		{"a frozen handshake: forced four times", always(heard(0)), true, 0, "force_refresh@180 force_refresh@360 force_refresh@540 force_refresh@720"},
		{"gone after 180: forced three times", gone(180, 1e9), true, 0, "refresh@180 force_refresh@360 force_refresh@540 force_refresh@720"},
		{"frozen at 0, back at 540: forced twice, then periodic", gone(0, 540), true, 0, "force_refresh@180 force_refresh@360 refresh@540 refresh@720"},
		{"back at 540: forced once, then periodic", gone(180, 540), true, 0, "refresh@180 force_refresh@360 refresh@540 refresh@720"},
		{"back just after 540: forced twice, then periodic", gone(180, 541), true, 0, "refresh@180 force_refresh@360 force_refresh@540 refresh@720"},
		{"unreadable: periodic", always(opaque), true, 0, "refresh@180 refresh@360 refresh@540 refresh@720"},
		{"no configuration: retries", always(absent), false, 0, "register@0 register@30 register@90 register@210 register@330 register@450 register@570 register@690 register@810"},
		{"attempts that block 60 s: from the end of each", always(absent), false, time.Minute, "register@0 register@90 register@210 register@390 register@570 register@750"},
		{"forced attempts that block 60 s", always(unheard), true, time.Minute, "force_refresh@180 force_refresh@420 force_refresh@660"},
	} {
		for _, sleeping := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, sleeping %v", row.name, sleeping), func(t *testing.T) {
				got := strings.Join(drive(newKernel(t, gateway.Config{}), row.see, row.ok, row.takes, sleeping), " ")
				if got != row.want {
					t.Errorf("got  %s\nwant %s", got, row.want)
				}
			})
		}
	}
}

// TestAttemptsSpread holds a fleet's retries apart by its keys.
func TestAttemptsSpread(t *testing.T) {
	due := map[time.Time]int{}
	for i := range 100 {
		k := newKernel(t, gateway.Config{Retry: backoff.Config{Jitter: backoff.JitterEqual, Key: fmt.Sprint("machine ", i)}})
		s := k.Record(gateway.State{}, gateway.Outcome{Action: register}, start)
		_, d := k.Step(s, absent, at(1))
		if d.Next.Before(at(15)) || d.Next.After(at(30)) {
			t.Errorf("retry at %v, outside half of 30 s", d.Next)
		}
		due[d.Next]++
	}
	if len(due) < 95 {
		t.Errorf("100 machines share %d times", len(due))
	}
}

func TestStateAnswers(t *testing.T) {
	k := newKernel(t, gateway.Config{})
	var s gateway.State
	if !s.LastAttempt().IsZero() || !s.LastForced().IsZero() || !s.LastHandshake().IsZero() || s.Failures() != 0 {
		t.Errorf("a fresh state knows %v %v %v %d", s.LastAttempt(), s.LastForced(), s.LastHandshake(), s.Failures())
	}
	s, _ = k.Step(s, heard(3), at(5))
	s = k.Record(s, gateway.Outcome{Action: force}, at(6))
	s = k.Record(s, gateway.Outcome{Action: refresh}, at(9))
	if !s.LastHandshake().Equal(at(3)) || !s.LastForced().Equal(at(6)) || !s.LastAttempt().Equal(at(9)) || s.Failures() != 2 {
		t.Errorf("got %v %v %v %d", s.LastHandshake(), s.LastForced(), s.LastAttempt(), s.Failures())
	}
}
