// Package enumtest checks the names of enumerations for the tests of the kernels.
package enumtest

import (
	"encoding"
	"fmt"
	"strings"
	"testing"
)

// Check wants the values from first on to have these names, in both directions, and all other values and names to be
// errors.
func Check[T ~uint8, P interface {
	*T
	encoding.TextUnmarshaler
}](t testing.TB, first T, names ...string) {
	t.Helper()
	for i, name := range names {
		v := first + T(i)
		text, err := any(v).(encoding.TextMarshaler).MarshalText()
		if err != nil || string(text) != name || fmt.Sprint(v) != name {
			t.Errorf("value %d is written as %q, %v; want %q", uint8(v), text, err, name)
		}
		var back T
		if err := P(&back).UnmarshalText(text); err != nil || back != v {
			t.Errorf("%s came back as %v: %v", text, back, err)
		}
	}
	if text, err := any(first + T(len(names))).(encoding.TextMarshaler).MarshalText(); err == nil {
		t.Errorf("a value without a name was written as %q", text)
	}
	for _, text := range []string{"nonsense", ""} {
		var back T
		if err := P(&back).UnmarshalText([]byte(text)); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: got %v, want it to name the text", text, err)
		}
	}
}
