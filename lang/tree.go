package lang

import "github.com/snodo-lang/snodo/lang/diag"

// The syntax tree. It keeps what was written, in the order it was written,
// and judges nothing: a field may stand twice, a value may have the wrong
// kind, a word may be unknown. Every node knows its range.

// A File is one parsed source file.
type File struct {
	Path    string // as in the ranges of its nodes
	Edition *Edition
	// Late is an edition that does not stand first, in a file that has none.
	Late     *Edition
	Imports  []*Import
	Decls    []Decl
	Comments []Comment
	// Damaged says that a syntax error has cost the file an import or a
	// declaration, name and all, so that a name may be missing.
	Damaged bool
}

// A Comment is the text from // to the end of its line, the slashes included.
type Comment struct {
	Text  string
	Range diag.Range
}

// An Edition is the first statement of a file: snodo 1.
type Edition struct {
	Number Number
	Range  diag.Range
}

// A Node is a part of the tree.
type Node interface{ Span() diag.Range }

// An Import is one import statement. Alias is nil where none is written.
type Import struct {
	Path  Text
	Alias *Name
	Range diag.Range
}

// Span returns the range of the statement.
func (i *Import) Span() diag.Range { return i.Range }

// A Name is a bare word in a place where something is named or chosen.
type Name struct {
	Text  string
	Range diag.Range
}

// A Value is a Text, a Number, a Duration or a Ref. Whether its kind fits
// the place where it stands is for the compiler to say.
type Value interface {
	Span() diag.Range
	value()
}

// Text is a quoted text or a block. Value is what it means; Raw is what was
// written, quotes included.
type Text struct {
	Value string
	Raw   string
	Range diag.Range
}

// Number is a non-negative decimal number that fits 32 bits.
type Number struct {
	Value int
	Range diag.Range
}

// Duration is a length of time. Raw is what was written.
type Duration struct {
	Milliseconds int64
	Raw          string
	Range        diag.Range
}

// Ref is a name, or a name behind the alias of an import.
type Ref struct {
	Alias *Name // nil where there is no dot
	Name  Name
	Range diag.Range
}

// String returns the reference as it is written.
func (r Ref) String() string {
	if r.Alias != nil {
		return r.Alias.Text + "." + r.Name.Text
	}
	return r.Name.Text
}

// Span returns the range of the value.
func (v Text) Span() diag.Range     { return v.Range }
func (v Number) Span() diag.Range   { return v.Range }
func (v Duration) Span() diag.Range { return v.Range }
func (v Ref) Span() diag.Range      { return v.Range }

func (Text) value()     {}
func (Number) value()   {}
func (Duration) value() {}
func (Ref) value()      {}

// A Decl is a Declaration or, where nothing better can be said of a top-level
// statement, an Unknown.
type Decl interface {
	Span() diag.Range
	decl()
}

// Kind is the word that a declaration begins with.
type Kind string

// The kinds of declarations.
const (
	KindProtocol Kind = "protocol"
	KindRole     Kind = "role"
	KindEvidence Kind = "evidence"
	KindCriteria Kind = "criteria"
	KindJudge    Kind = "judge"
	KindCheck    Kind = "check"
	KindRule     Kind = "rule"
	KindControls Kind = "controls"
	KindCoder    Kind = "coder"
	KindMode     Kind = "mode"
	KindReview   Kind = "review"
	KindTask     Kind = "task"
)

// A Declaration is one named thing of a package. Its header is the part
// before the block; what stands in the block is Body.
type Declaration struct {
	Kind Kind
	// Word is the declaration word, Header the header without its brace.
	Word   Name
	Header diag.Range
	// Name is what is declared. For controls it is the validator they are
	// for, kept in Subject, and Name is the zero Name.
	Name    Name
	Subject *Ref
	// Title is the text behind the name; the text of a role, the request of
	// an evidence. Nil where there is none.
	Title *Text
	// Key is the pinned key of a role.
	Key *Text
	// Params and From belong to evidence.
	Params []*Param
	From   *Ref
	// Body is nil where there is no block, and never nil where there is one.
	Body  []Stmt
	Range diag.Range
	// Damaged says that a syntax error stands in the declaration, so rules
	// about something missing do not apply to it. Where the error stands in
	// a gate, the gate is Damaged too.
	Damaged bool
	// Guessed says that Name is a text that stands in the place of the name:
	// the name in quotes, or the title of something whose name is missing.
	Guessed bool
}

// A Param is one parameter of an evidence: name and type, where the type is a
// word, or a choice of texts behind "one of".
type Param struct {
	Name  Name
	Type  Name   // "one of" for a choice
	OneOf []Text // the choices
	Range diag.Range
}

