// Package ident turns the names of things into 64-bit identities, which keep states and observations free of pointers.
package ident

import (
	"hash/fnv"
	"io"
)

// Of is the identity of a name, the same on every machine. Two names of one program share one with a chance of about
// one in 2⁶⁴.
func Of(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name) // a hash never fails to write
	return h.Sum64()
}
