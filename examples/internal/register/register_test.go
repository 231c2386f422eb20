package register_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/backoff"
	"github.com/evenkeel-go/evenkeel/examples/internal/register"
)

var good = register.Lease{
	Address: netip.MustParseAddr("10.80.0.2"), GatewayAddress: netip.MustParseAddr("10.80.0.1"),
	GatewayKey: wgtypes.Key{1}.String(), Endpoint: netip.MustParseAddrPort("127.0.0.1:51820"),
}

// server answers as answer says and counts what it was asked.
type server struct {
	*httptest.Server
	asked  atomic.Int32
	answer func(w http.ResponseWriter, r *http.Request)
}

func newServer(t *testing.T) *server {
	s := &server{answer: grant}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func grant(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(good) }

// say answers with a status, a Retry-After if there is one, and a text.
func say(status int, after, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
		fmt.Fprint(w, text)
	}
}

func TestRegisterSendsTheKeyAndGetsALease(t *testing.T) {
	s := newServer(t)
	var got register.Request
	s.answer = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/base/register" || r.Method != http.MethodPost {
			t.Errorf("%s %s", r.Method, r.URL)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		grant(w, r)
	}
	c := register.Client{URLs: []string{s.URL + "/base/"}, AppID: "app"}
	lease, err := c.Register(t.Context(), wgtypes.Key{7})
	if err != nil || lease != good {
		t.Errorf("got %+v, %v", lease, err)
	}
	if want := (register.Request{AppID: "app", PublicKey: wgtypes.Key{7}.String()}); got != want {
		t.Errorf("sent %+v, want %+v", got, want)
	}
}

func TestTheGatewayThatWorkedLastIsAskedFirst(t *testing.T) {
	a, b := newServer(t), newServer(t)
	c := register.Client{URLs: []string{a.URL, b.URL}}
	a.answer = say(500, "", "broken")
	for range 3 {
		if _, err := c.Register(t.Context(), wgtypes.Key{7}); err != nil {
			t.Fatal(err)
		}
	}
	if a.asked.Load() != 1 || b.asked.Load() != 3 {
		t.Errorf("a was asked %d times, b %d times", a.asked.Load(), b.asked.Load())
	}
	a.answer, b.answer = grant, say(500, "", "broken")
	if _, err := c.Register(t.Context(), wgtypes.Key{7}); err != nil || a.asked.Load() != 2 || b.asked.Load() != 4 {
		t.Errorf("%v: a was asked %d times, b %d times", err, a.asked.Load(), b.asked.Load())
	}
}

// TestADeadGatewayDoesNotBlockTheRest has one that takes a request and never answers.
func TestADeadGatewayDoesNotBlockTheRest(t *testing.T) {
	dead, alive := newServer(t), newServer(t)
	hold := make(chan struct{})
	defer close(hold)
	dead.answer = func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
	}
	c := register.Client{URLs: []string{dead.URL, alive.URL}, Timeout: 300 * time.Millisecond}
	if lease, err := c.Register(t.Context(), wgtypes.Key{7}); err != nil || lease != good {
		t.Errorf("got %+v, %v", lease, err)
	}
}

func TestAllFailuresAreTold(t *testing.T) {
	a, b, gone := newServer(t), newServer(t), newServer(t)
	gone.Close()
	a.answer, b.answer = say(503, "7", "starting\x00up\n"), say(429, "30", "slow down")
	c := register.Client{URLs: []string{a.URL, gone.URL, b.URL}}
	_, err := c.Register(t.Context(), wgtypes.Key{7})
	for _, want := range []string{a.URL + ": the gateway answers 503 Service Unavailable: starting up", gone.URL + ": ", b.URL + ": the gateway answers 429 Too Many Requests: slow down"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want it to say %q", err, want)
		}
	}
	if after, _ := backoff.RetryAfter(err); after != 30*time.Second {
		t.Errorf("carries %v, want the longest that was asked for", after)
	}
}

func TestRetryAfter(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "": 0, "-5": 0, "soon": 0, "99999999999999999999": 0,
		"Thu, 01 Jan 2026 00:01:30 GMT": 90 * time.Second, "Thu, 01 Jan 2026 00:00:00 GMT": 0, "Wed, 31 Dec 2025 23:00:00 GMT": 0,
	} {
		s := newServer(t)
		s.answer = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", "Thu, 01 Jan 2026 00:00:00 GMT")
			say(503, value, "later")(w, r)
		}
		_, err := (&register.Client{URLs: []string{s.URL}}).Register(t.Context(), wgtypes.Key{7})
		if after, _ := backoff.RetryAfter(err); err == nil || after != want {
			t.Errorf("%q: got %v, %v; want %v", value, after, err, want)
		}
	}
}

func TestABadAnswerIsNamed(t *testing.T) {
	edit := func(change func(*register.Lease)) string {
		lease := good
		change(&lease)
		text, err := json.Marshal(lease)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for text, want := range map[string]string{
		"":                                 "the answer is no lease",
		`{"address":"10.8`:                 "the answer is no lease",
		`{"address":"10.8"}`:               "the answer is no lease",
		strings.Repeat(" ", 70_000) + "{}": "longer than 65536 bytes",
		edit(func(l *register.Lease) { l.Address = netip.Addr{} }):                          "lease: address: invalid IP is no address of one host",
		edit(func(l *register.Lease) { l.GatewayAddress = netip.MustParseAddr("0.0.0.0") }): "lease: gateway_address: 0.0.0.0 is no address",
		edit(func(l *register.Lease) { l.GatewayKey = "key" }):                              `lease: gateway_public_key: "key" is no WireGuard key`,
		edit(func(l *register.Lease) { l.Endpoint = netip.MustParseAddrPort("1.2.3.4:0") }): "lease: endpoint: 1.2.3.4:0 is no address and port",
	} {
		s := newServer(t)
		s.answer = say(200, "", text)
		_, err := (&register.Client{URLs: []string{s.URL}}).Register(t.Context(), wgtypes.Key{7})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.80q: got %v, want it to say %q", text, err, want)
		}
	}
	if _, err := (&register.Client{}).Register(t.Context(), wgtypes.Key{7}); err == nil {
		t.Error("registered with nobody")
	}
}
