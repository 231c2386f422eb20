package watchdog_test

import (
	"fmt"
	"time"

	"github.com/benbjohnson/clock"

	"github.com/evenkeel-go/evenkeel/watchdog"
)

// A kernel is told who beats, and says whether to ping; it is told what became of the ping.
func ExampleKernel_Step() {
	kernel, err := watchdog.New(watchdog.Config{Timeout: 40 * time.Second})
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	beat := watchdog.Observation{Source: watchdog.ID("main")}

	state, decision := kernel.Step(watchdog.State{}, beat, now)
	fmt.Println(decision.Action, "-", decision.Reason)

	state = kernel.Record(state, watchdog.Outcome{Action: decision.Action, OK: true}, now)
	state, decision = kernel.Step(state, beat, now.Add(3*time.Second))
	fmt.Println(decision.Action, "-", kernel.Explain(state, decision))

	// Output:
	// ping - beat
	// none - recent: the last ping was sent 3s ago, one is due each 10s; something changes in 7s
}

// printer is a service manager for the example.
type printer struct{}

func (printer) Ping(time.Duration) error {
	fmt.Println("ping")
	return nil
}

func (printer) Status(text string, _ time.Duration) error {
	fmt.Println("status:", text)
	return nil
}

// The refresh loop hangs in its work. The sweep loop goes on beating, and still no ping is sent.
func ExampleRunner() {
	kernel, err := watchdog.New(watchdog.Config{
		Timeout: time.Minute,
		Sources: []watchdog.Source{{Name: "refresh", Budget: 30 * time.Second}, {Name: "sweep", Budget: 30 * time.Second}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	mock := clock.NewMock()
	runner := &watchdog.Runner{
		Kernel: kernel, Notifier: printer{}, Clock: mock,
		OnStep: func(rec watchdog.StepRecord) {
			if rec.Decision.Late != "" {
				fmt.Println(kernel.Explain(rec.State, rec.Decision))
			}
		},
	}
	refresh, err := runner.Handle("refresh")
	if err != nil {
		fmt.Println(err)
		return
	}
	sweep, err := runner.Handle("sweep")
	if err != nil {
		fmt.Println(err)
		return
	}

	refresh.Beat()
	refresh.Stage("asking the key server")
	for range 3 {
		mock.Add(20 * time.Second)
		sweep.Beat()
	}

	// Output:
	// ping
	// status: refresh: asking the key server
	// ping
	// withheld: refresh has been silent for 40s, limit 30s; only its beat brings the pings back
	// withheld: refresh has been silent for 1m0s, limit 30s; only its beat brings the pings back
}
