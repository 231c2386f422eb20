package sdnotify_test

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/testenv"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// childVariable makes this program say what it inherited, instead of testing anything.
const childVariable = "EVENKEEL_SDNOTIFY_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		tellInherited(os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// inherited is what a child got from its parent.
type inherited struct {
	Variables map[string]string
	Sockets   int
}

func tellInherited(w io.Writer) {
	got := inherited{Variables: map[string]string{}, Sockets: openSockets()}
	for _, name := range []string{"NOTIFY_SOCKET", usec, pid} {
		if value, set := os.LookupEnv(name); set {
			got.Variables[name] = value
		}
	}
	if err := json.NewEncoder(w).Encode(got); err != nil {
		panic(err)
	}
}

// openSockets counts the sockets of this process.
func openSockets() (n int) {
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && strings.HasPrefix(to, "socket:") {
			n++
		}
	}
	return n
}

// startChild runs this program as a child, and gives what it inherited.
func startChild(t *testing.T) (got inherited) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%s: %v", out, err)
	}
	return got
}

// setEnvironment sets the three variables as a service manager would.
func setEnvironment(t *testing.T, socket string) map[string]string {
	t.Helper()
	vars := map[string]string{"NOTIFY_SOCKET": socket, usec: "30000000", pid: strconv.Itoa(os.Getpid())}
	for name, value := range vars {
		t.Setenv(name, value)
	}
	return vars
}

// TestTakeLeavesChildrenNothing starts a child before and after the environment was taken: the first one sees it.
func TestTakeLeavesChildrenNothing(t *testing.T) {
	s := listen(t, path(t))
	vars := setEnvironment(t, s.addr)
	if got := startChild(t); !reflect.DeepEqual(got.Variables, vars) {
		t.Errorf("before, a child sees %v", got.Variables)
	}
	env := sdnotify.Take()
	if want := (sdnotify.Environment{Socket: s.addr, Watchdog: 30 * time.Second}); env != want {
		t.Errorf("took %+v, want %+v", env, want)
	}
	if got := startChild(t); len(got.Variables) != 0 {
		t.Errorf("afterwards, a child sees %v", got.Variables)
	}
	n := sdnotify.New(env)
	must(t, n.Ready())
	must(t, n.Ping(patience))
	s.want(t, "READY=1", "WATCHDOG=1")
	if env := sdnotify.Take(); env != (sdnotify.Environment{}) {
		t.Errorf("there is something left to take: %+v", env)
	}
}

// TestTakeRemovesWhatItCannotRead has variables that are all wrong.
func TestTakeRemovesWhatItCannotRead(t *testing.T) {
	for _, name := range []string{"NOTIFY_SOCKET", usec, pid} {
		t.Setenv(name, "wrong")
	}
	if env := sdnotify.Take(); env.SocketErr == nil || env.WatchdogErr == nil {
		t.Errorf("took %+v", env)
	}
	for _, name := range []string{"NOTIFY_SOCKET", usec, pid} {
		if value, set := os.LookupEnv(name); set {
			t.Errorf("%s is still %q", name, value)
		}
	}
}

// TestAChildInheritsNoSocket starts a child while a send is under way.
func TestAChildInheritsNoSocket(t *testing.T) {
	if runtime.GOOS != "linux" {
		testenv.Skip(t, "elsewhere than on Linux nothing lists the open files")
	}
	want := startChild(t).Sockets // what this process itself inherited
	s := listen(t, path(t))
	n := s.notifier()
	must(t, n.Ready())
	if got := s.next(t); got != "READY=1" {
		t.Fatalf("got %q", got)
	}
	pings := s.fill(t, n)
	idle, done := openSockets(), make(chan error, 1)
	go func() { done <- n.Ping(patience) }()
	inTime(t, func() {
		for openSockets() == idle {
			runtime.Gosched()
		}
	})
	if got := startChild(t).Sockets; got != want {
		t.Errorf("a child inherits %d sockets, one without a send %d", got, want)
	}
	s.drain(t, pings)
	must(t, <-done)
	s.want(t, "WATCHDOG=1")
}
