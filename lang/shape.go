package lang

import (
	"github.com/snodo-lang/snodo/lang/diag"
)

// A shape is one statement before its tokens are understood: where it begins
// and ends, and the statements of its block.
type shape struct {
	first, last int // the tokens in front of the block
	open, close int // the braces of the block; open is -1 where there is none
	body        []shape
	spoiled     bool   // something is wrong with its tokens or its shape, or in its body
	crowded     bool   // it begins on the line on which another statement ends
	lowBrace    bool   // its brace does not stand on its line
	deep        bool   // its block passes the limit of levels, and is left out
	meant       string // the words that stand for its first, a misspelling; "" where that is read as it is
	stray       bool   // it is the closing brace close, which closes nothing, and what that swallows
}

// shaper cuts the tokens of a file into statements.
type shaper struct {
	*layout
	parens []bool // whether token i stands inside parentheses
}

// shapes returns the statements of a file.
func (l *layout) shapes() []shape {
	s := &shaper{layout: l, parens: parenthesised(l)}
	return s.statements(0, len(l.tokens), 0)
}

// parenthesised marks the tokens that stand between two parentheses. One that
// is not closed before a brace or a declaration encloses nothing.
func parenthesised(l *layout) []bool {
	change := make([]int32, len(l.tokens)+1) // of the number of pairs around a token
	var open []int
	for i, t := range l.tokens {
		switch {
		case t.is(punct, "("):
			open = append(open, i)
		case t.is(punct, "{"), t.is(punct, "}"), l.declares(i):
			open = open[:0]
		case t.is(punct, ")") && len(open) > 0:
			change[open[len(open)-1]+1]++
			change[i+1]--
			open = open[:len(open)-1]
		}
	}
	inside := make([]bool, len(l.tokens))
	pairs := int32(0)
	for i := range inside {
		pairs += change[i]
		inside[i] = pairs > 0
	}
	return inside
}

// statements cuts the tokens from i up to stop.
func (s *shaper) statements(i, stop, depth int) []shape {
	var out []shape
	for i < stop {
		if s.tokens[i].is(punct, "{") && s.takesBrace(out, i) {
			last := &out[len(out)-1]
			last.lowBrace, last.spoiled = true, true
			i = s.block(last, i, depth)
			continue
		}
		sh := shape{first: i, open: -1, close: -1}
		if len(out) > 0 {
			sh.crowded = !s.first(i) && !s.starts[i]
		}
		if depth == 0 {
			if brace, end := s.swallows(i); end > i {
				sh.stray, sh.spoiled, sh.last, sh.close = true, true, end, brace
				out = append(out, sh)
				i = end
				continue
			}
		}
		i = s.statement(&sh, stop, depth)
		out = append(out, sh)
	}
	return out
}

// takesBrace reports whether the brace i, which begins a line, can only
// belong to the statement above it.
func (s *shaper) takesBrace(above []shape, i int) bool {
	if len(above) == 0 || s.starts[i] {
		return false
	}
	last := above[len(above)-1]
	return last.open < 0 && !last.stray && s.tokens[last.first].kind == name
}

// swallows returns the closing brace that swallows what begins at i, and the
// token behind it and its like; i where there is none. A brace that closes
// nothing swallows what no declaration parts from it: that was meant for a
// block that has ended too early.
func (s *shaper) swallows(i int) (brace, end int) {
	for len(s.strays) > 0 && s.strays[0] < i {
		s.strays = s.strays[1:]
	}
	if len(s.strays) == 0 || s.declares(i) || s.nextDeclaration(i) < s.strays[0] {
		return i, i
	}
	brace = s.strays[0]
	for end = brace; len(s.strays) > 0 && s.strays[0] == end; end++ {
		s.strays = s.strays[1:]
	}
	return brace, end
}

// statement cuts one statement and returns the token behind it.
func (s *shaper) statement(sh *shape, stop, depth int) int {
	i := sh.first
	for i < stop && !s.tokens[i].is(punct, "{") && (i == sh.first || !s.endsBefore(i)) {
		sh.spoiled = sh.spoiled || s.tokens[i].flaw != sound
		i++
	}
	sh.last = i
	sh.spoiled = sh.spoiled || sh.crowded
	if i < stop && s.tokens[i].is(punct, "{") && (i == sh.first || !s.endsBefore(i)) {
		return s.block(sh, i, depth)
	}
	return i
}

// block cuts the block that token i opens and returns the token behind it.
func (s *shaper) block(sh *shape, i, depth int) int {
	sh.open, sh.close = i, int(s.close[i])
	sh.spoiled = sh.spoiled || s.unclosed[i] || !s.soundBraces(i)
	if depth == maxBraces {
		sh.deep, sh.spoiled = true, true
		s.diags.Add(diag.Diagnostic{
			Code:    diag.SN105,
			Range:   s.span(i),
			Message: "blocks are nested deeper than 16 levels",
			Label:   "this is the 17th",
			Help:    "a protocol needs two levels",
		})
	} else {
		sh.body = s.statements(i+1, sh.close, depth+1)
	}
	for i := range sh.body {
		sh.spoiled = sh.spoiled || sh.body[i].spoiled
	}
	if s.unclosed[i] {
		return sh.close
	}
	return sh.close + 1
}

// soundBraces reports whether nothing is wrong with the opening brace i and
// the one that closes it.
func (l *layout) soundBraces(i int) bool {
	return l.tokens[i].flaw == sound && (l.unclosed[i] || l.tokens[l.close[i]].flaw == sound)
}

// endsBefore reports whether a statement ends in front of token i, which is
// not its first.
func (s *shaper) endsBefore(i int) bool {
	t, before := s.tokens[i], s.tokens[i-1]
	switch {
	case s.starts[i] || t.is(punct, "}"):
		return true
	case !t.below(before) || s.parens[i]:
		return false
	case before.is(punct, ","):
		return s.declares(i)
	case t.kind == name && continuations[t.text]:
		return false
	}
	return true
}
