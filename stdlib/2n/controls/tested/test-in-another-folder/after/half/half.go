// Package half halves.
package half

// Of returns half of n.
func Of(n int) int { return n / 2 }
