package importer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A policy is how a gate decides, as far as anything says so.
type policy struct {
	quorum *quorum
	routes map[string]*entry // by verdict: what on_warn and the like say
	owner  string            // what they are reported under
}

// policies are those of the phases.
type policies map[string]policy

// A quorum is how many passes a gate needs, as it was written.
type quorum struct {
	key    string
	text   string
	line   int
	need   func(members int) int
	of     int  // the number of members that it was written for, or 0
	worded bool // it says no number, so the result is reported
	used   bool // a gate counts by it
}

var quorumKeys = []string{"quorum", "require", "required", "requires", "threshold", "min_passes", "min_pass", "passes", "minimum", "strategy", "type", "policy", "rule", "proceed_when"}

// routeKeys are the spellings of what happens for a verdict.
var routeKeys = map[string][]string{
	"warn":    {"on_warn", "on_warning", "warn"},
	"blocker": {"on_blocker", "on_block", "on_fail", "on_failure", "blocker"},
	"unclear": {"on_unclear", "on_uncertain", "unclear"},
}

// short is the quorum as it was written.
func (q *quorum) short() string { return q.key + ": " + q.text }

// readPolicies understands a policy: a word or a number for both phases, or a
// mapping, of the phases or for both.
func (im *importer) readPolicies(b *block, e *entry, owner string) policies {
	b.carry(e.takeComments())
	what := of(owner, e.key)
	n := e.value
	if n.kind == scalar {
		q := im.quorum(b, e, what)
		return policies{pre: {quorum: q, owner: what}, post: {quorum: q, owner: what}}
	}
	if n.kind == list {
		e.taken = false
		return nil
	}
	out := policies{}
	for _, inner := range n.fields {
		phase := phases[fold(inner.key)]
		if phase == "" {
			continue
		}
		inner.taken = true
		if inner.value.kind == mapping {
			out[phase] = im.readPolicy(b, inner.value, of(what, inner.key))
		} else if inner.value.kind == list {
			im.odd(b, inner.line, of(what, inner.key), inner.value)
		} else {
			out[phase] = policy{quorum: im.quorum(b, inner, of(what, inner.key)), owner: of(what, inner.key)}
		}
	}
	rest := im.readPolicy(b, n, what)
	for _, phase := range []string{pre, post} {
		if _, there := out[phase]; !there {
			out[phase] = rest
		}
	}
	return out
}

func (im *importer) readPolicy(b *block, n *node, what string) policy {
	p := policy{routes: map[string]*entry{}, owner: what}
	for _, verdict := range []string{"warn", "blocker", "unclear"} {
		if e := n.takeScalar(routeKeys[verdict]...); e != nil {
			p.routes[verdict] = e
		}
	}
	if e := n.takeScalar(quorumKeys...); e != nil {
		p.quorum = im.quorum(b, e, of(what, e.key))
		if of := n.takeScalar("of", "out_of", "total", "members"); of != nil && p.quorum != nil {
			if total, err := strconv.Atoi(of.value.text); err == nil {
				p.quorum.of, p.quorum.text = total, p.quorum.text+" of "+of.value.text
			} else {
				of.taken = false
			}
		}
	}
	im.leftovers(b, n, what)
	return p
}

