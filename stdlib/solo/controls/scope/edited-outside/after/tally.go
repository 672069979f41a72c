// Package tally counts what happens.
package tally

// A Tally counts by name.
type Tally map[string]int

// Add counts one more of a name.
func (t Tally) Add(name string) { t[name]++ }
