package tally

import "testing"

func TestAddCounts(t *testing.T) {
	c := Tally{}
	c.Add("a")
	c.Add("a")
	if c["a"] != 2 {
		t.Errorf("counted %d, want 2", c["a"])
	}
}
