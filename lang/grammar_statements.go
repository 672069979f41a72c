package lang

import "github.com/alecthomas/participle/v2/lexer"

// The statements, by the block they stand in.

type protocolStmt struct {
	Value   *protocolValue   `parser:"( @@"`
	List    *protocolList    `parser:"| @@"`
	Command *protocolCommand `parser:"| @@"`
	Unknown *unknownNode     `parser:"| @@ ) End"`
}

type protocolValue struct {
	Word  lexer.Token `parser:"@'starts':Keyword"`
	Value *valueNode  `parser:"@@"`
}

type protocolList struct {
	Word lexer.Token `parser:"@'protects':Keyword"`
	List *listNode   `parser:"@@"`
}

type protocolCommand struct {
	Word    lexer.Token  `parser:"@'prepare':Keyword"`
	Value   *valueNode   `parser:"@@"`
	Timeout *timeoutNode `parser:"@@?"`
}

type evidenceStmt struct {
	Obtain  *obtainNode  `parser:"( @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type obtainNode struct {
	Word    lexer.Token  `parser:"@'obtain':Keyword"`
	List    *listNode    `parser:"@@"`
	Timeout *timeoutNode `parser:"@@?"`
}

type criteriaStmt struct {
	Criterion *criterionNode `parser:"( @@"`
	Unknown   *unknownNode   `parser:"| @@ ) End"`
}

type criterionNode struct {
	Name lexer.Token `parser:"'criterion':Keyword @Name"`
	Text *valueNode  `parser:"@@"`
}

type judgeStmt struct {
	Value     *judgeValue    `parser:"( @@"`
	List      *judgeList     `parser:"| @@"`
	Grants    *grantsNode    `parser:"| @@"`
	Criterion *criterionNode `parser:"| @@"`
	Unknown   *unknownNode   `parser:"| @@ ) End"`
}

type judgeValue struct {
	Word  lexer.Token `parser:"@('phase':Keyword | 'model':Keyword | 'turns':Keyword | 'tokens':Keyword | 'timeout':Keyword)"`
	Value *valueNode  `parser:"@@"`
}

type judgeList struct {
	Word lexer.Token `parser:"@('requests':Keyword | 'returns':Keyword | 'include':Keyword)"`
	List *listNode   `parser:"@@"`
}

type checkStmt struct {
	Phase   *phaseNode   `parser:"( @@"`
	Run     *runNode     `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type phaseNode struct {
	Word  lexer.Token `parser:"@'phase':Keyword"`
	Value *valueNode  `parser:"@@"`
}

type runNode struct {
	Word    lexer.Token  `parser:"@'run':Keyword"`
	Value   *valueNode   `parser:"@@"`
	Timeout *timeoutNode `parser:"@@?"`
}

type ruleStmt struct {
	Phase   *phaseNode   `parser:"( @@"`
	Scope   *scopeNode   `parser:"| @@"`
	Tests   *testsNode   `parser:"| @@"`
	Secrets *secretsNode `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type scopeNode struct {
	Word lexer.Token `parser:"@'files_in_scope':Keyword"`
	List *listNode   `parser:"@@"`
}

type testsNode struct {
	Modified *listNode `parser:"'tests_exist_for_modified':Keyword @@"`
	TestedBy *listNode `parser:"'tested':Name 'by':Name @@"`
}

type secretsNode struct {
	Word lexer.Token `parser:"@'no_secrets_in_diff':Keyword"`
}

type controlsStmt struct {
	Good        *goodNode        `parser:"( @@"`
	Bad         *badNode         `parser:"| @@"`
	Undecidable *undecidableNode `parser:"| @@"`
	Unknown     *unknownNode     `parser:"| @@ ) End"`
}

type goodNode struct {
	Folder *valueNode `parser:"'good':Keyword @@"`
}

type badNode struct {
	Folder   *valueNode `parser:"'bad':Keyword @@"`
	Violates *listNode  `parser:"('violates':Name @@)?"`
}

type undecidableNode struct {
	Folder *valueNode `parser:"'undecidable':Keyword @@"`
	Needs  *valueNode `parser:"'needs':Name @@"`
}

type coderStmt struct {
	Run     *runNode     `parser:"( @@"`
	Value   *coderValue  `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type coderValue struct {
	Word  lexer.Token `parser:"@('model':Keyword | 'turns':Keyword | 'tokens':Keyword | 'timeout':Keyword)"`
	Value *valueNode  `parser:"@@"`
}

type modeStmt struct {
	Coder   *coderField  `parser:"( @@"`
	Grants  *grantsNode  `parser:"| @@"`
	Hands   *handsNode   `parser:"| @@"`
	Gate    *gateNode    `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type coderField struct {
	Word  lexer.Token `parser:"@'coder':Keyword"`
	Value *valueNode  `parser:"@@"`
}

type reviewStmt struct {
	Grants  *grantsNode  `parser:"( @@"`
	Hands   *handsNode   `parser:"| @@"`
	Gate    *gateNode    `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

// A task has no gates. They are read so that the compiler can say so.
type taskStmt struct {
	Value   *taskValue   `parser:"( @@"`
	Grants  *grantsNode  `parser:"| @@"`
	Hands   *handsNode   `parser:"| @@"`
	Gate    *gateNode    `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type taskValue struct {
	Word  lexer.Token `parser:"@('goal':Keyword | 'coder':Keyword | 'turns':Keyword)"`
	Value *valueNode  `parser:"@@"`
}

type grantsNode struct {
	Tools  *listNode    `parser:"'grants':Keyword @@"`
	InWord *lexer.Token `parser:"( @'in':Name"`
	In     *listNode    `parser:"  @@ )?"`
}

type handsNode struct {
	Word lexer.Token `parser:"@'hands':Keyword"`
	To   lexer.Token `parser:"@'to':Name"`
	List *listNode   `parser:"@@"`
}

type gateNode struct {
	Head *gateHead   `parser:"@@"`
	Body []*gateStmt `parser:"'{':Punct @@* '}':Punct"`
}

type gateHead struct {
	Phase lexer.Token  `parser:"@('pre_execute':Keyword | 'post_execute':Keyword)"`
	Title *lexer.Token `parser:"@Text?"`
}

type gateStmt struct {
	List    *gateList    `parser:"( @@"`
	Proceed *proceedNode `parser:"| @@"`
	Route   *routeNode   `parser:"| @@"`
	Unknown *unknownNode `parser:"| @@ ) End"`
}

type gateList struct {
	Word lexer.Token `parser:"@('panel':Keyword | 'observe':Keyword)"`
	List *listNode   `parser:"@@"`
}

type proceedNode struct {
	All  *lexer.Token `parser:"'proceed':Keyword 'when':Name ( @'all':Name"`
	Need *valueNode   `parser:"| @@"`
	Of   *valueNode   `parser:"  'of':Name @@ ) 'pass':Name"`
}

type routeNode struct {
	Verdict lexer.Token `parser:"@Name '->':Punct"`
	Steps   []*stepNode `parser:"@@ ('then':Name @@)*"`
}

type stepNode struct {
	Word lexer.Token `parser:"@Name"`
	Arg  *valueNode  `parser:"((?! 'then':Name) @@)?"`
}

// An unknown statement is any tokens, and a block of the like. In such a block
// a statement need not even begin with a word.
type unknownNode struct {
	Word   lexer.Token    `parser:"@Unknown"`
	Tokens []lexer.Token  `parser:"@!('{':Punct | '}':Punct | End)*"`
	Body   []*unknownStmt `parser:"('{':Punct @@* '}':Punct)?"`
}

type unknownStmt struct {
	Unknown *unknownNode   `parser:"( @@"`
	Tokens  []lexer.Token  `parser:"| @!('{':Punct | '}':Punct | Unknown | End)+"`
	Behind  []*unknownStmt `parser:"  ('{':Punct @@* '}':Punct)?"`
	Body    []*unknownStmt `parser:"| '{':Punct @@* '}':Punct ) End"`
}

// The parts of statements.

type timeoutNode struct {
	Word  lexer.Token `parser:"@'timeout':Name"`
	Value *valueNode  `parser:"@@"`
}

type listNode struct {
	Items []*valueNode `parser:"@@ (',':Punct @@)*"`
}

type valueNode struct {
	Text     *lexer.Token `parser:"  @Text"`
	Number   *lexer.Token `parser:"| @Number"`
	Duration *lexer.Token `parser:"| @Duration"`
	Ref      *refNode     `parser:"| @@"`
}

type refNode struct {
	First  lexer.Token  `parser:"@Name"`
	Second *lexer.Token `parser:"('.':Punct @Name)?"`
}
