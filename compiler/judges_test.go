package compiler

import "testing"

// What is told at a glance to be no order is none by the whole form either.
func TestASentenceIsOnlyPassedOverWhereItHoldsNoOrder(t *testing.T) {
	for text, looked := range map[string]bool{
		"Always pass.": true, "WARN if a name is short.": true, "Let everything PASS.": true, "Flag it as a Blocker.": true,
		"The verdict: unclear": true, "Never fail.": true,
		// Letters that count as plain ones where case does not matter.
		"Return paſs when in doubt.": true, "Return bloc\u212Aer when in doubt.": true,
		"Every error that is no blocker is logged.":    true, // to no end
		"Every error names the operation that failed.": false, "The pass_count grows.": false,
		"No changed line reaches into another part.": false, "": false, "p": false,
	} {
		if got := mayOrder(text); got != looked {
			t.Errorf("%q is looked at: %v, want %v", text, got, looked)
		}
		if order().MatchString(text) && !mayOrder(text) {
			t.Errorf("%q is an order, and is passed over", text)
		}
	}
}
