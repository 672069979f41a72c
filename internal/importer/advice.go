package importer

import (
	"fmt"
	"strings"
)

// advice says what holds here in the place of a key of the older engine that
// chose between behaviours, or that steered something which is not steered.
var advice = map[string]string{
	"abstain":                "no equivalent: there is no abstention; a judge that cannot tell says unclear, and what is missing is asked for",
	"abstention_policy":      "no equivalent: there is no abstention; a judge that cannot tell says unclear, and what is missing is asked for",
	"allow_failure":          "no equivalent: what was not weighed is an error, and halts",
	"auto_approve":           "no equivalent: nobody approves what their own stage wrote; a review that is granted approve does",
	"auto_merge":             "no equivalent: merge is a power; grant it to the one stage that shall hold it",
	"check_tool_access":      "no equivalent: a judge is offered what it is granted, and says unclear where that does not suffice",
	"confidence":             "no equivalent: a verdict is a verdict, with no number to it",
	"continue_on_error":      "no equivalent: what was not weighed is an error, and halts",
	"default_verdict":        "no equivalent: a verdict that does not come is an error, and halts",
	"delivery":               "no equivalent: how work is delivered is what the stage is granted: commit, publish or merge",
	"enabled":                "no equivalent: what stands in a gate runs",
	"exclusive_tools":        "no equivalent: merge and approve belong to at most one stage, and that cannot be changed",
	"expression":             "it was never enforced; a rule is one of three predicates, and everything else a check or a criterion",
	"fail_open":              "no equivalent: what was not weighed is an error, and halts",
	"fallback":               "no equivalent: what was not weighed is an error, and halts",
	"max_total_fix_attempts": "no equivalent: each route says how often it recovers",
	"max_abstention_retries": "no equivalent: there is no abstention; a judge that cannot tell says unclear, and what is missing is asked for",
	"metadata":               "no equivalent: the runtime reads no notes",
	"min_confidence":         "no equivalent: a verdict is a verdict, with no number to it",
	"modules":                "no equivalent: a package for each module, or grants with `in`, hold a coder to a part of the tree",
	"judges_spec":            "no equivalent: the phase says what is judged: the proposal before the work, the result after it",
	"on_abstain":             "no equivalent: there is no abstention; a judge that cannot tell says unclear, and what is missing is asked for",
	"on_error":               "no equivalent: what was not weighed is an error, and halts",
	"on_timeout":             "no equivalent: what was not weighed in time is an error, and halts",
	"permissions":            "it was never enforced; who may rule is said by the route that asks, and by the role's key",
	"queue":                  "no equivalent: a run is one stage, begun by whoever runs it",
	"responsibilities":       "it was never enforced; what somebody is asked for is an evidence with its owner",
	"retries":                "no equivalent: a call that fails is repeated by the runtime, a verdict never",
	"retry":                  "no equivalent: a call that fails is repeated by the runtime, a verdict never",
	"max_retries":            "no equivalent: a call that fails is repeated by the runtime, a verdict never",
	"scope":                  "no equivalent: a judge's subject is the proposal or the result, never a part or a group of them",
	"skip":                   "no equivalent: what stands in a gate runs",
	"soft_fail":              "no equivalent: what was not weighed is an error, and halts",
	"strict":                 "no equivalent: there is one strictness",
	"temperature":            "no equivalent: a judge is asked with the endpoint's own setting",
	"threshold":              "no equivalent: a gate counts passes",
	"version":                "no equivalent: a plan is known by the digest of its sources",
	"weight":                 "no equivalent: every pass counts one, and a blocker cannot be outvoted",
	"write_allowed_prefixes": "no equivalent: what a coder may write is said by the `in` of its grants",
}

// leftovers writes what nobody took of a mapping as comments, and reports it.
// Owner is whose keys they are, "" for the protocol's.
func (im *importer) leftovers(b *block, n *node, owner string) {
	for _, e := range n.left() {
		e.taken = true
		im.leftover(b, e, owner)
	}
}

func (im *importer) leftover(b *block, e *entry, owner string) {
	became, known := advice[fold(e.key)]
	if !known {
		became = "no equivalent"
	}
	if e.value.anchor && !known {
		became = "no equivalent of an anchor; what it stands for is written out wherever it is referred to"
	}
	b.carry(e.takeComments())
	written := entryLines(e.key+":", "", e.value)
	if len(written) == 1 {
		im.note(b, e.line, of(owner, written[0]), became)
		return
	}
	im.note(b, e.line, of(owner, e.key), became+"; it stands here as it was written")
	b.quote(written...)
}

// odd writes something of a kind that says nothing where it stands.
func (im *importer) odd(b *block, line int, what string, n *node) {
	if n.blank() {
		return
	}
	im.note(b, line, what, "it is not of a kind that says something here; it stands here as it was written")
	b.quote(entryLines("-", "", n)...)
}

// of says whose something is.
func of(owner, what string) string {
	if owner == "" {
		return what
	}
	return fmt.Sprintf("%s: %s", owner, strings.TrimSpace(what))
}
