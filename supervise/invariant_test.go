package supervise_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/supervise"
)

// watched runs a clock that counts as the kernel sees time: a step back of the real one takes none.
type watched struct {
	last time.Time
	seen time.Duration
}

func (w *watched) at(now time.Time) time.Duration {
	if !w.last.IsZero() {
		w.seen += max(0, now.Sub(w.last))
	}
	w.last = now
	return w.seen
}

// replaced says that a step saw another target in the place of the one before.
func replaced(before supervise.State, l life) bool {
	return before.Generation() != 0 && before.Generation() != l.s.Generation()
}

// TestInvariant10AnActionIsConfirmed counts the sightings again, the simplest way: by the looks since the last one that
// was no sighting.
func TestInvariant10AnActionIsConfirmed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		var clock watched
		var sightings []time.Duration
		spaced := -time.Hour
		drawLife(t, cfg, watcher{
			step: func(before supervise.State, l life) {
				now := clock.at(l.now)
				if replaced(before, l) {
					sightings, spaced = nil, -time.Hour
				}
				if l.obs.Status != supervise.StatusDown || l.obs.Guard == supervise.GuardNotOurs {
					sightings = nil
					return
				}
				last := spaced
				if n := len(sightings); n > 0 {
					last = max(last, sightings[n-1])
				}
				if now-last >= cfg.SweepInterval*9/10 {
					sightings = append(sightings, now)
				}
				if acting(l.d) && len(sightings) < cfg.Confirm {
					t.Fatalf("%v after the sightings %v, limit %d", l.d.Action, sightings, cfg.Confirm)
				}
			},
			record: func(_ supervise.State, l life, out supervise.Outcome) {
				if now := clock.at(l.now); out.Action == restart {
					sightings, spaced = nil, now
				}
			},
		})
	})
}

// TestInvariant11TheWindowHoldsNoMoreThanItMay looks at each restart back over one window of the time that the kernel has
// seen. The count begins anew with a step after which the kernel holds none.
func TestInvariant11TheWindowHoldsNoMoreThanItMay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		var clock watched
		var tried []time.Duration
		var giveUps int
		drawLife(t, cfg, watcher{
			step: func(before supervise.State, l life) {
				clock.at(l.now)
				if l.d.Reason == supervise.ReasonRunning || l.d.Action == restart && giveUps > 0 || replaced(before, l) {
					tried, giveUps = nil, 0 // health, the end of a pause, another target
				}
			},
			record: func(_ supervise.State, l life, out supervise.Outcome) {
				now := clock.at(l.now)
				if out.Action == giveUp {
					giveUps++
					return
				}
				tried = append(tried, now)
				within := 0
				for _, at := range tried {
					if now-at <= cfg.Window {
						within++
					}
				}
				if within > cfg.MaxRestarts {
					t.Fatalf("%d restarts within %v, limit %d: %v", within, cfg.Window, cfg.MaxRestarts, tried)
				}
			},
		})
	})
}

// TestInvariant11AlwaysDownIsLimited is of the strictest case: where the pause is as long as the window and the target
// never runs, the limit holds for every window whatever.
func TestInvariant11AlwaysDownIsLimited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		cfg.Pause = cfg.Window + drawSpan(t, "more pause", 0, 100)
		k := newKernel(t, cfg)
		var s supervise.State
		var tried []time.Time
		now := start
		for range 200 {
			now = now.Add(rapid.SampledFrom([]time.Duration{cfg.SweepInterval, cfg.SweepInterval * 9 / 10, time.Second, cfg.Window}).Draw(t, "wait"))
			var d supervise.Decision
			s, d = k.Step(s, down, now)
			s = k.Record(s, supervise.Outcome{Action: d.Action}, now)
			if d.Action != restart {
				continue
			}
			tried = append(tried, now)
			if i := len(tried) - 1 - cfg.MaxRestarts; i >= 0 && now.Sub(tried[i]) <= cfg.Window {
				t.Fatalf("%d restarts within %v", cfg.MaxRestarts+1, now.Sub(tried[i]))
			}
		}
	})
}

// TestInvariant12HandsOff acts on nothing but a target that is down and that nobody has a hand on, as far as is known.
func TestInvariant12HandsOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawLife(t, drawConfig(t), watcher{step: func(_ supervise.State, l life) {
			checkValid(t, l.k, l.d, l.now)
			if acting(l.d) && (l.obs.Status != supervise.StatusDown || l.obs.Guard != supervise.GuardNone) {
				t.Fatalf("%v, seeing %+v", l.d.Action, l.obs)
			}
			for g := supervise.GuardNotOurs; g <= supervise.GuardUnknown; g++ {
				for status := supervise.StatusUnknown; status <= supervise.StatusDown; status++ {
					if _, d := l.k.Step(l.s, supervise.Observation{Status: status, Guard: g}, l.now); acting(d) {
						t.Fatalf("%v, though %v and %v", d.Action, status, g)
					}
				}
			}
		}})
	})
}

