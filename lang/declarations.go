package lang

import "slices"

// complete fills in a declaration that the grammar read whole.
func (p *parser) complete(d *Declaration, s *shape, n *declNode) {
	switch {
	case n.Protocol != nil:
		n.Protocol.Head.fill(p, d)
		d.Body = statements(p, s, n.Protocol.Body)
	case n.Role != nil:
		n.Role.Head.fill(p, d)
	case n.Evidence != nil:
		n.Evidence.Head.fill(p, d)
		if n.Evidence.Block != nil {
			d.Body = statements(p, s, n.Evidence.Body)
		}
	case n.Criteria != nil:
		n.Criteria.Head.fill(p, d)
		d.Body = statements(p, s, n.Criteria.Body)
	case n.Judge != nil:
		n.Judge.Head.fill(p, d)
		d.Body = statements(p, s, n.Judge.Body)
	case n.Check != nil:
		n.Check.Head.fill(p, d)
		d.Body = statements(p, s, n.Check.Body)
	case n.Rule != nil:
		n.Rule.Head.fill(p, d)
		d.Body = statements(p, s, n.Rule.Body)
	case n.Controls != nil:
		n.Controls.Head.fill(p, d)
		d.Body = statements(p, s, n.Controls.Body)
	case n.Coder != nil:
		n.Coder.Head.fill(p, d)
		d.Body = statements(p, s, n.Coder.Body)
	case n.Mode != nil:
		n.Mode.Head.fill(p, d)
		d.Body = statements(p, s, n.Mode.Body)
	case n.Review != nil:
		n.Review.Head.fill(p, d)
		d.Body = statements(p, s, n.Review.Body)
	case n.Task != nil:
		n.Task.Head.fill(p, d)
		d.Body = statements(p, s, n.Task.Body)
	default:
		panic("lang: the grammar read a declaration of no kind")
	}
}

// A node of a header fills in what stands behind a declaration's word.
type headNode interface {
	fill(p *parser, d *Declaration)
}

func (n *titleHead) fill(p *parser, d *Declaration) {
	d.Name, d.Title = p.name(n.Name), p.optionalText(n.Title)
}

func (n *roleHead) fill(p *parser, d *Declaration) {
	d.Name, d.Title, d.Key = p.name(n.Name), p.optionalText(&n.Text), p.optionalText(n.Key)
}

func (n *evidenceHead) fill(p *parser, d *Declaration) {
	d.Name, d.Title = p.name(n.Name), p.optionalText(&n.Text)
	for _, param := range n.Params {
		d.Params = append(d.Params, p.param(param))
	}
	if n.From != nil {
		from := p.ref(n.From)
		d.From = &from
	}
}

func (n *controlsHead) fill(p *parser, d *Declaration) {
	subject := p.ref(n.Subject)
	d.Subject = &subject
}

// piecewise reads a declaration header and statement apart, and reports each
// that does not fit. It is false where not even a name was found.
func (p *parser) piecewise(d *Declaration, s *shape) bool {
	whole := p.placed(s)
	if !p.head(d, s) {
		whole = false
	}
	if inner, opens := scopes[d.Kind]; opens && (s.open >= 0 || len(s.body) > 0) {
		body, sound := p.body(s, inner)
		d.Body = body
		whole = whole && sound
	}
	d.Damaged = !whole
	return d.Name.Text != "" || d.Subject != nil
}

// head reads the header of a declaration, its brace included. Where it does
// not fit, the name is taken if there is one: what refers to it is not wrong.
func (p *parser) head(d *Declaration, s *shape) bool {
	tokens := p.appendHead(nil, s, keyword)[1:]
	n, err := heads[d.Kind](append(tokens, endOfFile))
	if err == nil {
		n.fill(p, d)
		return !p.flawed(s) && p.brace(d, s)
	}
	p.salvage(d, s)
	if !p.flawed(s) {
		p.unexpected(s, fileScope, err)
	}
	return false
}

// salvage takes the name, and the title behind it, from a header that does
// not fit.
func (p *parser) salvage(d *Declaration, s *shape) {
	i := s.first + 1
	if p.twice(s, i) {
		i++
	}
	if i >= s.last {
		return
	}
	t := p.tokens[i]
	if bare := unquotedName(t); t.kind == text && t.flaw == sound && bare != "" {
		t.kind, t.text = name, bare
		d.Guessed = !p.quotedName(s, i)
	}
	if t.kind != name {
		return
	}
	d.Name = p.nameOf(t)
	if d.Kind == KindControls {
		d.Subject = &Ref{Name: d.Name, Range: d.Name.Range}
		d.Name = Name{}
		return
	}
	if i+1 < s.last && p.tokens[i+1].kind == text {
		title := p.textOf(p.tokens[i+1])
		d.Title = &title
	}
}

