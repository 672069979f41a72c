// Package tally counts.
package tally

// Next returns the number after n.
func Next(n int) int { return n + 1 }
