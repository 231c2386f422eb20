module github.com/evenkeel-go/evenkeel/examples

go 1.26.0

require (
	github.com/evenkeel-go/evenkeel v0.0.0
	golang.org/x/term v0.48.0
)

require golang.org/x/sys v0.50.0 // indirect

replace github.com/evenkeel-go/evenkeel => ..