// twice reports whether token i of a header is its first word again, with a
// name behind it.
func (p *parser) twice(s *shape, i int) bool {
	return i+1 < s.last && p.tokens[i].is(name, p.lead(s)) && p.tokens[i+1].kind == name && topWords[p.lead(s)]
}

// quotedName reports whether the text at token i of a header is certainly its
// name: it stands in front of a title, or where no title can.
func (p *parser) quotedName(s *shape, i int) bool {
	return Kind(p.lead(s)) == KindControls || i+1 < s.last && p.tokens[i+1].kind == text
}

// brace reports a brace that is missing or too many behind a header.
func (p *parser) brace(d *Declaration, s *shape) bool {
	if _, opens := scopes[d.Kind]; !opens {
		if s.open >= 0 {
			p.expected(s, s.open, "the end of the line", "a "+string(d.Kind)+" has no block")
		}
		return s.open < 0
	}
	return d.Kind == KindEvidence && s.open < 0 || p.braced(s)
}

// body reads the statements of a block one by one.
func (p *parser) body(s *shape, sc scope) (out []Stmt, sound bool) {
	out, sound = []Stmt{}, !s.deep && s.open >= 0 && !p.unclosed[s.open] && p.soundBraces(s.open)
	for i := 0; i < len(s.body); i++ {
		b, inside := s.body[i], 0
		if word := p.tokens[b.first].text; known[sc][word] && gateWords[word] {
			b, inside = p.indented(s.body[i:])
		}
		stmt, ok := p.statement(&b, sc)
		i += inside
		if stmt != nil {
			out = append(out, stmt)
		}
		sound = sound && ok
	}
	return out, sound
}

// statement reads one statement. It is nil where it was dropped; ok says
// that nothing is wrong with it.
func (p *parser) statement(s *shape, sc scope) (stmt Stmt, ok bool) {
	as := p.key(s, sc)
	switch {
	case as == keyword && gateWords[p.lead(s)] && (s.open >= 0 || len(s.body) > 0):
		return p.gatePiecewise(s)
	case as == keyword || as == name:
		ok = p.placed(s)
		if p.flawed(s) {
			return nil, false
		}
		n, err := statementParsers[sc](p.statementTokens(s, as))
		if err != nil {
			return p.broken(s, sc, err), false
		}
		return n.statement(p, s), ok
	case as == unknown && p.meantForAbove(s, sc):
	case as == unknown:
		if !p.placed(s) || s.open >= 0 && !p.braced(s) {
			return nil, false
		}
		if u := p.unknown(s, sc); !s.spoiled || u.Meant != nil {
			return u, true
		}
		p.disorder(s)
		return nil, false
	case sc != unknownScope:
		p.cannotStart(s, sc)
	}
	return nil, false
}

// broken reports a statement that does not fit its form. Where it goes on
// over a comma at the end of a line although the next line is a statement of
// its own, that comma is what is wrong, and the last such line is read.
func (p *parser) broken(s *shape, sc scope, err error) Stmt {
	at := p.failed(s, err)
	var commas []int
	for i := s.first + 2; i < s.last; i++ {
		if p.tokens[i-1].is(punct, ",") && p.first(i) && known[sc][p.tokens[i].text] {
			commas = append(commas, i-1)
		}
	}
	if len(commas) == 0 || at <= commas[0] {
		p.unexpected(s, sc, err)
		return nil
	}
	for _, i := range commas {
		p.danglingComma(i)
	}
	rest := *s
	rest.first, rest.crowded = commas[len(commas)-1]+1, false
	stmt, _ := p.statement(&rest, sc)
	return stmt
}

// gatePiecewise reads a gate header and statement apart.
func (p *parser) gatePiecewise(s *shape) (Stmt, bool) {
	whole := p.placed(s)
	n, err := run[gateHead](append(p.appendHead(nil, s, keyword), endOfFile))
	switch {
	case err == nil:
		whole = p.braced(s) && whole
	case !p.flawed(s):
		p.unexpected(s, modeScope, err)
		whole = false
	}
	if err != nil {
		n = &gateHead{}
	}
	g := p.gate(s, n)
	body, sound := p.body(s, gateScope)
	g.Body = body
	g.Damaged = !whole || !sound || p.flawed(s)
	return g, !g.Damaged
}

// flawed reports whether a token in front of a statement's block was
// reported by the scanner.
func (p *parser) flawed(s *shape) bool {
	return slices.ContainsFunc(p.tokens[s.first:s.last], func(t token) bool { return t.flaw != sound })
}
