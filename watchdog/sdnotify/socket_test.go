package sdnotify_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/evenkeel-go/evenkeel/internal/testenv"
	"github.com/evenkeel-go/evenkeel/watchdog/sdnotify"
)

// patience is longer than anything here takes. Only a test that fails waits for it.
const patience = 30 * time.Second

// inTime fails a test whose function hangs.
func inTime(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it hangs")
	}
}

// path is where a socket can be, in a new directory. A socket's path is limited to about a hundred bytes, and the
// directory of t is named after the test.
func path(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		testenv.Skip(t, "no datagram sockets in the file system on Windows")
	}
	dir, err := os.MkdirTemp("", "sd") //nolint:usetesting // t.TempDir is too long, see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return filepath.Join(dir, "s")
}

// socket stands in for the service manager: it is what it listens on.
type socket struct {
	conn *net.UnixConn
	addr string
}

// listen opens a socket at a path or an abstract address.
func listen(t *testing.T, addr string) *socket {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: addr, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	return &socket{conn, addr}
}

// notifier is a new one that speaks to s.
func (s *socket) notifier() *sdnotify.Notifier {
	return sdnotify.New(sdnotify.Environment{Socket: s.addr})
}

// next is the next datagram.
func (s *socket) next(t *testing.T) string {
	t.Helper()
	if err := s.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 1<<16)
	n, err := s.conn.Read(buf)
	if err != nil {
		t.Fatal(err)
	}
	return string(buf[:n])
}

// all is every datagram that has come. Datagrams keep their order: the last one is the test's own.
func (s *socket) all(t *testing.T) (got []string) {
	t.Helper()
	const end = "end of the test"
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: s.addr, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Write([]byte(end)); err != nil {
		t.Fatal(err)
	}
	for {
		message := s.next(t)
		if message == end {
			return got
		}
		got = append(got, message)
	}
}

// want wants these datagrams and no others.
func (s *socket) want(t *testing.T, want ...string) {
	t.Helper()
	if got := s.all(t); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// must wants no error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
