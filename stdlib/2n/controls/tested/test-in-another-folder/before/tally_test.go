package tally

import "testing"

func TestNext(t *testing.T) {
	if Next(1) != 2 {
		t.Error("2 is not next to 1")
	}
}
