package backoff_test

import (
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

func TestMaxRetries(t *testing.T) {
	three := backoff.Config{MaxRetries: 3}
	check(t, []row{
		{"the third failure still has a retry", three, fails(3, 0, 1), backoff.ReasonBackoff, 3, 4 * time.Second},
		{"the fourth has none", three, fails(4, 0, 1), backoff.ReasonMaxRetries, 4, 0},
		{"nor the fifth", three, fails(5, 0, 1), backoff.ReasonMaxRetries, 5, 0},
		{"one retry, the first failure", backoff.Config{MaxRetries: 1}, fails(1, 0, 1), backoff.ReasonBackoff, 1, time.Second},
		{"one retry, the second", backoff.Config{MaxRetries: 1}, fails(2, 0, 1), backoff.ReasonMaxRetries, 2, 0},
		{"a negative number is no limit", backoff.Config{MaxRetries: -1}, fails(50, 0, 1), backoff.ReasonBackoff, 50, time.Minute},
		{"a success ends exhaustion", three, append(fails(9, 0, 1), ok(20)), backoff.ReasonOK, 0, 0},
		{"and all retries are there again", three, append(append(fails(9, 0, 1), ok(20)), fails(3, 30, 1)...), backoff.ReasonBackoff, 3, 4 * time.Second},
		{"failures before a success do not count", three, append(append(fails(3, 0, 1), ok(20)), fails(1, 30, 1)...), backoff.ReasonBackoff, 1, time.Second},
	})
}

func TestMaxElapsed(t *testing.T) {
	day := 86400.0
	limited := backoff.Config{MaxElapsed: 900 * time.Second}
	both := backoff.Config{MaxElapsed: 3 * time.Second, MaxRetries: 3}
	check(t, []row{
		{"a late first failure gets its retries", limited, []record{fail(day)}, backoff.ReasonBackoff, 1, time.Second},
		{"also after a success", limited, []record{ok(0), fail(day)}, backoff.ReasonBackoff, 1, time.Second},
		{"just before the limit", limited, []record{fail(day), fail(day + 900).later(-tick)}, backoff.ReasonBackoff, 2, 2 * time.Second},
		{"at the limit", limited, []record{fail(day), fail(day + 900)}, backoff.ReasonMaxElapsed, 2, 0},
		{"just after the limit", limited, []record{fail(day), fail(day + 900).later(tick)}, backoff.ReasonMaxElapsed, 2, 0},
		{"every minute, the last within", limited, fails(15, day, 60), backoff.ReasonBackoff, 15, time.Minute},
		{"every minute, the first beyond", limited, fails(16, day, 60), backoff.ReasonMaxElapsed, 16, 0},
		{"it counts from the first failure of this streak", limited, []record{fail(0), ok(10), fail(1000)}, backoff.ReasonBackoff, 1, time.Second},
		{"a limit shorter than any wait leaves one retry", backoff.Config{MaxElapsed: 1}, fails(1, 0, 1), backoff.ReasonBackoff, 1, time.Second},
		{"and then none", backoff.Config{MaxElapsed: 1}, fails(2, 0, 1), backoff.ReasonMaxElapsed, 2, 0},
		{"a negative limit is none", backoff.Config{MaxElapsed: -1}, fails(2, 0, 1e8), backoff.ReasonBackoff, 2, 2 * time.Second},
		{"both limits at once: the retries are named", both, fails(4, 0, 1), backoff.ReasonMaxRetries, 4, 0},
		{"the time alone", both, fails(3, 0, 2), backoff.ReasonMaxElapsed, 3, 0},
		{"a success ends exhaustion", limited, []record{fail(0), fail(1000), ok(1001)}, backoff.ReasonOK, 0, 0},
	})
}

func TestResetAfter(t *testing.T) {
	cfg := backoff.Config{ResetAfter: 30 * time.Second}
	check(t, []row{
		{"one success is not health", cfg, []record{fail(0), ok(1)}, backoff.ReasonRecovering, 1, 0},
		{"nor is waiting", cfg, []record{fail(0), ok(1000)}, backoff.ReasonRecovering, 1, 0},
		{"just before health", cfg, []record{fail(0), ok(1), ok(31).later(-tick)}, backoff.ReasonRecovering, 1, 0},
		{"health", cfg, []record{fail(0), ok(1), ok(31)}, backoff.ReasonOK, 0, 0},
		{"just after", cfg, []record{fail(0), ok(1), ok(31).later(tick)}, backoff.ReasonOK, 0, 0},
		{"many successes on the way", cfg, []record{fail(0), ok(1), ok(11), ok(21), ok(31)}, backoff.ReasonOK, 0, 0},
		{"a failure starts it again", cfg, []record{fail(0), ok(1), fail(20), ok(40), ok(69)}, backoff.ReasonRecovering, 2, 0},
		{"until it is over", cfg, []record{fail(0), ok(1), fail(20), ok(40), ok(70)}, backoff.ReasonOK, 0, 0},
		{"a failure in between grows the streak", cfg, []record{fail(0), ok(1), fail(20)}, backoff.ReasonBackoff, 2, 2 * time.Second},
		{"success before the streak is not health", cfg, []record{ok(0), fail(50), ok(60)}, backoff.ReasonRecovering, 1, 0},
		{"runs that end soon never reset", cfg, []record{fail(0), ok(60), fail(61), ok(121), fail(122), ok(182), fail(183)}, backoff.ReasonBackoff, 4, 8 * time.Second},
		{"nor does the cap decide", backoff.Config{ResetAfter: 30 * time.Second, Max: time.Second}, []record{fail(0), ok(1), ok(3)}, backoff.ReasonRecovering, 1, 0},
		{"a negative one is off", backoff.Config{ResetAfter: -1}, []record{fail(0), ok(1)}, backoff.ReasonOK, 0, 0},
		{"the shortest one needs two records", backoff.Config{ResetAfter: 1}, []record{fail(0), ok(1)}, backoff.ReasonRecovering, 1, 0},
		{"a success that asks for time recovers too", cfg, []record{fail(0), told(1, true, time.Minute)}, backoff.ReasonRetryAfter, 1, time.Minute},
		{"and counts toward health", cfg, []record{fail(0), told(1, true, time.Minute), ok(31)}, backoff.ReasonOK, 0, 0},
		{"exhaustion lasts until health", backoff.Config{ResetAfter: 30 * time.Second, MaxRetries: 1}, []record{fail(0), fail(1), ok(2), ok(31)}, backoff.ReasonMaxRetries, 2, 0},
		{"and ends with it", backoff.Config{ResetAfter: 30 * time.Second, MaxRetries: 1}, []record{fail(0), fail(1), ok(2), ok(32)}, backoff.ReasonOK, 0, 0},
		{"an asked-for wait does not lift it on the way", backoff.Config{ResetAfter: 30 * time.Second, MaxRetries: 1}, []record{fail(0), fail(1), told(2, true, time.Minute)}, backoff.ReasonMaxRetries, 2, 0},
		{"the streak's first failure stands while recovering", backoff.Config{ResetAfter: 30 * time.Second, MaxElapsed: 20 * time.Second}, []record{fail(0), ok(10), fail(20)}, backoff.ReasonMaxElapsed, 2, 0},
	})
}

// TestTheClockGoesBack has histories whose third record lies before the second: no time has passed between them.
func TestTheClockGoesBack(t *testing.T) {
	elapsed, reset := backoff.Config{MaxElapsed: 10 * time.Second}, backoff.Config{ResetAfter: 30 * time.Second}
	check(t, []row{
		{"the streak goes on", backoff.Config{}, []record{fail(1000), fail(400)}, backoff.ReasonBackoff, 2, 2 * time.Second},
		{"elapsed stands still", elapsed, []record{fail(1000), fail(1005), fail(400)}, backoff.ReasonBackoff, 3, 4 * time.Second},
		{"just before the limit", elapsed, []record{fail(1000), fail(1005), fail(400), fail(405).later(-tick)}, backoff.ReasonBackoff, 4, 8 * time.Second},
		{"at the limit", elapsed, []record{fail(1000), fail(1005), fail(400), fail(405)}, backoff.ReasonMaxElapsed, 4, 0},
		{"health stands still", reset, []record{fail(0), ok(1000), ok(1010), ok(5)}, backoff.ReasonRecovering, 1, 0},
		{"just before health", reset, []record{fail(0), ok(1000), ok(1010), ok(5), ok(25).later(-tick)}, backoff.ReasonRecovering, 1, 0},
		{"health", reset, []record{fail(0), ok(1000), ok(1010), ok(5), ok(25)}, backoff.ReasonOK, 0, 0},
		{"twice", elapsed, []record{fail(1000), fail(1004), fail(500), fail(504), fail(100), fail(101)}, backoff.ReasonBackoff, 6, 32 * time.Second},
		{"twice, at the limit", elapsed, []record{fail(1000), fail(1004), fail(500), fail(504), fail(100), fail(102)}, backoff.ReasonMaxElapsed, 6, 0},
	})
}
