package lang

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/lang/diag"
)

// Brackets and braces that stand for the brace of a block. They are read as
// that brace, so that one wrong key costs no block. Nothing is touched where
// the braces of a declaration balance.

// openBrackets reads a `[` behind a header as the brace that opens its block.
func (l *layout) openBrackets() {
	for i := range l.tokens {
		if !l.heads(i) {
			continue
		}
		if at := l.headerEnd(i); at < len(l.tokens) && !l.first(at) && l.tokens[at].is(other, "[") {
			l.tokens[at] = token{kind: punct, flaw: flawed, text: "{", start: l.tokens[at].start, end: l.tokens[at].end}
			l.diags.Add(diag.Diagnostic{
				Code:    diag.SN101,
				Range:   l.span(at),
				Message: "expected `{`, found `[`",
				Help:    "a block stands in braces",
				Edits:   l.bracketEdits(at),
			})
		}
	}
}

// bracketEdits puts a brace in the place of the bracket i, and of the one that
// ends the block that it opens.
func (l *layout) bracketEdits(i int) []diag.Edit {
	edits := []diag.Edit{{Range: l.span(i), Text: "{"}}
	for j := i + 1; j < len(l.tokens) && !l.declares(j); j++ {
		if l.tokens[j].is(other, "]") && l.alone(j) {
			return append(edits, diag.Edit{Range: l.span(j), Text: "}"})
		}
	}
	return edits
}

// heads reports whether token i begins a header behind which a block belongs.
func (l *layout) heads(i int) bool {
	t := l.tokens[i]
	if t.kind != name || !l.first(i) {
		return false
	}
	_, opens := scopes[Kind(t.text)]
	return gateWords[t.text] || opens && l.declares(i) && Kind(t.text) != KindEvidence
}

// headerEnd returns the token behind the header that begins with token i: its
// word, a name behind that of a declaration, and a title.
func (l *layout) headerEnd(i int) int {
	end := i + 1
	if !gateWords[l.tokens[i].text] {
		end++
	}
	if end < len(l.tokens) && !l.first(end) && l.tokens[end].kind == text {
		end++
	}
	return end
}

// alone reports whether token i ends its line and closes no bracket of it.
func (l *layout) alone(i int) bool {
	if i+1 < len(l.tokens) && !l.first(i+1) {
		return false
	}
	for j := i - 1; j >= 0 && !l.first(j+1); j-- {
		if l.tokens[j].is(other, "[") {
			return false
		}
	}
	return true
}

// mistyped mends what was typed wrongly where blocks are left open: a brace
// that stands twice, and a `]` that stands for the closing one. It is false
// where there is nothing of the kind.
func (l *layout) mistyped(left []int) bool {
	drop := make(map[int]bool)
	mended, done := false, 0
	for _, open := range left {
		if open < done {
			continue
		}
		done = l.nextDeclaration(open)
		missing, brackets := 0, 0
		for _, o := range left {
			if open <= o && o < done {
				missing++
			}
		}
		for i := open; i < done && missing > 0; i++ {
			switch t := l.tokens[i]; {
			case t.is(punct, "{") && t.flaw == flawed:
				brackets++
			case t.is(punct, "{") && i > 0 && l.tokens[i-1].is(punct, "{") && !l.first(i):
				l.doubled(i)
				drop[i] = true
				missing--
			case t.is(other, "]") && l.alone(i):
				if brackets--; brackets < 0 {
					l.closesWrongly(i)
				}
				l.tokens[i].kind, l.tokens[i].text, l.tokens[i].flaw = punct, "}", flawed
				mended = true
				missing--
			}
		}
	}
	if len(drop) > 0 {
		var kept []token
		for i, t := range l.tokens {
			if !drop[i] {
				kept = append(kept, t)
			}
		}
		l.tokens = slices.Clip(kept)
	}
	return mended || len(drop) > 0
}

func (l *layout) doubled(i int) {
	l.tokens[i-1].flaw = flawed
	before := l.span(i - 1)
	l.diags.Add(diag.Diagnostic{
		Code:    diag.SN101,
		Range:   l.span(i),
		Message: "`{` stands twice, and is closed once",
		Help:    "leave one of them out",
		Edits:   []diag.Edit{{Range: diag.Range{File: l.path, Start: before.End, End: l.span(i).End}}},
	})
}

func (l *layout) closesWrongly(i int) {
	l.diags.Add(diag.Diagnostic{
		Code:    diag.SN101,
		Range:   l.span(i),
		Message: fmt.Sprintf("expected `}`, found %s", quoted(l.tokens[i])),
		Help:    "a block ends with `}`",
		Edits:   []diag.Edit{{Range: l.span(i), Text: "}"}},
	})
}
