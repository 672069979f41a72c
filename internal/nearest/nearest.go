// Package nearest finds what a misspelt word was meant to be. The compiler
// uses it for names and fields, the commands for commands and flags. A word
// and its candidates go in, the nearest of them come out; it never corrects
// anything by itself.
package nearest

import "unicode/utf8"

// most is how many edits a misspelling is away at the most.
const most = 2

// To returns those of the candidates that word may be a misspelling of: the
// nearest ones at most two edits away, where exchanging two neighbouring
// letters is one edit, and fewer than half the letters of word. More than one
// is returned where they are equally near.
func To(word string, candidates []string) []string {
	best := most + 1
	var out []string
	letters := []rune(word)
	var buffer [64]rune
	for _, c := range candidates {
		// Every letter more or less is an edit, so most candidates need no
		// closer look.
		if n := utf8.RuneCountInString(c) - len(letters); n > most || n < -most {
			continue
		}
		other := buffer[:0]
		for _, r := range c {
			other = append(other, r)
		}
		d := distance(letters, other)
		if d == 0 || d > most || 2*d >= len(letters) || d > best {
			continue
		}
		if d < best {
			best, out = d, nil
		}
		out = append(out, c)
	}
	return out
}

// distance returns the number of letters to insert, drop, replace or exchange
// with their neighbour that lie between a and b, no letter being edited twice
// (optimal string alignment), or most+1 where there are more. Only the cells
// that so few edits can reach are looked at: those within most of the
// diagonal.
func distance(a, b []rune) int {
	const width = 2*most + 1
	far := most + 1
	var two, one, row [width]int // row i holds columns i-most … i+most
	for k := range one {
		one[k] = far
		if k >= most {
			one[k] = k - most
		}
	}
	for i := 1; i <= len(a); i++ {
		least := far
		for k := range row {
			j := i - most + k
			row[k] = far
			if j < 0 || j > len(b) {
				continue
			}
			if j == 0 {
				row[k] = min(i, far)
			} else {
				row[k] = cell(a, b, i, j, k, far, &two, &one, &row)
			}
			least = min(least, row[k])
		}
		if least > most {
			return far
		}
		two, one = one, row
	}
	if k := len(b) - len(a) + most; k >= 0 && k < width {
		return one[k]
	}
	return far
}

// cell is the distance of the first i letters of a and the first j of b, in
// place k of its row.
func cell(a, b []rune, i, j, k, far int, two, one, row *[2*most + 1]int) int {
	cost := 1
	if a[i-1] == b[j-1] {
		cost = 0
	}
	d := one[k] + cost
	if k > 0 {
		d = min(d, row[k-1]+1)
	}
	if k+1 < len(one) {
		d = min(d, one[k+1]+1)
	}
	if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
		d = min(d, two[k]+1)
	}
	return min(d, far)
}