// TestInvariant13APauseIsWhole wants nothing done to a target that was given up until the pause is over, unless it was
// healthy meanwhile or another one took its place.
func TestInvariant13APauseIsWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawConfig(t)
		var clock watched
		over := time.Duration(0)
		drawLife(t, cfg, watcher{
			step: func(_ supervise.State, l life) {
				now := clock.at(l.now)
				if l.s.CrashLoopSince().IsZero() {
					over = 0
				}
				if now < over && acting(l.d) {
					t.Fatalf("%v, %v before the end of the pause", l.d.Action, over-now)
				}
				if now >= over && l.d.Reason == supervise.ReasonPaused {
					t.Fatalf("paused %v after the end", now-over)
				}
			},
			record: func(_ supervise.State, l life, out supervise.Outcome) {
				if now := clock.at(l.now); out.Action == giveUp {
					over = now + cfg.Pause
				}
			},
		})
	})
}

// TestInvariant14WhatIsReportedMovesWithDeeds follows the four times through random lives.
func TestInvariant14WhatIsReportedMovesWithDeeds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawLife(t, drawConfig(t), watcher{
			step: func(before supervise.State, l life) {
				since := l.s.CrashLoopSince()
				if l.s.LastRestart() != before.LastRestart() || l.s.LastFailedRestart() != before.LastFailedRestart() || l.s.LastCrashLoop() != before.LastCrashLoop() {
					t.Fatalf("a look moved what is reported: %+v became %+v", before, l.s)
				}
				if since != before.CrashLoopSince() && (!since.IsZero() || l.d.Reason != supervise.ReasonRunning && !replaced(before, l)) {
					t.Fatalf("seeing %+v, the crash loop of %v became that of %v", l.obs, before.CrashLoopSince(), since)
				}
			},
			record: func(before supervise.State, l life, out supervise.Outcome) {
				want := [...]time.Time{before.LastRestart(), before.LastFailedRestart(), before.LastCrashLoop()}
				switch {
				case out.Action == giveUp && before.CrashLoopSince().IsZero():
					want[2] = l.now
				case out.Action == restart && !out.OK:
					want[0], want[1] = l.now, l.now
				case out.Action == restart:
					want[0] = l.now
				}
				if got := [...]time.Time{l.s.LastRestart(), l.s.LastFailedRestart(), l.s.LastCrashLoop()}; got != want {
					t.Fatalf("%+v made %v of %v", out, got, want)
				}
				if since := l.s.CrashLoopSince(); !since.IsZero() && since != l.s.LastCrashLoop() {
					t.Fatalf("in a crash loop since %v, and the last one began at %v", since, l.s.LastCrashLoop())
				}
			},
		})
	})
}

// TestInvariant15HealthClearsTheRecord lets a target run for reset_after: nothing is held against it, and it is treated as
// one that was never seen.
func TestInvariant15HealthClearsTheRecord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLife(t, drawConfig(t), watcher{})
		cfg := l.k.Config()
		l.s, l.d = l.k.Step(l.s, running, l.now)
		for end := l.now.Add(cfg.ResetAfter); l.now.Before(end); {
			l.now = l.now.Add(min(end.Sub(l.now), max(cfg.MaxGap, cfg.SweepInterval)))
			l.s, l.d = l.k.Step(l.s, running, l.now)
		}
		if l.d.Reason != supervise.ReasonRunning || l.d.Restarts != 0 || !l.s.CrashLoopSince().IsZero() {
			t.Fatalf("healthy for %v, and %+v in %+v", cfg.ResetAfter, l.d, l.s)
		}
		l.now = l.now.Add(cfg.SweepInterval) // the spacing after a restart is over
		_, d := l.k.Step(l.s, down, l.now)
		if _, fresh := l.k.Step(supervise.State{}, down, l.now); d != fresh {
			t.Fatalf("decided %+v, and of one never seen %+v", d, fresh)
		}
	})
}

// TestInvariant16LookingTwiceIsLookingOnce looks at the same time with other guards: what is decided then is the same.
func TestInvariant16LookingTwiceIsLookingOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawLife(t, drawConfig(t), watcher{step: func(_ supervise.State, l life) {
			if l.obs.Guard == supervise.GuardNotOurs {
				return
			}
			for _, g := range []supervise.Guard{supervise.GuardBusy, supervise.GuardUnknown, supervise.GuardParked} {
				s, _ := l.k.Step(l.s, guarded(l.obs, g), l.now)
				if again, d := l.k.Step(s, l.obs, l.now); again != l.s || d != l.d {
					t.Fatalf("a look at %v between changed %+v to %+v", g, l.d, d)
				}
			}
		}})
	})
}
