package enum_test

import (
	"testing"

	"github.com/evenkeel-go/evenkeel/internal/enum"
)

// colour has no name for its zero value, as the reasons of the kernels have none.
type colour uint8

var names = []string{"", "red", "green", "", "blue"}

func TestNames(t *testing.T) {
	for _, row := range []struct {
		value colour
		name  string
		known bool
	}{
		{0, "colour(0)", false},
		{1, "red", true},
		{2, "green", true},
		{3, "colour(3)", false},
		{4, "blue", true},
		{5, "colour(5)", false},
		{255, "colour(255)", false},
	} {
		if got := enum.Name(names, "colour", row.value); got != row.name {
			t.Errorf("%d is called %q, want %q", row.value, got, row.name)
		}
		text, err := enum.Marshal(names, "colour", row.value)
		if (err == nil) != row.known || row.known && string(text) != row.name {
			t.Errorf("%d is written as %q (%v)", row.value, text, err)
		}
		back, err := enum.Parse[colour](names, []byte(row.name))
		if (err == nil) != row.known || row.known && back != row.value {
			t.Errorf("%q is read as %d (%v)", row.name, back, err)
		}
	}
}

func TestErrorsNameTheValueAndWhatIsKnown(t *testing.T) {
	if _, err := enum.Marshal(names, "colour", colour(3)); err == nil || err.Error() != "colour: 3 has no name" {
		t.Errorf("got %v", err)
	}
	const want = " is none of red, green, blue"
	for _, text := range []string{"", "Red", " red", "yellow", "colour(0)"} {
		got, err := enum.Parse[colour](names, []byte(text))
		if err == nil || err.Error() != `"`+text+`"`+want || got != 0 {
			t.Errorf("%q is read as %d (%v)", text, got, err)
		}
	}
}
