// Package register asks gateways for a lease: over HTTP it registers a guest's WireGuard public key and gets back what
// the guest's tunnel is made of.
package register

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.zx2c4.com/wireguard/wgctrl/wgtypes"

	"github.com/evenkeel-go/evenkeel/backoff"
)

const (
	longestAnswer  = 64 << 10 // bytes; a lease has some 200
	longestExcerpt = 200      // bytes of a refusal that an error shows
)

// Request is what a guest sends.
type Request struct {
	// AppID says on whose behalf the guest registers; a gateway may do without.
	AppID string `json:"app_id,omitempty"`
	// PublicKey is the guest's WireGuard key in base64.
	PublicKey string `json:"public_key"`
}

// Client registers with one of several gateways. One goroutine uses it.
type Client struct {
	// URLs are the gateways' addresses, to which the path /register is added.
	URLs []string
	// AppID goes into each request.
	AppID string
	// HTTP sends the requests; nil is the default client.
	HTTP *http.Client
	// Timeout bounds the try of one gateway, so that a dead one never blocks the rest. Zero means 60 s.
	Timeout time.Duration

	best int // the gateway that worked last, which is tried first
}

// Register asks the gateways, the one that worked last first, until one grants a lease. When none does, the error says
// what each answered; it carries the longest Retry-After that was asked for.
func (c *Client) Register(ctx context.Context, key wgtypes.Key) (Lease, error) {
	var failures []error
	var after time.Duration
	for i := range c.URLs {
		gateway := (c.best + i) % len(c.URLs)
		lease, err := c.ask(ctx, c.URLs[gateway], key)
		if err == nil {
			c.best = gateway
			return lease, nil
		}
		asked, _ := backoff.RetryAfter(err)
		after = max(after, asked)
		failures = append(failures, fmt.Errorf("%s: %w", c.URLs[gateway], err))
	}
	if len(failures) == 0 {
		return Lease{}, errors.New("no gateway to register with")
	}
	return Lease{}, backoff.After(after, errors.Join(failures...))
}

// ask registers with one gateway.
func (c *Client) ask(ctx context.Context, gateway string, key wgtypes.Key) (Lease, error) {
	timeout := c.Timeout
	if timeout == 0 {
		timeout = time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address, err := url.JoinPath(gateway, "register")
	if err != nil {
		return Lease{}, err
	}
	body, err := json.Marshal(Request{AppID: c.AppID, PublicKey: key.String()})
	if err != nil {
		return Lease{}, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return Lease{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	client := c.HTTP
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(request)
	if err != nil {
		return Lease{}, err
	}
	defer answer.Body.Close()
	return read(answer)
}

// read is the lease in an answer.
func read(answer *http.Response) (lease Lease, err error) {
	text, err := io.ReadAll(io.LimitReader(answer.Body, longestAnswer+1))
	if answer.StatusCode != http.StatusOK {
		return Lease{}, refusal(answer, text)
	}
	switch {
	case err != nil:
		return Lease{}, err
	case len(text) > longestAnswer:
		return Lease{}, fmt.Errorf("the answer is longer than %d bytes", longestAnswer)
	}
	if err := json.Unmarshal(text, &lease); err != nil { // keys that a later gateway adds do no harm
		return Lease{}, fmt.Errorf("the answer is no lease: %w", err)
	}
	return lease, lease.Validate()
}

// refusal is the error of an answer that grants nothing. It carries the Retry-After, if there is one.
func refusal(answer *http.Response, text []byte) error {
	err := fmt.Errorf("the gateway answers %s: %s", answer.Status, printable(text[:min(len(text), longestExcerpt)]))
	if after := retryAfter(answer.Header); after > 0 {
		return backoff.After(after, err)
	}
	return err
}

// printable is a text that others sent, as one line that may go into a log and into an environment.
func printable(text []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(string(text), "?")))
}

// retryAfter is the wait that a header asks for, in seconds or until a date; the date counts from the server's own.
func retryAfter(header http.Header) time.Duration {
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	now, unknown := http.ParseTime(header.Get("Date"))
	if err != nil || unknown != nil {
		return 0
	}
	return until.Sub(now)
}
