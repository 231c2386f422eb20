// Command bench measures kernels against other code in one run, side by side, and prints ratios, which mean the same on
// every machine where nanoseconds do not. Timing is only printed, since a busy machine would fail a limit at random;
// an allocation in ours is a fault wherever it is seen, and makes the exit code 1.
//
// It is a module of its own outside the workspace, so that what it compares with is no requirement of the library:
//
//	cd bench && GOWORK=off go run .
package main

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

const (
	rounds    = 15                    // odd, so that the median is a round that took place
	roundTime = 20 * time.Millisecond // of either side
	allocRuns = 1000
)

func main() {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "name\tns/op\tagainst\tns/op\tratio\tlimit\twithin\tallocs/op")
	allocates := false
	for _, p := range pairs() {
		r := measure(p)
		within := "yes"
		if r.ratio > p.limit {
			within = "NO"
		}
		fmt.Fprintf(out, "%s\t%.1f\t%s\t%.1f\t%.2f\t%g\t%s\t%g\n",
			p.name, r.ours, p.otherName, r.other, r.ratio, p.limit, within, r.allocs)
		allocates = allocates || r.allocs != 0
	}
	out.Flush()
	printWakeups(os.Stdout)
	if allocates {
		fmt.Fprintln(os.Stderr, "bench: a kernel allocates")
		os.Exit(1)
	}
}

type result struct {
	ours, other float64 // nanoseconds a call
	ratio       float64
	allocs      float64 // of ours, a call
}

// measure runs both sides in turn, so that whatever else the machine does meets both, and takes the medians.
func measure(p pair) result {
	nOurs, nOther := calibrate(p.ours), calibrate(p.other)
	var ours, other, ratios []float64
	for range rounds {
		a, b := perCall(p.ours, nOurs), perCall(p.other, nOther)
		ours, other, ratios = append(ours, a), append(other, b), append(ratios, a/b)
	}
	allocs := testing.AllocsPerRun(10, func() { p.ours(allocRuns) }) / allocRuns
	return result{median(ours), median(other), median(ratios), allocs}
}

// calibrate finds how many calls take about roundTime.
func calibrate(f func(int)) int {
	for n := 1000; ; n *= 2 {
		if took := time.Duration(perCall(f, n) * float64(n)); took >= roundTime {
			return n
		}
	}
}

func perCall(f func(int), n int) float64 {
	began := time.Now()
	f(n)
	return float64(time.Since(began)) / float64(n)
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}
