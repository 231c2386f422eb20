package settings_test

import (
	"errors"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/settings"
)

func TestACheckWithoutProblemsIsNoError(t *testing.T) {
	check := settings.Check{Name: "kernel"}
	check.That(true, "field", 1, "is bad")
	check.Nested("inner", nil)
	if err := check.Err(); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestACheckReportsEveryProblem wants name, field, value and limit of each, in their order.
func TestACheckReportsEveryProblem(t *testing.T) {
	inside := errors.New("other: pause: -1s is below 0")
	check := settings.Check{Name: "kernel"}
	check.That(false, "poll", 5*time.Second, "is below %v of %d", time.Minute, 3)
	check.That(true, "fine", 0, "is bad")
	check.Nested("retry", inside)
	check.That(false, "count", -1, "is negative")
	const want = "kernel: poll: 5s is below 1m0s of 3\nkernel: retry: other: pause: -1s is below 0\nkernel: count: -1 is negative"
	err := check.Err()
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if !errors.Is(err, inside) {
		t.Error("the nested error is not wrapped")
	}
}
