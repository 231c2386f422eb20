package sdnotify

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// Why there is no watchdog although the environment speaks of one. No WATCHDOG_USEC at all is none of these: the
// watchdog is not enabled, and that is no error.
var (
	// ErrNotForUs says that WATCHDOG_PID names another process, such as a shell that started this one: systemd would
	// refuse our pings, and ends the service all the same.
	ErrNotForUs = errors.New("the watchdog is meant for another process")
	// ErrMalformed says that a variable does not hold what systemd writes.
	ErrMalformed = errors.New("malformed")
	// ErrOverflow says that WATCHDOG_USEC is longer than a time.Duration can be, 292 years.
	ErrOverflow = errors.New("too large")
)

// Environment is what the service manager put into the environment of this process.
type Environment struct {
	// Socket is where messages go: a path, or an abstract address that begins with @. Empty: nobody asked for any.
	Socket string
	// Watchdog is how long the service manager waits for a ping. Zero: it expects none, or WatchdogErr says why it is
	// not known.
	Watchdog time.Duration
	// SocketErr and WatchdogErr say what is wrong with the variables, naming variable and value; they wrap ErrNotForUs,
	// ErrMalformed or ErrOverflow.
	SocketErr, WatchdogErr error
}

// The variables, from systemd's protocol.
const (
	socketVariable = "NOTIFY_SOCKET"
	usecVariable   = "WATCHDOG_USEC"
	pidVariable    = "WATCHDOG_PID"
)

// Take reads the environment of this process and removes from it what children must not inherit: they would speak in
// our name, or believe that the watchdog is theirs. It is called once, at the start.
func Take() Environment {
	env := Parse(os.LookupEnv, os.Getpid())
	for _, name := range []string{socketVariable, usecVariable, pidVariable} {
		_ = os.Unsetenv(name) // fails only for a name that is no name
	}
	return env
}

// Parse is the environment that lookup gives to the process pid.
func Parse(lookup func(name string) (value string, set bool), pid int) Environment {
	var env Environment
	env.Socket, env.SocketErr = parseSocket(lookup)
	env.Watchdog, env.WatchdogErr = parseWatchdog(lookup, pid)
	return env
}

// parseSocket takes a path or an abstract address. Other schemes (vsock) exist, and nothing here speaks them.
func parseSocket(lookup func(string) (string, bool)) (string, error) {
	value, _ := lookup(socketVariable)
	if value == "" || value[0] == '/' || value[0] == '@' && len(value) > 1 {
		return value, nil
	}
	return "", fmt.Errorf("%s: %q: %w: neither an absolute path nor an abstract address", socketVariable, value, ErrMalformed)
}

func parseWatchdog(lookup func(string) (string, bool), pid int) (time.Duration, error) {
	value, set := lookup(usecVariable)
	if !set {
		return 0, nil
	}
	usec, err := parseNumber(usecVariable, value)
	if err != nil {
		return 0, err
	}
	if usec > math.MaxInt64/uint64(time.Microsecond) {
		return 0, fmt.Errorf("%s: %q: %w: above %d", usecVariable, value, ErrOverflow, math.MaxInt64/int64(time.Microsecond))
	}
	if value, set = lookup(pidVariable); set {
		owner, err := parseNumber(pidVariable, value)
		if err != nil {
			return 0, err
		}
		if owner != uint64(pid) {
			return 0, fmt.Errorf("%s: %q: %w: this is process %d", pidVariable, value, ErrNotForUs, pid)
		}
	}
	return time.Duration(usec) * time.Microsecond, nil
}

// parseNumber reads a positive number as systemd writes it: digits alone.
func parseNumber(name, value string) (uint64, error) {
	digits := value != "" && strings.Trim(value, "0123456789") == ""
	n, err := strconv.ParseUint(value, 10, 64)
	switch {
	case digits && errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%s: %q: %w", name, value, ErrOverflow)
	case !digits || n == 0:
		return 0, fmt.Errorf("%s: %q: %w: not a number above 0", name, value, ErrMalformed)
	}
	return n, nil
}
