package lang

import "github.com/alecthomas/participle/v2/lexer"

// The productions by which a declaration is read piece by piece.

var endOfFile = lexer.Token{Type: lexer.EOF}

// heads read what stands between a declaration's word and its block.
var heads = map[Kind]func([]lexer.Token) (headNode, error){
	KindProtocol: headParser[titleHead](),
	KindRole:     headParser[roleHead](),
	KindEvidence: headParser[evidenceHead](),
	KindCriteria: headParser[titleHead](),
	KindJudge:    headParser[titleHead](),
	KindCheck:    headParser[titleHead](),
	KindRule:     headParser[titleHead](),
	KindControls: headParser[controlsHead](),
	KindCoder:    headParser[titleHead](),
	KindMode:     headParser[titleHead](),
	KindReview:   headParser[titleHead](),
	KindTask:     headParser[titleHead](),
}

// statementParsers read one statement of a block, its end included.
var statementParsers = map[scope]func([]lexer.Token) (statementNode, error){
	protocolScope: statementParser[protocolStmt](),
	evidenceScope: statementParser[evidenceStmt](),
	criteriaScope: statementParser[criteriaStmt](),
	judgeScope:    statementParser[judgeStmt](),
	checkScope:    statementParser[checkStmt](),
	ruleScope:     statementParser[ruleStmt](),
	controlsScope: statementParser[controlsStmt](),
	coderScope:    statementParser[coderStmt](),
	modeScope:     statementParser[modeStmt](),
	reviewScope:   statementParser[reviewStmt](),
	taskScope:     statementParser[taskStmt](),
	gateScope:     statementParser[gateStmt](),
}

var gateHeads = production[gateHead]()

func headParser[P any, N interface {
	*P
	headNode
}]() func([]lexer.Token) (headNode, error) {
	parser := production[P]()
	return func(tokens []lexer.Token) (headNode, error) {
		n, err := run(parser, tokens)
		return N(n), err
	}
}

func statementParser[P any, N interface {
	*P
	statementNode
}]() func([]lexer.Token) (statementNode, error) {
	parser := production[P]()
	return func(tokens []lexer.Token) (statementNode, error) {
		n, err := run(parser, tokens)
		return N(n), err
	}
}
