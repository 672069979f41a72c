package importer

import (
	"errors"
	"strings"
	"testing"
)

// A protocol with a line taken out, given twice, or with another value is
// imported or refused, and what is promised of every result holds.
func TestProtocolsWithALineChangedAreImportedOrRefused(t *testing.T) {
	const stride = 73 // of the changes, so that the test stays short
	values := []string{"", "[]", "{}", "[[a]]", "{a: {b: c}}", "-1", "yes", "task", `"a\u202eb \" {c}"`, "|\n x", "*nobody", "[pass, error, 1, null]", "zebra", "{zebra: {quokka: wombat}}", "[[zebra], {quokka: wombat}]", "{name: zebra, x: quokka}"}
	n := 0
	protocols(t, func(t *testing.T, _ string, src []byte, _ Result) {
		lines := strings.SplitAfter(string(src), "\n")
		if len(lines) > 130 {
			lines = lines[:130]
		}
		for i, line := range lines {
			head, _, hasValue := strings.Cut(line, ": ")
			changed := []string{"", line + line}
			for _, v := range values {
				if hasValue {
					changed = append(changed, head+": "+v+"\n")
				}
			}
			for _, c := range changed {
				if n++; n%stride != 0 {
					continue
				}
				mutant := strings.Join(lines[:i], "") + c + strings.Join(lines[i+1:], "")
				r, err := Import("protocol.yml", []byte(mutant), Surroundings{})
				var syntax *SyntaxError
				if err == nil {
					sound(t, r)
					for _, word := range lost(t, []byte(mutant), r) {
						t.Errorf("line %d as %q: %q is in neither the result nor the report", i+1, c, word)
					}
				} else if !errors.As(err, &syntax) {
					t.Errorf("line %d as %q: %v", i+1, c, err)
				}
			}
		}
	})
}
