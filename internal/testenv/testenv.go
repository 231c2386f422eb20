// Package testenv is for tests that need something which not every machine has: root, a TUN device, a running service.
// On a developer's machine such a test skips with its reason; in CI, where everything is installed, a check that did not
// run must not look like one that passed.
package testenv

import (
	"fmt"
	"os"
	"testing"
)

// Require is the environment variable that turns skips into failures. CI sets it to 1; any text but an empty one does.
const Require = "EVENKEEL_REQUIRE"

// Skip ends t, which can't run here for the reason given: as skipped, or as failed where [Require] is set.
func Skip(t testing.TB, format string, args ...any) {
	t.Helper()
	reason := fmt.Sprintf(format, args...)
	if os.Getenv(Require) != "" {
		t.Fatalf("this check could not run, and %s is set: %s", Require, reason)
	}
	t.Skip(reason)
}
