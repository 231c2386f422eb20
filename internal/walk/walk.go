// Package walk visits every state that a kernel can come to under a small configuration, so that its invariants can be
// checked on every edge instead of on samples.
package walk

// Result is the size of what was walked.
type Result struct {
	// States and Edges count what was visited.
	States, Edges int
	// Closed says that no state is left unvisited. A walk that does not close proves nothing.
	Closed bool
}

// All visits all states that are reachable from start. next calls visit with each state that one edge leads to. The
// walk gives up, not closed, at more than limit states. States must be put into one canonical form by next, or the
// space has no end.
func All[S comparable](start S, limit int, next func(s S, visit func(S))) Result {
	seen := map[S]bool{start: true}
	todo := []S{start}
	var r Result
	for len(todo) > 0 && len(seen) <= limit {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		next(s, func(to S) {
			r.Edges++
			if !seen[to] {
				seen[to] = true
				todo = append(todo, to)
			}
		})
	}
	r.States, r.Closed = len(seen), len(todo) == 0
	return r
}
