// Package nearest finds what a misspelt word was meant to be. The compiler
// uses it for names and fields, the commands for commands and flags. A word
// and its candidates go in, the nearest of them come out; it never corrects
// anything by itself.
package nearest

// To returns those of the candidates that word may be a misspelling of: the
// nearest ones at most two edits away, where exchanging two neighbouring
// letters is one edit, and fewer than half the letters of word. More than one
// is returned where they are equally near.
func To(word string, candidates []string) []string {
	const most = 2
	best := most + 1
	var out []string
	letters := []rune(word)
	for _, c := range candidates {
		d := distance(letters, []rune(c))
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
// (optimal string alignment).
func distance(a, b []rune) int {
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		one[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(one[j]+1, row[j-1]+1, one[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], two[j-2]+1)
			}
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
