// Package shape holds the tests that keep the kernels alike: the same files in each, nothing impure in the rules, every
// exported name documented, and no requirement that a user would not expect.
package shape
