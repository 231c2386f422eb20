package settings

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Check collects the problems of one configuration.
type Check struct {
	// Name is put before each problem: the package.
	Name string

	problems []error
}

// That notes a problem unless ok holds. It reads "name: field: value limit".
func (c *Check) That(ok bool, field string, value any, limit string, args ...any) {
	if !ok {
		c.problems = append(c.problems, fmt.Errorf("%s: %s: %v %s", c.Name, field, value, fmt.Sprintf(limit, args...)))
	}
}

// Nested notes the problems of a configuration within this one, under the name of its field.
func (c *Check) Nested(field string, err error) {
	if err != nil {
		c.problems = append(c.problems, fmt.Errorf("%s: %s: %w", c.Name, field, err))
	}
}

// Err is all problems in one error, or nil.
func (c *Check) Err() error { return errors.Join(c.problems...) }

// Times is d multiplied by each factor, or the longest duration where that is less.
func Times(d time.Duration, factors ...int) time.Duration {
	for _, factor := range factors {
		if factor > 0 && d > math.MaxInt64/time.Duration(factor) {
			return math.MaxInt64
		}
		d *= time.Duration(factor)
	}
	return d
}
