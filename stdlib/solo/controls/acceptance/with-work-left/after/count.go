package main

import (
	"bufio"
	"cmp"
	"io"
	"slices"
	"strings"
)

// A Word is a word and how often it was read.
type Word struct {
	Text  string
	Count int
}

// count returns the words of a text in lower case, the most frequent first.
func count(r io.Reader) ([]Word, error) {
	counts := map[string]int{}
	words := bufio.NewScanner(r)
	words.Split(bufio.ScanWords)
	for words.Scan() {
		// TODO: decide what to do about letters like the German sharp s.
		counts[strings.ToLower(words.Text())]++
	}
	var all []Word
	for text, n := range counts {
		all = append(all, Word{text, n})
	}
	slices.SortFunc(all, func(a, b Word) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text))
	})
	return all, words.Err()
}
