package command

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/proof"
)

// caseWords name a case: what it must come to, and its folder.
func caseWords(c proof.Case) string {
	if c.Twin {
		return "twin of " + c.Folder
	}
	return map[plan.Verdict]string{plan.Pass: "good", plan.Blocker: "bad", plan.Unclear: "undecidable"}[c.Expect] + " " + c.Folder
}

// answerWords say what was answered, and what is wrong with that.
func answerWords(r proof.Run) string {
	word := "error"
	if r.Verdict != nil {
		word = string(*r.Verdict)
	}
	if r.Wrong != "" {
		return word + ", wrong: " + oneLine(r.Wrong)
	}
	return word
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// A tally counts answers by what was expected and what was given: pass,
// unclear and blocker, and beside them warn and error.
type tally map[string]map[string]int

var expectations = []string{string(plan.Pass), string(plan.Unclear), string(plan.Blocker)}

func (t tally) add(p proof.Proof) {
	for _, word := range expectations {
		if t[word] == nil {
			t[word] = map[string]int{string(plan.Pass): 0, string(plan.Unclear): 0, string(plan.Blocker): 0, string(plan.Warn): 0, "error": 0}
		}
	}
	for _, c := range p.Cases {
		for _, r := range c.Runs {
			given := "error"
			if r.Verdict != nil {
				given = string(*r.Verdict)
			}
			t[string(c.Expect)][given]++
		}
	}
}

// writeProofs prints what became of each validator, and the table of all.
func writeProofs(w io.Writer, all []proved, c colors) error {
	var b strings.Builder
	table := tally{}
	for _, p := range all {
		table.add(p.Proof)
		writeProof(&b, p, c)
	}
	writeTable(&b, table)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeProof(b *strings.Builder, p proved, c colors) {
	fmt.Fprintf(b, "%s  %s  %.19s", p.Validator, p.Kind, p.Digest)
	if p.Kind == plan.KindJudge {
		fmt.Fprintf(b, "  %s at %s", p.Model, p.Endpoint)
	}
	if p.Replay {
		b.WriteString("  replayed")
	}
	b.WriteString("\n")
	if n, of := p.right(plan.Pass, own, given); of > 0 {
		fmt.Fprintf(b, "  good         %d of %d passed\n", n, of)
	}
	if n, of := p.right(plan.Blocker, own, given); of > 0 {
		fmt.Fprintf(b, "  bad          %d of %d caught", n, of)
		if n, of := p.right(plan.Blocker, naming, complete); of > 0 {
			fmt.Fprintf(b, ", %d of %d by the criterion named", n, of)
		}
		b.WriteString("\n")
	}
	if n, of := p.right(plan.Unclear, own, given); of > 0 {
		asked, _ := p.right(plan.Unclear, own, complete)
		fmt.Fprintf(b, "  undecidable  %d of %d unclear, %d of %d with the evidence named\n", n, of, asked, of)
	}
	if p.twins {
		n, of := p.right(plan.Unclear, twin, given)
		fmt.Fprintf(b, "  twins        %d of %d unclear\n", n, of)
	}
	for _, folder := range p.without {
		fmt.Fprintf(b, "               no twin of %s: nothing that was quoted can be withheld so that a change is left\n", folder)
	}
	if p.Kind == plan.KindJudge {
		flips, of := 0, 0
		for _, k := range p.Cases {
			flips += k.Flips()
			of += len(k.Runs)
		}
		rate, _ := percent(flips, of)
		fmt.Fprintf(b, "  flips        %d of %d, %d%%\n", flips, of, rate)
	}
	for _, k := range p.Cases {
		writeWrong(b, k, c)
	}
	if !p.Proven {
		fmt.Fprintf(b, "  %snot proven%s   %s\n\n", c.bad, c.end, oneLine(p.Holds()))
		return
	}
	fmt.Fprintf(b, "  %sproven%s\n\n", c.good, c.end)
}

// writeWrong prints the wrong answers to a case, with what was found.
func writeWrong(b *strings.Builder, k proof.Case, c colors) {
	for i, r := range k.Runs {
		if r.Wrong == "" {
			continue
		}
		run := ""
		if len(k.Runs) > 1 {
			run = fmt.Sprintf(", run %d", i+1)
		}
		fmt.Fprintf(b, "  %swrong%s        %s%s: %s\n", c.bad, c.end, caseWords(k), run, oneLine(r.Wrong))
		for _, f := range r.Findings {
			if because := oneLine(f.Because); because != "" {
				fmt.Fprintf(b, "               %s\n", strings.TrimPrefix(fmt.Sprintf("%s: %s: %s", f.Criterion, f.Verdict, because), ": "))
			}
		}
	}
}

// Which cases are counted, and what of them.
func own(k proof.Case) bool    { return !k.Twin }
func naming(k proof.Case) bool { return !k.Twin && len(k.Violates) > 0 }
func twin(k proof.Case) bool   { return k.Twin }

func given(k proof.Case, r proof.Run) bool    { return r.Verdict != nil && *r.Verdict == k.Expect }
func complete(_ proof.Case, r proof.Run) bool { return r.Wrong == "" }

// right counts the answers to cases of an expectation that are right.
func (p proved) right(expect plan.Verdict, among func(proof.Case) bool, right func(proof.Case, proof.Run) bool) (n, of int) {
	for _, k := range p.Cases {
		if k.Expect != expect || !among(k) {
			continue
		}
		for _, r := range k.Runs {
			of++
			if right(k, r) {
				n++
			}
		}
	}
	return n, of
}

// writeTable prints what was expected against what was given. Columns beyond
// the three stand there where something fell into them.
func writeTable(b *strings.Builder, t tally) {
	columns := slices.Clone(expectations)
	for _, more := range []string{string(plan.Warn), "error"} {
		if slices.ContainsFunc(expectations, func(row string) bool { return t[row][more] > 0 }) {
			columns = append(columns, more)
		}
	}
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "expected\\given\t%s\t\n", strings.Join(columns, "\t"))
	for _, row := range expectations {
		fmt.Fprint(w, row, "\t")
		for _, column := range columns {
			fmt.Fprint(w, t[row][column], "\t")
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}
