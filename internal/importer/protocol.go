package importer

import (
	"fmt"
	"strconv"
	"strings"
)

// protocol understands the YAML from its top.
func (im *importer) protocol(root *node) {
	lift(root)
	if len(root.fields) > 0 {
		im.head.lead = root.fields[0].above()
	}
	modes := section(root, "modes", "stages")
	for _, e := range modes {
		im.declareStage(e)
	}
	for _, e := range section(root, "validators", "validator", "judges") {
		im.declareValidator(e)
	}
	im.heading(root)
	im.roleSection(section(root, "roles"))
	im.tools(root)
	im.execution(root)
	if e := root.take("disagreement_policy", "policy", "policies", "consensus", "quorum"); e != nil {
		im.policy = im.readPolicies(&im.head.body, e, "")
	}
	for _, e := range section(root, "global_constraints", "constraints") {
		if r := im.constraint(e, &im.head.body, ""); r != nil {
			im.global = append(im.global, r)
		}
	}
	for _, s := range im.stages {
		im.readStage(s, root)
	}
	im.start()
	for _, v := range im.validators {
		im.finish(v)
	}
	im.ownChecks()
	im.leftovers(&im.head.body, root, "")
	if len(im.stages) == 0 {
		im.ask(&im.head.body, 0, "modes", "there is none, and a run begins in one; write a mode, a review or a task")
	}
}

// lift brings what stands in a mapping `protocol` to the top.
func lift(root *node) {
	e := root.find([]string{"protocol"})
	if e == nil || e.value.kind != mapping {
		return
	}
	var kept []*entry
	for _, inner := range e.value.fields {
		if root.has(fold(inner.key)) {
			kept = append(kept, inner)
			continue
		}
		root.fields = append(root.fields, inner)
	}
	e.value.fields = kept
	if len(kept) == 0 {
		e.taken = true
		if len(root.fields) > 0 {
			root.fields[0].comments = append(e.comments, root.fields[0].comments...)
		}
	}
}

// section takes a list or mapping of named things. Comments of its key are
// those of the first of them.
func section(n *node, keys ...string) []*entry {
	e := n.take(keys...)
	if e == nil {
		return nil
	}
	named := e.value.named()
	if len(named) > 0 {
		comments := e.comments
		e.comments = nil
		for i := range comments {
			comments[i].line = min(comments[i].line, named[0].line-1)
		}
		named[0].comments = append(comments, named[0].comments...)
	}
	return named
}

// An identity is how something is called.
type identity struct {
	written string // what others refer to it by
	line    int
	title   string
	more    string // a description that is no title
}

// maxTitle is how long a description may be that becomes a title, in bytes.
const maxTitle = 160

// identify takes the keys that name the thing that an entry holds. Kind is
// the older engine's word for such things.
func identify(e *entry, kind string) identity {
	id := identity{written: e.key, line: e.line}
	n := e.value
	if n.kind == scalar {
		if id.written == "" {
			id.written = n.text
		} else {
			id.title = n.text
		}
		return id
	}
	key := n.takeScalar(kind+"_id", "id", "slug")
	name := n.takeScalar("name", "title", "label")
	about := n.takeScalar("description", "summary", "purpose")
	switch {
	case key != nil:
		if id.written != "" && id.written != key.value.text {
			id.more = e.key
		}
		id.written = key.value.text
	case id.written == "" && name != nil:
		id.written = name.value.text
	}
	if name != nil && (name.value.text != id.written || mended(id.written, "x") != id.written) {
		id.title = name.value.text
	}
	if about != nil && id.title == "" && len(oneLine(about.value.text)) <= maxTitle {
		id.title = about.value.text
	} else if about != nil {
		id.more = about.value.text
	}
	return id
}

// describe writes a description that is no title.
func describe(b *block, id identity) {
	if strings.TrimSpace(id.more) != "" {
		b.quote(strings.Split(strings.TrimRight(id.more, "\n"), "\n")...)
	}
}

