package lang

import (
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of the language, as participle reads it from struct tags. One
// token decides every choice: the keyer gives the first word of a statement
// the kind Keyword where it is known and Unknown where it is not, and puts
// End behind every statement. Literals name the kind of their token, so that
// no text is ever taken for a word or a brace.

type fileNode struct {
	Edition *editionNode  `parser:"@@"`
	Imports []*importNode `parser:"@@*"`
	Decls   []*declNode   `parser:"@@*"`
}

type editionNode struct {
	Number lexer.Token `parser:"'snodo':Keyword @Number End"`
}

type importNode struct {
	Path  lexer.Token  `parser:"'import':Keyword @Text"`
	Alias *lexer.Token `parser:"('as':Name @Name)? End"`
}

type declNode struct {
	Protocol *protocolNode `parser:"( @@"`
	Role     *roleNode     `parser:"| @@"`
	Evidence *evidenceNode `parser:"| @@"`
	Criteria *criteriaNode `parser:"| @@"`
	Judge    *judgeNode    `parser:"| @@"`
	Check    *checkNode    `parser:"| @@"`
	Rule     *ruleNode     `parser:"| @@"`
	Controls *controlsNode `parser:"| @@"`
	Coder    *coderNode    `parser:"| @@"`
	Mode     *modeNode     `parser:"| @@"`
	Review   *reviewNode   `parser:"| @@"`
	Task     *taskNode     `parser:"| @@"`
	Unknown  *unknownNode  `parser:"| @@ ) End"`
}

type protocolNode struct {
	Head *titleHead      `parser:"'protocol':Keyword @@"`
	Body []*protocolStmt `parser:"'{':Punct @@* '}':Punct"`
}

type roleNode struct {
	Head *roleHead `parser:"'role':Keyword @@"`
}

type evidenceNode struct {
	Head  *evidenceHead   `parser:"'evidence':Keyword @@"`
	Block *lexer.Token    `parser:"( @'{':Punct"`
	Body  []*evidenceStmt `parser:"@@* '}':Punct )?"`
}

type criteriaNode struct {
	Head *titleHead      `parser:"'criteria':Keyword @@"`
	Body []*criteriaStmt `parser:"'{':Punct @@* '}':Punct"`
}

type judgeNode struct {
	Head *titleHead   `parser:"'judge':Keyword @@"`
	Body []*judgeStmt `parser:"'{':Punct @@* '}':Punct"`
}

type checkNode struct {
	Head *titleHead   `parser:"'check':Keyword @@"`
	Body []*checkStmt `parser:"'{':Punct @@* '}':Punct"`
}

type ruleNode struct {
	Head *titleHead  `parser:"'rule':Keyword @@"`
	Body []*ruleStmt `parser:"'{':Punct @@* '}':Punct"`
}

type controlsNode struct {
	Head *controlsHead   `parser:"'controls':Keyword @@"`
	Body []*controlsStmt `parser:"'{':Punct @@* '}':Punct"`
}

type coderNode struct {
	Head *titleHead   `parser:"'coder':Keyword @@"`
	Body []*coderStmt `parser:"'{':Punct @@* '}':Punct"`
}

type modeNode struct {
	Head *titleHead  `parser:"'mode':Keyword @@"`
	Body []*modeStmt `parser:"'{':Punct @@* '}':Punct"`
}

type reviewNode struct {
	Head *titleHead    `parser:"'review':Keyword @@"`
	Body []*reviewStmt `parser:"'{':Punct @@* '}':Punct"`
}

type taskNode struct {
	Head *titleHead  `parser:"'task':Keyword @@"`
	Body []*taskStmt `parser:"'{':Punct @@* '}':Punct"`
}

// The headers, without their first word.

type titleHead struct {
	Name  lexer.Token  `parser:"@Name"`
	Title *lexer.Token `parser:"@Text?"`
}

type roleHead struct {
	Name lexer.Token  `parser:"@Name"`
	Text lexer.Token  `parser:"@Text"`
	Key  *lexer.Token `parser:"('key':Name @Text)?"`
}

type evidenceHead struct {
	Name   lexer.Token  `parser:"@Name '(':Punct"`
	Params []*paramNode `parser:"(@@ (',':Punct @@)*)? ')':Punct"`
	From   *refNode     `parser:"('from':Name @@)?"`
	Text   lexer.Token  `parser:"@Text"`
}

type paramNode struct {
	Name lexer.Token  `parser:"@Name"`
	One  *lexer.Token `parser:"( (?= 'one':Name 'of':Name) @'one':Name"`
	Of   *lexer.Token `parser:"  @'of':Name Text ((?= ',':Punct Text) ',':Punct Text)*"`
	Type *lexer.Token `parser:"| @Name )"`
	// Tokens are all of the parameter: participle fills a field of this name.
	// Its texts are the choices. Captured one by one, each would replace the
	// one before.
	Tokens []lexer.Token
}

type controlsHead struct {
	Subject *refNode `parser:"@@"`
}

// grammar is the whole of it. A choice is final as soon as one token of it
// has been taken, so parsing is linear and an error stands where it is. It is
// made when the first file is read: most commands read none.
var grammar = sync.OnceValue(func() *participle.Parser[fileNode] {
	return participle.MustBuild[fileNode](participle.Lexer(notation{}), participle.UseLookahead(0))
})
