package lang

import (
	"github.com/alecthomas/participle/v2/lexer"

	"github.com/snodo-lang/snodo/internal/abreast"
)

// Declarations are independent of one another, so those that the grammar can
// read whole are read side by side. That reports nothing: what does not fit is
// read again piece by piece, in its place.

const declarationsAtOnce = 16

// readAhead reads the declarations that the grammar can read whole.
func (p *parser) readAhead() {
	p.ahead = make([]*Declaration, len(p.shapes))
	abreast.Each(len(p.shapes), declarationsAtOnce, func(i int) { p.ahead[i] = p.readWhole(&p.shapes[i]) })
}

// readWhole reads a statement that is a declaration and fits the grammar. It
// returns nil for all others.
func (p *parser) readWhole(s *shape) *Declaration {
	t := p.tokens[s.first]
	if t.kind != name || s.stray {
		return nil
	}
	if _, declares := wholes[Kind(t.text)]; !declares {
		return nil
	}
	if d := p.begun(s); p.readAs(d, s) {
		return d
	}
	return nil
}

// readAs fills in a declaration that the grammar can read whole. It is false,
// and nothing is filled in, where that is not so.
func (p *parser) readAs(d *Declaration, s *shape) bool {
	if s.spoiled {
		return false
	}
	tokens := p.stream([]shape{*s}, fileScope)
	n, err := wholes[d.Kind](append(tokens[:len(tokens)-2], endOfFile)) // the end of a declaration is that of the tokens
	if err != nil {
		return false
	}
	p.complete(d, s, n)
	return true
}

// wholes read a declaration whole, by the production of its first word.
var wholes = map[Kind]func([]lexer.Token) (*declNode, error){
	KindProtocol: whole(func(n *protocolNode) *declNode { return &declNode{Protocol: n} }),
	KindRole:     whole(func(n *roleNode) *declNode { return &declNode{Role: n} }),
	KindEvidence: whole(func(n *evidenceNode) *declNode { return &declNode{Evidence: n} }),
	KindCriteria: whole(func(n *criteriaNode) *declNode { return &declNode{Criteria: n} }),
	KindJudge:    whole(func(n *judgeNode) *declNode { return &declNode{Judge: n} }),
	KindCheck:    whole(func(n *checkNode) *declNode { return &declNode{Check: n} }),
	KindRule:     whole(func(n *ruleNode) *declNode { return &declNode{Rule: n} }),
	KindControls: whole(func(n *controlsNode) *declNode { return &declNode{Controls: n} }),
	KindCoder:    whole(func(n *coderNode) *declNode { return &declNode{Coder: n} }),
	KindMode:     whole(func(n *modeNode) *declNode { return &declNode{Mode: n} }),
	KindReview:   whole(func(n *reviewNode) *declNode { return &declNode{Review: n} }),
	KindTask:     whole(func(n *taskNode) *declNode { return &declNode{Task: n} }),
}

func whole[N any](declared func(*N) *declNode) func([]lexer.Token) (*declNode, error) {
	return func(tokens []lexer.Token) (*declNode, error) {
		n, err := run[N](tokens)
		if err != nil {
			return nil, err
		}
		return declared(n), nil
	}
}
