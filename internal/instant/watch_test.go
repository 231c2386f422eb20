package instant_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

// at is an instant some seconds after the start.
func at(seconds int) instant.Time {
	return instant.Of(start.Add(time.Duration(seconds) * time.Second))
}

// TestWatch moves the beginning of an obligation and of a silence, both ten seconds before the last step.
func TestWatch(t *testing.T) {
	const gap = 30 * time.Second
	for _, row := range []struct {
		name                 string
		last, now            instant.Time
		gap                  time.Duration
		from, moved, silence instant.Time
	}{
		{"the first look", 0, at(100), gap, at(100), at(-10), at(-10)},
		{"no time passed", at(0), at(0), gap, at(0), at(-10), at(-10)},
		{"some time passed", at(0), at(1), gap, at(0), at(-10), at(-10)},
		{"just below the largest gap", at(0), at(30) - 1, gap, at(0), at(-10), at(-10)},
		{"the largest gap", at(0), at(30), gap, at(0), at(-10), at(-10)},
		{"just above it", at(0), at(30) + 1, gap, at(0) + 1, at(-10), at(-10) + 1},
		{"far above it", at(0), at(1000), gap, at(970), at(-10), at(960)},
		{"no gap is allowed", at(0), at(5), 0, at(5), at(-10), at(-5)},
		{"any gap is allowed", at(0), at(1000), -1, at(0), at(-10), at(-10)},
		{"the smallest gap of all is negative", at(0), at(1000), math.MinInt64, at(0), at(-10), at(-10)},
		{"the clock went back by the least", at(0), at(0) - 1, gap, at(0) - 1, at(-10) - 1, at(-10) - 1},
		{"the clock went back a lot", at(0), at(-1000), gap, at(-1000), at(-1010), at(-1010)},
		{"the clock went back where any gap is allowed", at(0), at(-1000), -1, at(-1000), at(-1010), at(-1010)},
		{"from end to end", instant.Earliest, instant.Latest, gap, instant.Latest.Add(-gap), at(-10), instant.Latest},
		{"back from end to end", instant.Latest, instant.Earliest, gap, instant.Earliest, instant.Earliest, instant.Earliest},
	} {
		w := instant.Since(row.last, row.now, row.gap)
		if w.From != row.from {
			t.Errorf("%s: from %v, want %v", row.name, w.From.Std(), row.from.Std())
		}
		if got := w.Move(at(-10)); got != row.moved {
			t.Errorf("%s: moved to %v, want %v", row.name, got.Std(), row.moved.Std())
		}
		if got := w.MoveSilence(at(-10)); got != row.silence {
			t.Errorf("%s: the silence moved to %v, want %v", row.name, got.Std(), row.silence.Std())
		}
		if w.Move(0).IsSet() || w.MoveSilence(0).IsSet() {
			t.Errorf("%s: unset became set", row.name)
		}
	}
}

// TestASilenceGrowsByWatchedTimeAlone is both laws at once, from all of the range.
func TestASilenceGrowsByWatchedTimeAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last, now := drawInstant(t, "last"), drawInstant(t, "now")
		since := min(drawInstant(t, "since"), last)
		gap := time.Duration(rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1, 9)).Draw(t, "gap"))
		w := instant.Since(last, now, gap)
		passed := uint64(0)
		if now > last {
			passed = uint64(now - last)
		}
		obligation, silence := uint64(last-since)+passed, uint64(last-since)+passed
		if gap >= 0 {
			silence = uint64(last-since) + min(passed, uint64(gap))
		}
		if now < last { // what would begin before the range begins with it
			obligation, silence = min(obligation, uint64(now-instant.Earliest)), min(silence, uint64(now-instant.Earliest))
		}
		if got := uint64(now - w.Move(since)); got != obligation {
			t.Fatalf("an obligation has run for %d, want %d", got, obligation)
		}
		if got := uint64(now - w.MoveSilence(since)); got != silence {
			t.Fatalf("a silence has lasted for %d, want %d", got, silence)
		}
		if w.From > now || w.From < min(last, now) || gap >= 0 && uint64(now-w.From) > uint64(gap) {
			t.Fatalf("news can be from %v", w.From.Std())
		}
	})
}
