package main

import (
	"slices"
	"strings"
	"testing"
)

func TestTheMostFrequentIsFirst(t *testing.T) {
	got, err := count(strings.NewReader("a b b"))
	if err != nil || !slices.Equal(got, []Word{{"b", 2}, {"a", 1}}) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestMarksAreNotCounted(t *testing.T) {
	got, err := count(strings.NewReader("on, on! ..."))
	if err != nil || !slices.Equal(got, []Word{{"on", 2}}) {
		t.Errorf("got %v, %v", got, err)
	}
}
