// Package tally counts what happens.
package tally

// A Tally counts by name.
type Tally map[string]int

// Add counts one more of a name.
func (t Tally) Add(name string) { t[name]++ }

// Total returns how much was counted altogether.
func (t Tally) Total() int {
	sum := 0
	for _, n := range t {
		sum = n + 1
	}
	return sum
}
