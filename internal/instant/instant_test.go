package instant_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/evenkeel-go/evenkeel/internal/instant"
)

const (
	longest  = time.Duration(math.MaxInt64)
	shortest = time.Duration(math.MinInt64)
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// TestOf has a row at, just before and just after each end of the range.
func TestOf(t *testing.T) {
	for _, row := range []struct {
		name string
		at   time.Time
		want instant.Time
	}{
		{"the epoch", time.Unix(0, 0), instant.OfNanos(0)},
		{"just before the epoch", time.Unix(0, -1), instant.OfNanos(-1)},
		{"just after the epoch", time.Unix(0, 1), instant.OfNanos(1)},
		{"today", start, instant.OfNanos(1767225600e9)},
		{"another zone", start.In(time.FixedZone("east", 3600)), instant.OfNanos(1767225600e9)},
		{"just after the earliest", time.Unix(0, math.MinInt64+2), instant.Earliest + 1},
		{"the earliest", time.Unix(0, math.MinInt64+1), instant.Earliest},
		{"just before the earliest", time.Unix(0, math.MinInt64), instant.Earliest},
		{"and before that", time.Unix(0, math.MinInt64).Add(-1), instant.Earliest},
		{"a second before the earliest", time.Unix(0, math.MinInt64).Add(-time.Second), instant.Earliest},
		{"the first whole second", time.Unix(-9223372036, 0), instant.OfNanos(-9223372036e9)},
		{"just before it", time.Unix(-9223372036, -1), instant.OfNanos(-9223372036e9 - 1)},
		{"year 1", time.Time{}, instant.Earliest},
		{"long before", time.Unix(math.MinInt64/2, 0), instant.Earliest},
		{"just before the latest", time.Unix(0, math.MaxInt64-1), instant.Latest - 1},
		{"the latest", time.Unix(0, math.MaxInt64), instant.Latest},
		{"just after the latest", time.Unix(0, math.MaxInt64).Add(1), instant.Latest},
		{"a second after the latest", time.Unix(0, math.MaxInt64).Add(time.Second), instant.Latest},
		{"the last whole second's end", time.Unix(9223372035, 999999999), instant.OfNanos(9223372035e9 + 999999999)},
		{"just after it", time.Unix(9223372036, 0), instant.OfNanos(9223372036e9)},
		{"year 9999", time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), instant.Latest},
		{"long after", time.Unix(math.MaxInt64/2, 0), instant.Latest},
	} {
		if got := instant.Of(row.at); got != row.want || !got.IsSet() {
			t.Errorf("%s: got %d, want %d", row.name, got, row.want)
		}
	}
}

func TestUnsetIsNoInstant(t *testing.T) {
	var unset instant.Time
	if unset.IsSet() || !unset.Std().IsZero() || unset.Add(time.Second).IsSet() || unset.Add(-time.Second).IsSet() {
		t.Errorf("unset is set, or became so: %v", unset.Std())
	}
	if got := instant.Of(time.Time{}); !got.IsSet() || got.Std().Year() != 1677 {
		t.Errorf("year 1 is %v", got.Std())
	}
	if got := instant.Of(time.Unix(0, 0)); !got.IsSet() || got.Nanos() != 0 {
		t.Errorf("the epoch is %v", got.Std())
	}
	if unset >= instant.Earliest || instant.OfNanos(math.MinInt64) != instant.Earliest || instant.OfNanos(math.MaxInt64) != instant.Latest {
		t.Errorf("unset does not come before all instants")
	}
}

// TestArithmeticSaturates has a row at, just before and just after each end.
func TestArithmeticSaturates(t *testing.T) {
	epoch := instant.OfNanos(0)
	for _, row := range []struct {
		name string
		got  instant.Time
		want instant.Time
	}{
		{"nothing", epoch.Add(0), epoch},
		{"forward", epoch.Add(1), instant.OfNanos(1)},
		{"back", epoch.Add(-1), instant.OfNanos(-1)},
		{"to the latest", epoch.Add(longest), instant.Latest},
		{"one short of it", epoch.Add(longest - 1), instant.Latest - 1},
		{"one beyond it", instant.OfNanos(1).Add(longest), instant.Latest},
		{"at the latest", instant.Latest.Add(1), instant.Latest},
		{"far beyond the latest", instant.Latest.Add(longest), instant.Latest},
		{"to the earliest", epoch.Add(-longest), instant.Earliest},
		{"one beyond it", epoch.Add(shortest), instant.Earliest},
		{"one short of it", epoch.Add(-longest + 1), instant.Earliest + 1},
		{"at the earliest", instant.Earliest.Add(-1), instant.Earliest},
		{"far beyond the earliest", instant.Earliest.Add(shortest), instant.Earliest},
		{"from end to end", instant.Earliest.Add(longest).Add(longest), instant.Latest},
		{"and back", instant.Latest.Add(shortest).Add(shortest), instant.Earliest},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, row.got.Std(), row.want.Std())
		}
	}
	for _, row := range []struct {
		name string
		got  time.Duration
		want time.Duration
	}{
		{"from itself", epoch.Sub(epoch), 0},
		{"one later", instant.OfNanos(1).Sub(epoch), 1},
		{"one earlier", epoch.Sub(instant.OfNanos(1)), -1},
		{"the longest", instant.Latest.Sub(epoch), longest},
		{"one longer", instant.Latest.Sub(instant.OfNanos(-1)), longest},
		{"one shorter", instant.Latest.Sub(instant.OfNanos(1)), longest - 1},
		{"from end to end", instant.Latest.Sub(instant.Earliest), longest},
		{"and back", instant.Earliest.Sub(instant.Latest), -longest},
		{"the earliest from the epoch", instant.Earliest.Sub(epoch), -longest},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, row.got, row.want)
		}
	}
}

