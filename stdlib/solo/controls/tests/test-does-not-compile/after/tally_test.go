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

func TestTotalIsTheSum(t *testing.T) {
	if got := (Tally{"a": 2, "b": 3}).Sum(); got != 5 {
		t.Errorf("total %d, want 5", got)
	}
}
