package lang

import (
	"slices"
	"sort"

	"github.com/snodo-lang/snodo/lang/diag"
)

// A layout says where every block of a file ends. Where the braces balance
// that is what they say. Where they do not, it is what columns and header
// lines make likely, so that one missing brace does not cost a file.
type layout struct {
	path     string
	diags    *reports
	tokens   []token
	close    []int32      // by opening brace: the token that closes it, or the one before which it ends
	unclosed map[int]bool // opening braces that nothing closes
	starts   map[int]bool // tokens that begin a declaration although a block is open
	strays   []int        // closing braces that close nothing, ascending
	decls    []int        // declaration words in column one, ascending
	torn     []int        // texts that are not closed, ascending
}

// newLayout matches the braces of a file. It may put missing opening braces
// into the tokens.
func newLayout(path string, tokens []token, diags *reports) *layout {
	l := &layout{path: path, tokens: tokens, diags: diags, unclosed: map[int]bool{}, starts: map[int]bool{}}
	l.survey()
	l.openBrackets()
	left := l.match()
	if len(l.strays) > 0 && l.insertBraces() {
		l.survey()
		left = l.match()
	}
	if len(left) > 0 && l.mistyped(left) {
		l.survey()
		left = l.match()
	}
	l.divide(left)
	return l
}

// survey finds the tokens that the layout hangs on.
func (l *layout) survey() {
	l.decls, l.torn = nil, nil
	for i, t := range l.tokens {
		if t.kind == name && t.start.column == 1 && topWords[t.text] {
			l.decls = append(l.decls, i)
		}
		if t.flaw == unclosed {
			l.torn = append(l.torn, i)
		}
	}
}

// nextDeclaration returns the first declaration word in column one behind
// token i, or the number of tokens.
func (l *layout) nextDeclaration(i int) int {
	n := sort.SearchInts(l.decls, i+1)
	if n == len(l.decls) {
		return len(l.tokens)
	}
	return l.decls[n]
}

// declares reports whether token i is a declaration word in column one.
func (l *layout) declares(i int) bool {
	_, found := slices.BinarySearch(l.decls, i)
	return found
}

// first reports whether token i is the first of its line.
func (l *layout) first(i int) bool { return i == 0 || l.tokens[i].below(l.tokens[i-1]) }

// lineEnd returns the first token behind i that begins a line.
func (l *layout) lineEnd(i int) int {
	i++
	for i < len(l.tokens) && !l.first(i) {
		i++
	}
	return i
}

// match pairs braces as they stand. It returns the opening braces that are
// left over. Braces that put one declaration into another, header and block
// in column one, do not balance, whatever their number.
func (l *layout) match() (left []int) {
	l.close = make([]int32, len(l.tokens))
	l.strays = nil
	var open []int
	for i, t := range l.tokens {
		switch {
		case t.is(punct, "{"):
			open = append(open, i)
		case t.is(punct, "}") && len(open) == 0:
			l.strays = append(l.strays, i)
		case t.is(punct, "}"):
			l.close[open[len(open)-1]] = int32(i)
			open = open[:len(open)-1]
		case len(open) > 0 && l.declares(i) && l.opensBlock(i):
			left = append(left, open...)
			open = open[:0]
		}
	}
	return append(left, open...)
}

// opensBlock reports whether a declaration that begins with token i opens its
// block on its line.
func (l *layout) opensBlock(i int) bool {
	if _, opens := scopes[Kind(l.tokens[i].text)]; !opens {
		return false
	}
	for j := i + 1; j < len(l.tokens) && !l.first(j); j++ {
		if l.tokens[j].is(punct, "{") {
			return true
		}
	}
	return false
}

// insertBraces gives every closing brace that closes nothing the header that
// lacks an opening one, where there is such a header between it and the
// declaration word before it. It is false where nothing was put in.
func (l *layout) insertBraces() bool {
	var behind []int
	strays := l.strays
	for i := range l.tokens {
		for len(strays) > 0 && strays[0] < i {
			strays = strays[1:]
		}
		if len(strays) == 0 {
			break
		}
		if at, lacks := l.lacksBrace(i, strays[0]); lacks && l.nextDeclaration(i) > strays[0] {
			behind = append(behind, at)
			strays = strays[1:]
		}
	}
	if len(behind) == 0 {
		return false
	}
	tokens := make([]token, 0, len(l.tokens)+len(behind))
	from := 0
	for _, i := range behind {
		tokens = append(tokens, l.tokens[from:i]...)
		at := l.tokens[i-1].end
		tokens = append(tokens, token{kind: punct, flaw: missing, text: "{", start: at, end: at})
		from = i
	}
	l.tokens = append(tokens, l.tokens[from:]...)
	return true
}