// drawInstant draws from all of the range, and often from its ends.
func drawInstant(t *rapid.T, name string) instant.Time {
	return instant.Time(rapid.OneOf(rapid.Uint64Range(1, math.MaxUint64), rapid.Uint64Range(1, 9), rapid.Uint64Range(math.MaxUint64-9, math.MaxUint64)).Draw(t, name))
}

// TestInstantsAreTimes compares with time.Time wherever that does not overflow.
func TestInstantsAreTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawInstant(t, "a"), drawInstant(t, "b")
		d := time.Duration(rapid.Int64().Draw(t, "d"))
		if instant.Of(a.Std()) != a || instant.OfNanos(a.Nanos()) != a {
			t.Fatalf("%d came back as %d", a, instant.Of(a.Std()))
		}
		if (a < b) != a.Std().Before(b.Std()) || (a > b) != a.Std().After(b.Std()) {
			t.Fatalf("%v and %v are out of order", a.Std(), b.Std())
		}
		if want := max(a.Std().Sub(b.Std()), -longest); a.Sub(b) != want {
			t.Fatalf("from %v to %v: got %v, want %v", b.Std(), a.Std(), a.Sub(b), want)
		}
		if want := instant.Of(a.Std().Add(d)); a.Add(d) != want {
			t.Fatalf("%v after %v: got %v, want %v", d, a.Std(), a.Add(d).Std(), want.Std())
		}
		var back instant.Time
		if text, err := a.MarshalText(); err != nil || back.UnmarshalText(text) != nil || back != a {
			t.Fatalf("%s came back as %v (%v)", text, back.Std(), err)
		}
	})
}

// TestOnSpeaksInTheTermsOfNow keeps the zone, and takes the distance from the instants.
func TestOnSpeaksInTheTermsOfNow(t *testing.T) {
	zone := time.FixedZone("east", 3600)
	now := start.In(zone)
	got := instant.Of(start).Add(90*time.Second).On(now, instant.Of(start))
	if !got.Equal(start.Add(90*time.Second)) || got.Location() != zone {
		t.Errorf("got %v", got)
	}
}

func TestText(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", ""},
		{"1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"},
		{"2026-01-01T01:00:00.5+01:00", "2026-01-01T00:00:00.5Z"},
		{"1677-09-21T00:12:43.145224193Z", "1677-09-21T00:12:43.145224193Z"},
		{"2262-04-11T23:47:16.854775807Z", "2262-04-11T23:47:16.854775807Z"},
	} {
		got := instant.Latest
		if err := got.UnmarshalText([]byte(row.text)); err != nil {
			t.Errorf("%q: %v", row.text, err)
		}
		if text, err := got.MarshalText(); err != nil || string(text) != row.want {
			t.Errorf("%q: got %q (%v), want %q", row.text, text, err, row.want)
		}
	}
	for text, want := range map[string]string{
		"soon":                           `"soon" is not an RFC 3339 time`,
		"2026-01-01":                     `"2026-01-01" is not an RFC 3339 time`,
		"1677-09-21T00:12:43.145224192Z": "1677-09-21T00:12:43.145224192Z lies outside the years 1678 to 2262",
		"2262-04-11T23:47:16.854775808Z": "2262-04-11T23:47:16.854775808Z lies outside the years 1678 to 2262",
		"0001-01-01T00:00:00Z":           "0001-01-01T00:00:00Z lies outside the years 1678 to 2262",
	} {
		got := instant.Latest
		if err := got.UnmarshalText([]byte(text)); err == nil || err.Error() != want || got != instant.Latest {
			t.Errorf("got %v and %v, want %s", err, got.Std(), want)
		}
	}
}

// TestJSONLeavesUnsetOut reads through the encoder that the states use.
func TestJSONLeavesUnsetOut(t *testing.T) {
	type pair struct {
		A instant.Time `json:"a,omitzero"`
		B instant.Time `json:"b,omitzero"`
	}
	text, err := json.Marshal(pair{B: instant.OfNanos(0)})
	if err != nil || strings.Contains(string(text), `"a"`) || !strings.Contains(string(text), `"b":"1970-01-01T00:00:00Z"`) {
		t.Errorf("got %s (%v)", text, err)
	}
}
