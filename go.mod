module github.com/evenkeel-go/evenkeel

go 1.25.0

require (
	github.com/benbjohnson/clock v1.3.5
	github.com/coreos/go-systemd/v22 v22.7.0
	golang.zx2c4.com/wireguard/wgctrl v0.0.0-20241231184526-a9ab2273dd10
	pgregory.net/rapid v1.3.0
)

require (
	golang.org/x/crypto v0.37.0 // indirect
	golang.org/x/sys v0.32.0 // indirect
)