func (im *importer) heading(root *node) {
	h := &im.head
	id := identify(&entry{value: root, line: root.line}, "protocol")
	if e := root.takeScalar("protocol"); e != nil {
		if id.written != "" && id.title == "" && e.value.text != id.written {
			id.title = id.written
		} else if id.written != "" && id.written != e.value.text {
			id.more = strings.TrimSpace(id.written + "\n" + id.more)
		}
		id.written = e.value.text
	}
	if strings.TrimSpace(id.written) == "" {
		id.written = "imported"
		im.say(Line{0, "name", "the protocol has none, so it is called imported"})
	}
	h.title = id.title
	describe(&h.body, id)
	h.name = im.name(id.written, "protocol", id.line)
	h.protects = im.globsOf(&h.body, root.take("protected_paths", "protected", "protects"), "")
	if e := root.takeScalar("prepare", "prepare_command", "setup"); e != nil {
		h.prepare = e.value.text
	}
}

func (im *importer) start() {
	e := im.head.startsKey
	if e == nil {
		if len(im.stages) > 1 {
			im.head.starts = im.stages[0].name
			im.say(Line{0, "initial_mode", "it is not said, so a run begins in " + im.head.starts + ", the first"})
		}
		return
	}
	if s := im.stageOf[fold(e.value.text)]; s != nil {
		im.head.starts = s.name
		if s.name != e.value.text {
			im.say(Line{e.line, e.key + ": " + e.value.text, "a run begins in " + s.name})
		}
		return
	}
	became := "there is no such mode, and none is left to begin in"
	if len(im.stages) > 0 {
		im.head.starts = im.stages[0].name
		became = "there is no such mode; a run begins in " + im.head.starts + ", the first"
	}
	im.ask(&im.head.body, e.line, e.key+": "+e.value.text, became)
}

// A depth is how often findings go back to the coder.
type depth struct {
	times int
	line  int
	what  string // as it was written
	used  bool   // a route recovers by it
}

// maxRecover is how often a route may recover.
const maxRecover = 20

// defaultDepth is how often the older engine recovered where nothing was said.
const defaultDepth = 3

func (im *importer) execution(root *node) {
	im.head.startsKey = root.takeScalar("initial_mode", "starts", "start", "start_mode", "default_mode", "entry")
	b := &im.head.body
	if e := root.take("execution"); e != nil {
		if e.value.kind != mapping {
			e.taken = false
		} else {
			b.carry(e.comments)
			e.comments = nil
			im.depth = im.readDepth(b, e.value, "")
			if p := e.value.takeScalar("prepare_command", "prepare"); p != nil && im.head.prepare == "" {
				im.head.prepare = p.value.text
			}
			im.leftovers(b, e.value, "execution")
		}
	}
	if d := im.readDepth(b, root, ""); d != nil {
		im.depth = d
	}
}

// readDepth takes what says how often to recover, nil where nothing does.
func (im *importer) readDepth(b *block, n *node, owner string) *depth {
	e := n.takeScalar("max_recovery_depth", "recovery_depth", "max_recovery_attempts", "recovery")
	if e == nil {
		r := n.take("recovery")
		if r == nil {
			return nil
		}
		if r.value.kind == mapping {
			e = r.value.takeScalar("max_recovery_depth", "max_depth", "depth", "max_attempts", "attempts", "limit")
		}
		b.carry(r.comments)
		r.comments = nil
		if r.value.kind == list {
			im.odd(b, r.line, of(owner, r.key), r.value)
		}
		im.leftovers(b, r.value, of(owner, r.key))
		if e == nil {
			return nil
		}
	}
	times, err := strconv.Atoi(strings.TrimSpace(e.value.text))
	if err != nil || times < 0 {
		im.note(b, e.line, of(owner, e.key+": "+e.value.text), "no number of times; it is "+strconv.Itoa(defaultDepth)+", as the older engine had it by itself")
		return &depth{times: defaultDepth, used: true}
	}
	if times > maxRecover {
		im.note(b, e.line, of(owner, e.key+": "+e.value.text), fmt.Sprintf("a route recovers %d times at most", maxRecover))
		times = maxRecover
	}
	if times == 0 {
		im.say(Line{e.line, of(owner, e.key+": "+e.value.text), "a blocker halts"})
	}
	return &depth{times: times, line: e.line, what: of(owner, e.key+": "+e.value.text), used: times == 0}
}
