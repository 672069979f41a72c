package lang

import "github.com/alecthomas/participle/v2/lexer"

// The productions by which a declaration is read piece by piece.

var endOfFile = lexer.Token{Type: lexer.EOF}

// heads read what stands between a declaration's word and its block.
var heads = map[Kind]func([]lexer.Token) (headNode, error){
	KindProtocol: readHead[titleHead],
	KindRole:     readHead[roleHead],
	KindEvidence: readHead[evidenceHead],
	KindCriteria: readHead[titleHead],
	KindJudge:    readHead[titleHead],
	KindCheck:    readHead[titleHead],
	KindRule:     readHead[titleHead],
	KindControls: readHead[controlsHead],
	KindCoder:    readHead[titleHead],
	KindMode:     readHead[titleHead],
	KindReview:   readHead[titleHead],
	KindTask:     readHead[titleHead],
}

// statementParsers read one statement of a block, its end included.
var statementParsers = map[scope]func([]lexer.Token) (statementNode, error){
	protocolScope: readStatement[protocolStmt],
	evidenceScope: readStatement[evidenceStmt],
	criteriaScope: readStatement[criteriaStmt],
	judgeScope:    readStatement[judgeStmt],
	checkScope:    readStatement[checkStmt],
	ruleScope:     readStatement[ruleStmt],
	controlsScope: readStatement[controlsStmt],
	coderScope:    readStatement[coderStmt],
	modeScope:     readStatement[modeStmt],
	reviewScope:   readStatement[reviewStmt],
	taskScope:     readStatement[taskStmt],
	gateScope:     readStatement[gateStmt],
}

func readHead[P any, N interface {
	*P
	headNode
}](tokens []lexer.Token) (headNode, error) {
	n, err := run[P](tokens)
	return N(n), err
}

func readStatement[P any, N interface {
	*P
	statementNode
}](tokens []lexer.Token) (statementNode, error) {
	n, err := run[P](tokens)
	return N(n), err
}
