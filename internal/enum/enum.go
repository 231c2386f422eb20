// Package enum turns the small enumerations of the kernels into their names and back.
package enum

import (
	"fmt"
	"strings"
)

// Name is the name of v. A value without one, which only a cast can make, reads kind(v).
func Name[T ~uint8](names []string, kind string, v T) string {
	if int(v) < len(names) && names[v] != "" {
		return names[v]
	}
	return fmt.Sprintf("%s(%d)", kind, v)
}

// Marshal is Name for encoders, which must not write a name that Parse would refuse.
func Marshal[T ~uint8](names []string, kind string, v T) ([]byte, error) {
	if int(v) < len(names) && names[v] != "" {
		return []byte(names[v]), nil
	}
	return nil, fmt.Errorf("%s: %d has no name", kind, v)
}

// Parse is the value that text names.
func Parse[T ~uint8](names []string, text []byte) (T, error) {
	for i, name := range names {
		if name != "" && name == string(text) {
			return T(i), nil
		}
	}
	return 0, fmt.Errorf("%q is none of %s", text, strings.Join(known(names), ", "))
}

func known(names []string) []string {
	out := make([]string, 0, len(names))
	for _, name := range names {
		if name != "" {
			out = append(out, name)
		}
	}
	return out
}
