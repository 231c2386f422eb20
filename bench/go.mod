module github.com/evenkeel-go/evenkeel/bench

go 1.26.0

require (
	github.com/cenkalti/backoff/v5 v5.0.3
	github.com/evenkeel-go/evenkeel v0.0.0
)

replace github.com/evenkeel-go/evenkeel => ..
