package compiler

import (
	"slices"

	"github.com/snodo-lang/snodo/lang"
)

// A place is a kind of block, with the words that its statements begin with.
type place struct {
	name  string   // with its article
	words []string // in the order in which they are listed to people
}

// phrases are the words that begin a statement together with another one, and
// how the statement begins.
var phrases = map[string]string{"hands": "hands to", "proceed": "proceed when"}

// shown returns words as the statements that they begin are written.
func shown(words []string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if phrase, ok := phrases[w]; ok {
			out[i] = phrase
		}
	}
	return out
}

// The places of the language.
var (
	topLevel = place{"the top level of a file", []string{
		"import", "protocol", "role", "evidence", "criteria", "judge", "check", "rule", "controls", "coder", "mode", "review", "task",
	}}
	gatePlace = place{"a gate", []string{"panel", "observe", "proceed"}}

	places = map[lang.Kind]place{
		lang.KindProtocol: {"a protocol", []string{"starts", "protects", "prepare"}},
		lang.KindRole:     {"a role", nil},
		lang.KindEvidence: {"an evidence", []string{"obtain"}},
		lang.KindCriteria: {"criteria", []string{"criterion"}},
		lang.KindJudge: {"a judge", []string{
			"phase", "grants", "requests", "returns", "model", "turns", "tokens", "timeout", "include", "criterion",
		}},
		lang.KindCheck:    {"a check", []string{"phase", "run"}},
		lang.KindRule:     {"a rule", []string{"phase", "files_in_scope", "tests_exist_for_modified", "no_secrets_in_diff"}},
		lang.KindControls: {"controls", []string{"good", "bad", "undecidable"}},
		lang.KindCoder:    {"a coder", []string{"run", "model", "turns", "tokens", "timeout"}},
		lang.KindMode:     {"a mode", []string{"coder", "grants", "pre_execute", "post_execute", "hands"}},
		lang.KindReview:   {"a review", []string{"grants", "pre_execute", "post_execute", "hands"}},
		lang.KindTask:     {"a task", []string{"goal", "coder", "grants", "turns", "hands"}},
	}
)

// judging are the words of statements that judge, and so stand in no task.
var judging = set("pre_execute", "post_execute", "panel", "observe", "proceed", "criterion", "judge", "check", "rule")
