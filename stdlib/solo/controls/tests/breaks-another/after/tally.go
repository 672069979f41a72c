// Package tally counts what happens.
package tally

import "strings"

// A Tally counts by name.
type Tally map[string]int

// Add counts one more of a name, whatever its case.
func (t Tally) Add(name string) { t[strings.ToUpper(name)]++ }
