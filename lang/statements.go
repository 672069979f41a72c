package lang

// A node of a statement knows the statement of the tree that it becomes. The
// shape is the one whose tokens it was made of.
type statementNode interface {
	statement(p *parser, s *shape) Stmt
}

// statements returns the statements of a block. Each node was made of the
// shape in its place.
func statements[N statementNode](p *parser, s *shape, nodes []N) []Stmt {
	out := make([]Stmt, len(nodes))
	for i, n := range nodes {
		out[i] = n.statement(p, &s.body[i])
	}
	return out
}

func (n *protocolStmt) statement(p *parser, s *shape) Stmt {
	switch {
	case n.Value != nil:
		return p.field(s, nil, p.value(n.Value.Value))
	case n.List != nil:
		return p.field(s, nil, p.list(n.List.List)...)
	case n.Command != nil:
		return p.field(s, n.Command.Timeout, p.value(n.Command.Value))
	}
	return p.unknown(s, protocolScope)
}

func (n *evidenceStmt) statement(p *parser, s *shape) Stmt {
	if n.Obtain != nil {
		return p.field(s, n.Obtain.Timeout, p.list(n.Obtain.List)...)
	}
	return p.unknown(s, evidenceScope)
}

func (n *criteriaStmt) statement(p *parser, s *shape) Stmt {
	if n.Criterion != nil {
		return n.Criterion.statement(p, s)
	}
	return p.unknown(s, criteriaScope)
}

func (n *criterionNode) statement(p *parser, s *shape) Stmt {
	return &Criterion{Word: p.word(s), Name: p.name(n.Name), Text: p.value(n.Text), Range: p.whole(s)}
}

func (n *judgeStmt) statement(p *parser, s *shape) Stmt {
	switch {
	case n.Value != nil:
		return p.field(s, nil, p.value(n.Value.Value))
	case n.List != nil:
		return p.field(s, nil, p.list(n.List.List)...)
	case n.Grants != nil:
		return n.Grants.statement(p, s)
	case n.Criterion != nil:
		return n.Criterion.statement(p, s)
	}
	return p.unknown(s, judgeScope)
}

func (n *grantsNode) statement(p *parser, s *shape) Stmt {
	g := &Grants{Word: p.word(s), Tools: p.list(n.Tools), Range: p.whole(s)}
	if n.InWord != nil {
		word := p.name(*n.InWord)
		g.InWord, g.In = &word, p.list(n.In)
	}
	return g
}

func (n *checkStmt) statement(p *parser, s *shape) Stmt {
	switch {
	case n.Phase != nil:
		return p.field(s, nil, p.value(n.Phase.Value))
	case n.Run != nil:
		return p.field(s, n.Run.Timeout, p.value(n.Run.Value))
	}
	return p.unknown(s, checkScope)
}

func (n *ruleStmt) statement(p *parser, s *shape) Stmt {
	switch {
	case n.Phase != nil:
		return p.field(s, nil, p.value(n.Phase.Value))
	case n.Scope != nil:
		return p.field(s, nil, p.list(n.Scope.List)...)
	case n.Tests != nil:
		return &TestsExist{
			Word:     p.word(s),
			Modified: p.list(n.Tests.Modified),
			TestedBy: p.list(n.Tests.TestedBy),
			Range:    p.whole(s),
		}
	case n.Secrets != nil:
		return p.field(s, nil)
	}
	return p.unknown(s, ruleScope)
}

func (n *controlsStmt) statement(p *parser, s *shape) Stmt {
	c := &Case{Word: p.word(s), Range: p.whole(s)}
	switch {
	case n.Good != nil:
		c.Folder = p.value(n.Good.Folder)
	case n.Bad != nil:
		c.Folder = p.value(n.Bad.Folder)
		if n.Bad.Violates != nil {
			c.Violates = p.list(n.Bad.Violates)
		}
	case n.Undecidable != nil:
		c.Folder, c.Needs = p.value(n.Undecidable.Folder), p.value(n.Undecidable.Needs)
	default:
		return p.unknown(s, controlsScope)
	}
	return c
}

func (n *coderStmt) statement(p *parser, s *shape) Stmt {
	switch {
	case n.Run != nil:
		return p.field(s, n.Run.Timeout, p.value(n.Run.Value))
	case n.Value != nil:
		return p.field(s, nil, p.value(n.Value.Value))
	}
	return p.unknown(s, coderScope)
}

func (n *modeStmt) statement(p *parser, s *shape) Stmt {
	if n.Coder != nil {
		return p.field(s, nil, p.value(n.Coder.Value))
	}
	return p.stageStatement(s, modeScope, n.Grants, n.Hands, n.Gate)
}

func (n *reviewStmt) statement(p *parser, s *shape) Stmt {
	return p.stageStatement(s, reviewScope, n.Grants, n.Hands, n.Gate)
}

func (n *taskStmt) statement(p *parser, s *shape) Stmt {
	if n.Value != nil {
		return p.field(s, nil, p.value(n.Value.Value))
	}
	return p.stageStatement(s, taskScope, n.Grants, n.Hands, n.Gate)
}

// stageStatement returns a statement that may stand in every stage.
func (p *parser) stageStatement(s *shape, sc scope, grants *grantsNode, hands *handsNode, gate *gateNode) Stmt {
	switch {
	case grants != nil:
		return grants.statement(p, s)
	case hands != nil:
		f := p.field(s, nil, p.list(hands.List)...)
		f.Word = Name{Text: "hands to", Range: f.Word.Range.To(p.name(hands.To).Range)}
		return f
	case gate != nil:
		g := p.gate(s, gate.Head)
		g.Body = statements(p, s, gate.Body)
		return g
	}
	return p.unknown(s, sc)
}

// gate returns a gate without its body.
func (p *parser) gate(s *shape, head *gateHead) *Gate {
	return &Gate{
		Phase:  p.word(s),
		Title:  p.optionalText(head.Title),
		Header: p.header(s),
		Range:  p.whole(s),
	}
}

func (n *gateStmt) statement(p *parser, s *shape) Stmt {
	switch {
	case n.List != nil:
		return p.field(s, nil, p.list(n.List.List)...)
	case n.Proceed != nil:
		return n.Proceed.statement(p, s)
	case n.Route != nil:
		r := &Route{Verdict: p.name(n.Route.Verdict), Range: p.whole(s)}
		for _, step := range n.Route.Steps {
			r.Steps = append(r.Steps, p.step(step))
		}
		return r
	}
	return p.unknown(s, gateScope)
}

func (n *proceedNode) statement(p *parser, s *shape) Stmt {
	out := &Proceed{Word: p.word(s), Range: p.whole(s)}
	if n.All != nil {
		all := p.name(*n.All)
		out.All = &all
		return out
	}
	out.Need, out.Of = p.value(n.Need), p.value(n.Of)
	return out
}
