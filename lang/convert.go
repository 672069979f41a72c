package lang

import (
	"sort"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/snodo-lang/snodo/lang/diag"
)

// The way from participle's nodes to the tree. Nodes know their tokens by
// offset, shapes know ranges, and the tree is made of both: the statement of
// a node is always the statement of one shape.

// found returns the token of the source that participle was given as t.
func (p *parser) found(t lexer.Token) token {
	i := sort.Search(len(p.tokens), func(i int) bool { return int(p.tokens[i].start.offset) >= t.Pos.Offset })
	return p.tokens[i]
}

func (p *parser) rangeOf(t token) diag.Range {
	return diag.Range{File: p.path, Start: t.start.position(), End: t.end.position()}
}

// between returns the range from token i up to the end of token j.
func (p *parser) between(i, j int) diag.Range {
	return diag.Range{File: p.path, Start: p.tokens[i].start.position(), End: p.tokens[j].end.position()}
}

// header returns the range of what stands in front of a statement's block.
func (p *parser) header(s *shape) diag.Range { return p.between(s.first, max(s.last-1, s.first)) }

// whole returns the range of a statement with its block.
func (p *parser) whole(s *shape) diag.Range {
	switch {
	case s.open < 0 && len(s.body) > 0:
		return p.header(s).To(p.whole(&s.body[len(s.body)-1]))
	case s.open < 0:
		return p.header(s)
	case p.unclosed[s.open]:
		return p.between(s.first, s.close-1)
	}
	return p.between(s.first, s.close)
}

// word returns the first word of a statement.
func (p *parser) word(s *shape) Name {
	return Name{Text: p.lead(s), Range: p.span(s.first)}
}

func (p *parser) nameOf(t token) Name { return Name{Text: t.text, Range: p.rangeOf(t)} }

func (p *parser) name(t lexer.Token) Name { return p.nameOf(p.found(t)) }

func (p *parser) text(t lexer.Token) Text { return p.textOf(p.found(t)) }

func (p *parser) textOf(t token) Text {
	return Text{Value: meaning(t.text), Raw: t.text, Range: p.rangeOf(t)}
}

func (p *parser) optionalText(t *lexer.Token) *Text {
	if t == nil {
		return nil
	}
	v := p.text(*t)
	return &v
}

func (p *parser) ref(n *refNode) Ref {
	first := p.name(n.First)
	if n.Second == nil {
		return Ref{Name: first, Range: first.Range}
	}
	second := p.name(*n.Second)
	return Ref{Alias: &first, Name: second, Range: first.Range.To(second.Range)}
}

func (p *parser) number(t lexer.Token) Number {
	v, _ := parseNumber(t.Value)
	return Number{Value: v, Range: p.rangeOf(p.found(t))}
}

func (p *parser) value(n *valueNode) Value {
	switch {
	case n.Text != nil:
		return p.text(*n.Text)
	case n.Number != nil:
		return p.number(*n.Number)
	case n.Duration != nil:
		ms, _ := parseDuration(n.Duration.Value)
		return Duration{Milliseconds: ms, Raw: n.Duration.Value, Range: p.rangeOf(p.found(*n.Duration))}
	}
	return p.ref(n.Ref)
}

func (p *parser) list(n *listNode) []Value {
	out := make([]Value, len(n.Items))
	for i, item := range n.Items {
		out[i] = p.value(item)
	}
	return out
}

func (p *parser) timeout(n *timeoutNode) *Timeout {
	if n == nil {
		return nil
	}
	word, value := p.name(n.Word), p.value(n.Value)
	return &Timeout{Word: word, Value: value, Range: word.Range.To(value.Span())}
}

func (p *parser) step(n *stepNode) *Step {
	s := &Step{Word: p.name(n.Word)}
	s.Range = s.Word.Range
	if n.Arg != nil {
		s.Arg = p.value(n.Arg)
		s.Range = s.Range.To(s.Arg.Span())
	}
	return s
}

func (p *parser) param(n *paramNode) *Param {
	out := &Param{Name: p.name(n.Name)}
	if n.Type != nil {
		out.Type = p.name(*n.Type)
		out.Range = out.Name.Range.To(out.Type.Range)
		return out
	}
	one, of := p.name(*n.One), p.name(*n.Of)
	out.Type = Name{Text: "one of", Range: one.Range.To(of.Range)}
	for _, t := range n.Tokens {
		if t.Type == text {
			out.OneOf = append(out.OneOf, p.text(t))
		}
	}
	out.Range = out.Name.Range.To(out.OneOf[len(out.OneOf)-1].Range)
	return out
}

// field returns a statement of a word and its values.
func (p *parser) field(s *shape, timeout *timeoutNode, values ...Value) *Field {
	return &Field{Word: p.word(s), Values: values, Timeout: p.timeout(timeout), Range: p.whole(s)}
}

// unknown returns a statement whose first word is not known. What its block
// holds is not known either.
func (p *parser) unknown(s *shape, sc scope) *Unknown {
	u := &Unknown{Word: p.word(s), Range: p.whole(s)}
	u.Meant, u.MeantWords = p.meant(s, sc)
	for _, t := range p.tokens[s.first+1 : s.last] {
		u.Tokens = append(u.Tokens, Token{Kind: tokenKinds[t.kind], Text: t.text, Range: p.rangeOf(t)})
	}
	if s.open < 0 {
		return u
	}
	u.Body = []Stmt{}
	for i := range s.body {
		b := &s.body[i]
		if b.last > b.first && p.tokens[b.first].kind == name {
			u.Body = append(u.Body, p.unknown(b, unknownScope))
		}
	}
	return u
}

var tokenKinds = map[kind]TokenKind{
	name: NameToken, text: TextToken, number: NumberToken, duration: DurationToken,
	punct: PunctToken, other: OtherToken,
}
