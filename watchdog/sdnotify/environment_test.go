package sdnotify_test

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"

	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// environment is one that holds these names and values alone.
func environment(pairs ...string) func(string) (string, bool) {
	vars := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		vars[pairs[i]] = pairs[i+1]
	}
	return func(name string) (string, bool) {
		value, set := vars[name]
		return value, set
	}
}

const (
	usec = "WATCHDOG_USEC"
	pid  = "WATCHDOG_PID"
)

// TestWatchdogIsParsed has a row at, just before and just after each limit. This is process 190.
func TestWatchdogIsParsed(t *testing.T) {
	for _, row := range []struct {
		name  string
		vars  []string
		want  time.Duration
		cause error
		says  string
	}{
		{"nothing is set", nil, 0, nil, ""},
		{"no watchdog, though a process is named", []string{pid, "190"}, 0, nil, ""},
		{"no watchdog, whatever the process", []string{pid, "x"}, 0, nil, ""},
		{"for nobody in particular", []string{usec, "30000000"}, 30 * time.Second, nil, ""},
		{"for us", []string{usec, "600000000", pid, "190"}, 10 * time.Minute, nil, ""},
		{"the shortest", []string{usec, "1", pid, "190"}, time.Microsecond, nil, ""},
		{"leading zeros", []string{usec, "0030", pid, "0190"}, 30 * time.Microsecond, nil, ""},

		{"for another process", []string{usec, "1000000", pid, "185"}, 0, sdnotify.ErrNotForUs, `WATCHDOG_PID: "185": the watchdog is meant for another process: this is process 190`},
		{"for one just before", []string{usec, "1000000", pid, "189"}, 0, sdnotify.ErrNotForUs, `WATCHDOG_PID: "189"`},
		{"for one just after", []string{usec, "1000000", pid, "191"}, 0, sdnotify.ErrNotForUs, `WATCHDOG_PID: "191"`},
		{"for one that is ours in 32 bits", []string{usec, "1000000", pid, "4294967486"}, 0, sdnotify.ErrNotForUs, `WATCHDOG_PID: "4294967486"`},

		{"empty", []string{usec, ""}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: ""`},
		{"a blank before it", []string{usec, " 5"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: " 5"`},
		{"a blank after it", []string{usec, "5 "}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "5 "`},
		{"a line break after it", []string{usec, "5\n"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "5\n"`},
		{"a sign", []string{usec, "+5"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "+5"`},
		{"negative", []string{usec, "-1"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "-1"`},
		{"zero", []string{usec, "0"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "0"`},
		{"many zeros", []string{usec, "000"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "000"`},
		{"an exponent", []string{usec, "1e6"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "1e6"`},
		{"hexadecimal", []string{usec, "0x10"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "0x10"`},
		{"underscores", []string{usec, "1_000"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "1_000"`},
		{"a unit", []string{usec, "30s"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "30s"`},
		{"digits of another script", []string{usec, "٣"}, 0, sdnotify.ErrMalformed, `WATCHDOG_USEC: "٣"`},
		{"a long word", []string{usec, strings.Repeat("9", 30) + "x"}, 0, sdnotify.ErrMalformed, "WATCHDOG_USEC: "},
		{"an empty process", []string{usec, "5", pid, ""}, 0, sdnotify.ErrMalformed, `WATCHDOG_PID: ""`},
		{"process 0", []string{usec, "5", pid, "0"}, 0, sdnotify.ErrMalformed, `WATCHDOG_PID: "0"`},
		{"no process", []string{usec, "5", pid, "self"}, 0, sdnotify.ErrMalformed, `WATCHDOG_PID: "self"`},

		{"the longest", []string{usec, "9223372036854775"}, 9223372036854775 * time.Microsecond, nil, ""},
		{"just above it", []string{usec, "9223372036854776"}, 0, sdnotify.ErrOverflow, `WATCHDOG_USEC: "9223372036854776": too large: above 9223372036854775`},
		{"the longest number", []string{usec, "18446744073709551615"}, 0, sdnotify.ErrOverflow, `WATCHDOG_USEC: "18446744073709551615"`},
		{"just above that", []string{usec, "18446744073709551616"}, 0, sdnotify.ErrOverflow, `WATCHDOG_USEC: "18446744073709551616"`},
		{"a process that none can be", []string{usec, "5", pid, "18446744073709551616"}, 0, sdnotify.ErrOverflow, `WATCHDOG_PID: "18446744073709551616"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			env := sdnotify.Parse(environment(row.vars...), 190)
			if env.Watchdog != row.want || env.SocketErr != nil || env.Socket != "" {
				t.Errorf("got %+v, want %v", env, row.want)
			}
			checkCause(t, env.WatchdogErr, row.cause, row.says)
		})
	}
}

// checkCause wants an error of one cause and of no other, which says this; or none.
func checkCause(t *testing.T, err, cause error, says string) {
	t.Helper()
	for _, each := range []error{sdnotify.ErrNotForUs, sdnotify.ErrMalformed, sdnotify.ErrOverflow} {
		if got, want := errors.Is(err, each), errors.Is(cause, each); got != want {
			t.Errorf("%v is %v: %v, want %v", err, each, got, want)
		}
	}
	if (err == nil) != (cause == nil) || err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("got %v, want it to say %q", err, says)
	}
}

func TestSocketIsParsed(t *testing.T) {
	for _, row := range []struct {
		name, value, want string
		cause             error
	}{
		{"empty", "", "", nil},
		{"a path", "/run/systemd/notify", "/run/systemd/notify", nil},
		{"an abstract address", "@/org/freedesktop/systemd1/notify", "@/org/freedesktop/systemd1/notify", nil},
		{"the shortest abstract address", "@a", "@a", nil},
		{"no abstract address", "@", "", sdnotify.ErrMalformed},
		{"a relative path", "run/notify", "", sdnotify.ErrMalformed},
		{"a blank before the path", " /run/notify", "", sdnotify.ErrMalformed},
		{"another scheme", "vsock:2:1234", "", sdnotify.ErrMalformed},
		{"another scheme, stream", "vsock-stream:2:1234", "", sdnotify.ErrMalformed},
	} {
		t.Run(row.name, func(t *testing.T) {
			env := sdnotify.Parse(environment("NOTIFY_SOCKET", row.value, usec, "5"), 190)
			if env.Socket != row.want || env.Watchdog != 5*time.Microsecond || env.WatchdogErr != nil {
				t.Errorf("got %+v, want %q", env, row.want)
			}
			checkCause(t, env.SocketErr, row.cause, "NOTIFY_SOCKET: "+strconv.Quote(row.value))
		})
	}
	if env := sdnotify.Parse(environment(), 190); env != (sdnotify.Environment{}) {
		t.Errorf("nothing is set, got %+v", env)
	}
}

// TestGoSystemdAgrees asks it about the environments that it is right about; it can't tell those apart that are meant
// for another process.
func TestGoSystemdAgrees(t *testing.T) {
	own := strconv.Itoa(os.Getpid())
	for _, vars := range [][2]string{
		{"30000000", own},
		{"1", own},
		{"1000000", own},
		{"2147483647", own},
		{"30000000", "1" + own},
		{"x", own},
		{"-1", own},
		{"0", own},
		{"5", "x"},
		{" 5", own},
		{"1e6", own},
		{"18446744073709551616", own},
	} {
		t.Setenv(usec, vars[0])
		t.Setenv(pid, vars[1])
		theirs, err := daemon.SdWatchdogEnabled(false)
		ours := sdnotify.Parse(os.LookupEnv, os.Getpid())
		failed := ours.WatchdogErr != nil && !errors.Is(ours.WatchdogErr, sdnotify.ErrNotForUs)
		if ours.Watchdog != theirs || failed != (err != nil) {
			t.Errorf("%q: ours is %v, %v; theirs is %v, %v", vars, ours.Watchdog, ours.WatchdogErr, theirs, err)
		}
	}
}
