package lang

// A scope is where a statement stands: it decides which first words are known.
type scope int

const (
	fileScope scope = iota
	protocolScope
	evidenceScope
	criteriaScope
	judgeScope
	checkScope
	ruleScope
	controlsScope
	coderScope
	modeScope
	reviewScope
	taskScope
	gateScope
	unknownScope // inside a block that is not known: nothing is
)

// scopes are the scopes of the blocks that declarations open. A role opens
// none.
var scopes = map[Kind]scope{
	KindProtocol: protocolScope,
	KindEvidence: evidenceScope,
	KindCriteria: criteriaScope,
	KindJudge:    judgeScope,
	KindCheck:    checkScope,
	KindRule:     ruleScope,
	KindControls: controlsScope,
	KindCoder:    coderScope,
	KindMode:     modeScope,
	KindReview:   reviewScope,
	KindTask:     taskScope,
}

// known are the first words that are fields, by scope. In a gate, any name
// before an arrow is a route besides, and so is a verdict whatever follows it.
var known = map[scope]map[string]bool{
	fileScope:     topWords,
	protocolScope: set("starts", "protects", "prepare"),
	evidenceScope: set("obtain"),
	criteriaScope: set("criterion"),
	judgeScope: set("phase", "grants", "requests", "returns", "model", "turns", "tokens", "timeout",
		"include", "criterion"),
	checkScope:    set("phase", "run"),
	ruleScope:     set("phase", "files_in_scope", "tests_exist_for_modified", "no_secrets_in_diff"),
	controlsScope: set("good", "bad", "undecidable"),
	coderScope:    set("run", "model", "turns", "tokens", "timeout"),
	modeScope:     set("coder", "grants", "hands", "pre_execute", "post_execute"),
	reviewScope:   set("grants", "hands", "pre_execute", "post_execute"),
	taskScope:     set("goal", "coder", "grants", "turns", "hands", "pre_execute", "post_execute"),
	gateScope:     set("panel", "observe", "proceed"),
}

// topWords are the words that a statement outside every block begins with.
var topWords = set("snodo", "import", "protocol", "role", "evidence", "criteria", "judge", "check", "rule",
	"controls", "coder", "mode", "review", "task")

// gateWords are the phases: before a block in a stage they open a gate.
var gateWords = set("pre_execute", "post_execute")

// continuations are the words that, at the beginning of a line, go on with
// the statement above.
var continuations = set("then", "in", "tested", "violates", "needs", "from")

func set(words ...string) map[string]bool {
	s := make(map[string]bool, len(words))
	for _, w := range words {
		s[w] = true
	}
	return s
}
