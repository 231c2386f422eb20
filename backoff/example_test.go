package backoff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/evenkeel-go/evenkeel/backoff"
)

// The delays double up to the cap. Jitter spreads a fleet below them.
func ExampleKernel_Delay() {
	k, err := backoff.New(backoff.Config{Initial: time.Second, Max: 10 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := uint32(1); n <= 6; n++ {
		fmt.Print(k.Delay(n, 0), " ")
	}
	// Output: 1s 2s 4s 8s 10s 10s
}

// A State is a plain value: keep it beside the thing that is tried, and give each outcome to Record.
func ExampleKernel_Record() {
	k, err := backoff.New(backoff.Config{MaxRetries: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var s backoff.State
	for !s.Exhausted() {
		s = k.Record(s, backoff.Outcome{OK: false}, now)
		fmt.Println(k.Explain(s))
		now = now.Add(s.Delay())
	}
	// Output:
	// backoff: 1 failed in a row, the next attempt is due 1s after the last; the cap is 1m0s
	// backoff: 2 failed in a row, the next attempt is due 2s after the last; the cap is 1m0s
	// max_retries: 3 failed in a row and 2 retries are allowed; only the end of the streak ends this
}

// Retry is the loop over a schedule. Errors may say that trying again is useless, or how long to stay away.
func ExampleRetry() {
	k, err := backoff.New(backoff.Config{Initial: time.Millisecond})
	if err != nil {
		fmt.Println(err)
		return
	}
	attempt := 0
	err = backoff.Retry(context.Background(), k, nil, func(context.Context) error {
		attempt++
		if attempt < 3 {
			return backoff.After(2*time.Millisecond, errors.New("busy"))
		}
		return backoff.Permanent(errors.New("wrong password"))
	})
	fmt.Printf("attempt %d: %v\n", attempt, err)
	// Output: attempt 3: wrong password
}

// One kernel serves a fleet: each key draws its own delays, the same ones on every machine and in every replay.
func ExampleKernel_Keyed() {
	k, err := backoff.New(backoff.Config{Initial: time.Minute, Jitter: backoff.JitterEqual})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, host := range []string{"alpha", "beta", "gamma"} {
		s := k.Keyed(host).Record(backoff.State{}, backoff.Outcome{}, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
		fmt.Println(host, s.Due().Format("15:04:05"))
	}
	// Output:
	// alpha 12:00:58
	// beta 12:00:55
	// gamma 12:00:57
}

// A State survives a restart in JSON.
func ExampleState() {
	k, err := backoff.New(backoff.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := k.Record(backoff.State{}, backoff.Outcome{}, time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	text, err := json.Marshal(s)
	fmt.Println(string(text), err)
	// Output: {"version":1,"last":"2026-01-01T12:00:00Z","first":"2026-01-01T12:00:00Z","delay":"1s","failures":1,"reason":"backoff"} <nil>
}