// Span returns the range of the whole declaration.
func (d *Declaration) Span() diag.Range { return d.Range }
func (*Declaration) decl()              {}

// A Stmt is one statement of a block.
type Stmt interface {
	Span() diag.Range
	stmt()
}

// A Field is a word and its values: phase, turns, panel, run, hands to and
// their like. Word.Text of a field of two words has one space ("hands to").
// Timeout is the duration of a trailing timeout clause (run, prepare,
// obtain), nil where there is none; a timeout that stands alone is a Field.
type Field struct {
	Word    Name
	Values  []Value
	Timeout *Timeout
	Range   diag.Range
}

// A Timeout is the clause "timeout 5m" behind a command.
type Timeout struct {
	Word  Name
	Value Value
	Range diag.Range
}

// Grants is one line of granted tools, In the globs behind "in".
type Grants struct {
	Word   Name
	Tools  []Value
	InWord *Name // nil where the line has no "in"
	In     []Value
	Range  diag.Range
}

// A Criterion is one predicate that a judge rules on.
type Criterion struct {
	Word  Name
	Name  Name
	Text  Value
	Range diag.Range
}

// TestsExist is the predicate tests_exist_for_modified.
type TestsExist struct {
	Word     Name
	Modified []Value
	TestedBy []Value
	Range    diag.Range
}

// A Case is one known case of a controls block: good, bad or undecidable.
type Case struct {
	Word     Name
	Folder   Value
	Violates []Value // names of criteria, behind "violates"
	Needs    Value   // an evidence, behind "needs"
	Range    diag.Range
}

// A Gate is a block in a stage: the phase it belongs to, and its members.
type Gate struct {
	Phase   Name
	Title   *Text
	Header  diag.Range
	Body    []Stmt // *Field (panel, observe), *Proceed, *Route, *Unknown
	Range   diag.Range
	Damaged bool
}

// Proceed is the line "proceed when". For "all", All is set; otherwise Need
// and Of are the numbers written.
type Proceed struct {
	Word  Name
	All   *Name
	Need  Value
	Of    Value
	Range diag.Range
}

// A Route says what happens for a verdict.
type Route struct {
	Verdict Name
	Steps   []*Step
	Range   diag.Range
}

// A Step is one word of a route, with its role or number.
type Step struct {
	Word  Name
	Arg   Value // nil where there is none
	Range diag.Range
}

// Unknown is a statement whose first word is no field where it stands. It is
// kept so that the compiler can say what was meant.
type Unknown struct {
	Word   Name
	Tokens []Token // what follows the word up to the end of the statement or its block
	Body   []Stmt  // not nil where there is a block; statements in it are all Unknown
	Range  diag.Range
	// Meant is the statement as it reads with MeantWords in the place of
	// Word: a Stmt, or outside the blocks a *Declaration or an *Import. Its
	// first word has the range of Word. Nil where Word is near to no word, or
	// to several, that may stand here, where it is a word of another place,
	// and where what follows does not fit.
	Meant      Node
	MeantWords string // "judge", "hands to"
}

// Span returns the range of the statement.
func (s *Field) Span() diag.Range      { return s.Range }
func (s *Grants) Span() diag.Range     { return s.Range }
func (s *Criterion) Span() diag.Range  { return s.Range }
func (s *TestsExist) Span() diag.Range { return s.Range }
func (s *Case) Span() diag.Range       { return s.Range }
func (s *Gate) Span() diag.Range       { return s.Range }
func (s *Proceed) Span() diag.Range    { return s.Range }
func (s *Route) Span() diag.Range      { return s.Range }
func (s *Unknown) Span() diag.Range    { return s.Range }

func (*Field) stmt()      {}
func (*Grants) stmt()     {}
func (*Criterion) stmt()  {}
func (*TestsExist) stmt() {}
func (*Case) stmt()       {}
func (*Gate) stmt()       {}
func (*Proceed) stmt()    {}
func (*Route) stmt()      {}
func (*Unknown) stmt()    {}
func (*Unknown) decl()    {}

// Token is one token of the source, as far as a reader of the tree needs it.
type Token struct {
	Kind  TokenKind
	Text  string // as written
	Range diag.Range
}

// TokenKind is the kind of a Token.
type TokenKind int

// The kinds of tokens.
const (
	NameToken TokenKind = iota
	TextToken
	NumberToken
	DurationToken
	PunctToken // { } ( ) , . ->
	OtherToken // a printable character that fits nowhere
)
