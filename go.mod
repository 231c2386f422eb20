module github.com/evenkeel-go/evenkeel

go 1.25.0