// lacksBrace reports whether a header begins with token i that must open a
// block and does not, and the token before which its brace belongs. The block
// may be one of a single line that ends with the brace stray.
func (l *layout) lacksBrace(i, stray int) (at int, lacks bool) {
	if !l.heads(i) {
		return 0, false
	}
	e := l.lineEnd(i)
	for j := i; j < e; j++ {
		switch t := l.tokens[j]; {
		case t.is(punct, "}") && j <= stray && l.headerEnd(i) < j:
			return l.headerEnd(i), true
		case t.is(punct, "{"), t.is(punct, "}"):
			return 0, false
		}
	}
	return e, e == len(l.tokens) || !l.tokens[e].is(punct, "{")
}

// divide ends every block that nothing closes. From the first of them on, up
// to the next declaration word in column one, braces are matched anew; what
// stands behind that word is as if nothing had been open.
func (l *layout) divide(left []int) {
	done := 0
	for _, open := range left {
		if open < done {
			continue
		}
		done = l.nextDeclaration(open)
		for i := open; i < done; i++ {
			if l.tokens[i].is(punct, "{") && int(l.close[i]) >= done {
				l.strays = append(l.strays, int(l.close[i]))
			}
		}
		if done < len(l.tokens) {
			l.starts[done] = true
		}
		r := &region{layout: l, start: open}
		r.match(done)
	}
	slices.Sort(l.strays)
}

// A region is a part of a file in which a block is not closed.
type region struct {
	*layout
	start int
	stack []opener
}

// An opener is an opening brace, and the line that it stands on.
type opener struct {
	brace  int
	indent int32
	gate   bool
}

// match pairs the braces from the region's start up to token stop, helped by
// what an author's indentation shows: a closing brace that begins a line
// closes the block whose header begins in the same column, and a gate never
// stands in a gate.
func (r *region) match(stop int) {
	line := r.start // the first token of the line
	for line > 0 && !r.first(line) {
		line--
	}
	header := -1 // the first token of the last line with an opening brace
	for i := r.start; i < stop; i++ {
		if r.first(i) {
			line = i
			if n := len(r.stack); n > 0 && r.stack[n-1].gate && r.leavesGate(i) {
				r.end(n-1, i)
			}
		}
		switch t := r.tokens[i]; {
		case t.is(punct, "{"):
			gate := line > header && r.tokens[line].kind == name && gateWords[r.tokens[line].text]
			header = line
			if gate && len(r.stack) > 0 && r.stack[len(r.stack)-1].gate {
				r.end(len(r.stack)-1, line)
			}
			r.stack = append(r.stack, opener{i, r.tokens[line].start.column, gate})
		case t.is(punct, "}"):
			if line == i {
				r.align(i)
			}
			if len(r.stack) == 0 {
				r.strays = append(r.strays, i)
				continue
			}
			r.close[r.stack[len(r.stack)-1].brace] = int32(i)
			r.stack = r.stack[:len(r.stack)-1]
		}
	}
	r.end(0, stop)
}

// leavesGate reports whether token i begins a statement of the stage that the
// gate stands in.
func (r *region) leavesGate(i int) bool {
	t := r.tokens[i]
	return t.kind == name && !gateWords[t.text] && (known[modeScope][t.text] || known[taskScope][t.text]) &&
		!r.tokens[i-1].is(punct, ",")
}

// align ends the blocks inside the one whose header begins in the column of
// the closing brace i.
func (r *region) align(i int) {
	for n := len(r.stack); n > 0 && len(r.stack)-n <= maxBraces; n-- {
		if r.stack[n-1].indent == r.tokens[i].start.column {
			r.end(n, i)
			return
		}
	}
}

// end ends all blocks but the outer n before token i, and reports them.
func (r *region) end(n, i int) {
	ended := r.stack[n:]
	r.stack = r.stack[:n]
	if len(ended) == 0 {
		return
	}
	for _, o := range ended {
		r.close[o.brace] = int32(i)
		r.unclosed[o.brace] = true
	}
	if n := sort.SearchInts(r.torn, ended[0].brace); n < len(r.torn) && r.torn[n] < i {
		return // the brace stands inside a text that is not closed, for all we know
	}
	inner := ended[len(ended)-1].brace
	if len(ended) == 1 && r.opensForRole(inner) {
		return // a role has no block, which is reported
	}
	d := diag.Diagnostic{
		Code:    diag.SN101,
		Range:   r.span(inner),
		Message: "the block is not closed",
		Label:   "is opened here",
		Help:    "close it with `}`",
	}
	for _, o := range ended[max(0, len(ended)-1-maxBraces) : len(ended)-1] {
		d.Related = append(d.Related, diag.Related{Range: r.span(o.brace), Message: "nor is this one"})
	}
	r.diags.Add(d)
}

// opensForRole reports whether a brace stands behind the header of a role.
func (l *layout) opensForRole(brace int) bool {
	for !l.first(brace) {
		brace--
	}
	return l.declares(brace) && Kind(l.tokens[brace].text) == KindRole
}

// span returns the range of token i.
func (l *layout) span(i int) diag.Range {
	t := l.tokens[i]
	return diag.Range{File: l.path, Start: t.start.position(), End: t.end.position()}
}
