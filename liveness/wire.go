package liveness

import "time"

// What WireGuard's messages add to the byte counters, from its protocol.
const (
	initiationBytes = 148
	responseBytes   = 92
	keepaliveBytes  = 32
)

const (
	// rekeyTimeout is how long WireGuard waits before it sends another initiation, from its protocol.
	rekeyTimeout = 5 * time.Second
	// exactFor is how long an interval may be for its bytes to be told apart one by one; over a longer one so many sums
	// are possible that hardly any growth is none.
	exactFor = 60 * time.Second
	// mostKnocks without an answer mean that the peer hears nothing of us. At three, one loss in twenty kills healthy
	// peers.
	mostKnocks = 4
)

// knocks is how many handshake initiations make up growth within elapsed, zero if something else does.
func knocks(growth uint64, elapsed time.Duration) uint64 {
	n := growth / initiationBytes
	if growth%initiationBytes != 0 || n > messages(elapsed, rekeyTimeout) {
		return 0
	}
	return n
}

// messages is how many of a kind can have been sent within elapsed, one each interval.
func messages(elapsed, interval time.Duration) uint64 { return uint64(elapsed/interval) + 1 }

// isData says that growth of the bytes sent within elapsed is more than WireGuard's own messages: no sum of keepalives,
// initiations and responses.
func (k *Kernel) isData(growth uint64, elapsed time.Duration) bool {
	handshakes, keepalives := messages(elapsed, rekeyTimeout), messages(elapsed, k.keepalivePace)
	most := keepalives*keepaliveBytes + handshakes*(initiationBytes+responseBytes)
	if growth > most || elapsed > exactFor {
		return growth > most
	}
	for b := range handshakes + 1 {
		for c := range handshakes + 1 {
			own := b*initiationBytes + c*responseBytes
			if own <= growth && (growth-own)%keepaliveBytes == 0 && (growth-own)/keepaliveBytes <= keepalives {
				return false
			}
		}
	}
	return true
}