var (
	numbersOf  = regexp.MustCompile(`^(\d{1,6}) ?(?:of|/|out of) ?(\d{1,6})$`)
	number     = regexp.MustCompile(`^\d{1,6}$`)
	percentage = regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,3})?) ?%$`)
	share      = regexp.MustCompile(`^0?\.\d{1,4}$`)
)

// quorum understands how many passes are needed. What says nothing that is
// known needs all of them.
func (im *importer) quorum(b *block, e *entry, what string) *quorum {
	words := strings.ToLower(oneLine(e.value.text))
	q := &quorum{key: e.key, text: oneLine(e.value.text), line: e.line, worded: true}
	ofShare := func(s float64) func(int) int {
		return func(members int) int {
			need := int(s*float64(members) + 0.999999)
			return max(1, need)
		}
	}
	switch m := numbersOf.FindStringSubmatch(words); {
	case m != nil:
		k, _ := strconv.Atoi(m[1])
		q.of, _ = strconv.Atoi(m[2])
		q.need, q.worded = func(int) int { return k }, false
	case number.MatchString(words):
		k, _ := strconv.Atoi(words)
		q.need, q.worded = func(int) int { return k }, false
	case percentage.MatchString(words):
		s, _ := strconv.ParseFloat(percentage.FindStringSubmatch(words)[1], 64)
		q.need = ofShare(s / 100)
	case share.MatchString(words):
		s, _ := strconv.ParseFloat(words, 64)
		q.need = ofShare(s)
	case slices.Contains([]string{"unanimous", "all", "unanimity", "everyone", "all pass", "1.0"}, words):
		q.need, q.worded = func(members int) int { return members }, false
	case words == "majority":
		q.need = func(members int) int { return members/2 + 1 }
	case words == "quorum":
		q.need = ofShare(0.67) // two thirds, as the older engine counted them
	case words == "any" || words == "one" || words == "first":
		q.need = func(int) int { return 1 }
	default:
		im.ask(b, e.line, what+": "+q.text, "no number of passes is meant by it; all must pass until you write one")
		return nil
	}
	return q
}

// passes returns how many of a panel must pass, and says where that is not
// what was written.
func (im *importer) passes(s *stage, phase string, q *quorum, members int) int {
	if q == nil {
		return members
	}
	q.used = true
	where := s.name + ": " + phase + ": " + q.short()
	need := q.need(members)
	wanted := need
	if q.of > 0 {
		need = max(need, members-(q.of-need)) // no more may be missing than was written
	}
	need = min(max(need, 1), members)
	switch {
	case wanted > members || wanted < 1:
		im.note(&s.notes, q.line, where, "the panel has "+strconv.Itoa(members)+", so "+counted(need, members))
	case q.of > 0 && q.of != members:
		im.note(&s.notes, q.line, where, "the panel has "+strconv.Itoa(members)+", so "+counted(need, members)+"; say whether that is what you mean")
	case q.worded:
		im.say(Line{q.line, where, counted(need, members)})
	}
	return need
}

func counted(need, members int) string {
	if need == members {
		return "all must pass"
	}
	return strconv.Itoa(need) + " of " + strconv.Itoa(members) + " must pass"
}

// The words for what may happen for a verdict.
var (
	haltWords    = []string{"halt", "stop", "block", "fail", "abort", "reject"}
	recoverWords = []string{"recover", "retry", "fix", "recovery"}
	askWords     = []string{"ask", "escalate", "human", "review", "authorize", "pause"}
)

// routeOf returns the route of a verdict in a stage's gate.
func (im *importer) routeOf(s *stage, phase, verdict string) string {
	d := im.depthOf(s)
	route := im.stepsOf(s, phase, verdict, d.times)
	if strings.Contains(route, "recover "+strconv.Itoa(d.times)+" ") {
		d.used = true
	}
	return route
}

func (im *importer) stepsOf(s *stage, phase, verdict string, times int) string {
	said := im.policyOf(s, phase).routes[verdict]
	im.consulted[said] = true
	end, steps := "ask "+im.asked(), ""
	if verdict == "blocker" {
		end = "halt"
	}
	mayRecover := phase == post && !s.review && verdict != "unclear" && times > 0
	if verdict == "blocker" && mayRecover {
		steps = "recover " + strconv.Itoa(times) + " then "
	}
	if said == nil {
		return steps + end
	}
	word, argument, _ := strings.Cut(fold(said.value.text), "_")
	if n, err := strconv.Atoi(strings.TrimSpace(argument)); err == nil && n >= 1 && n <= maxRecover {
		times = n
	}
	where := s.name + ": " + phase + ": " + said.key + ": " + oneLine(said.value.text)
	switch {
	case slices.Contains(haltWords, word) && verdict != "unclear":
		return "halt"
	case slices.Contains(recoverWords, word) && mayRecover:
		return "recover " + strconv.Itoa(times) + " then " + end
	case slices.Contains(askWords, word) && verdict != "blocker":
		if role := im.roleCalled(argument); role != "" {
			return "ask " + role
		}
		if argument != "" {
			im.note(&s.notes, said.line, where, "there is no such role, so it is: "+end)
		}
		return end
	case slices.Contains(recoverWords, word) && verdict != "unclear":
		im.note(&s.notes, said.line, where, "here nobody could repair anything, so it is: "+steps+end)
	case slices.Contains(askWords, word):
		im.note(&s.notes, said.line, where, "a blocker cannot be overruled, so it is: "+steps+end)
	case verdict == "unclear":
		im.note(&s.notes, said.line, where, "an unclear verdict always has somebody to ask, so it is: "+end)
	default:
		im.note(&s.notes, said.line, where, "nothing is routed to proceeding, so it is: "+steps+end+"; how many warns a gate tolerates is said by `proceed when K of N pass`")
	}
	return steps + end
}

// idle reports what a policy says and no gate has a use for.
func (im *importer) idle(b *block, all policies) {
	for _, phase := range []string{pre, post} {
		p := all[phase]
		if q := p.quorum; q != nil && !q.used {
			q.used = true
			im.note(b, q.line, of(p.owner, q.short()), "no gate counts by it: nothing votes there")
		}
		for _, verdict := range []string{"warn", "blocker", "unclear"} {
			if e := p.routes[verdict]; e != nil && !im.consulted[e] {
				im.consulted[e] = true
				im.note(b, e.line, of(p.owner, e.key+": "+oneLine(e.value.text)), "no gate has a use for it: nothing there says "+verdict)
			}
		}
	}
}

// roleCalled returns the role that a word of a policy names, or "".
func (im *importer) roleCalled(word string) string {
	for _, r := range im.roles {
		if word != "" && fold(r.name) == fold(word) {
			return r.name
		}
	}
	return ""
}

// policyOf returns the policy of a stage in a phase: its own, else the
// protocol's, each member by itself.
func (im *importer) policyOf(s *stage, phase string) policy {
	own, all := s.policy[phase], im.policy[phase]
	out := policy{quorum: own.quorum, routes: map[string]*entry{}}
	if out.quorum == nil {
		out.quorum = all.quorum
	}
	for _, verdict := range []string{"warn", "blocker", "unclear"} {
		if out.routes[verdict] = own.routes[verdict]; out.routes[verdict] == nil {
			out.routes[verdict] = all.routes[verdict]
		}
	}
	return out
}
