package compiler

import (
	"fmt"
	"maps"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// stage compares a stage with what it was, or with what stands in its place.
func (c *comparison) stage(old string) {
	now, ok := c.stages[old]
	if !ok {
		c.stageGone(old)
		return
	}
	c.granted(old, now)
	c.hands(old, now)
	was, is := c.was.plan.Stages[old], c.is.plan.Stages[now]
	switch {
	case was.Kind == plan.Task:
	case is.Kind == plan.Task:
		c.found.Add(weaker(diag.SN915, headerOf(c.is.declared[now]), "declare a "+was.Kind+" again, with its gates",
			"%s stands where %s stood: nothing judges its work", c.calledNow(now), c.calledThen(old)))
	default:
		c.gates(old, now)
	}
}

// hands reports a stage that judges, and to which another one does not lead any
// more.
func (c *comparison) hands(old, now string) {
	for _, next := range c.was.plan.Stages[old].HandsTo {
		heir, ok := c.stages[next]
		if !ok || c.was.plan.Stages[next].Kind == plan.Task || slices.Contains(c.is.plan.Stages[now].HandsTo, heir) {
			continue
		}
		c.found.Add(weaker(diag.SN916, headerOf(c.is.declared[now]), fmt.Sprintf("write `hands to %s` again", word(heir)),
			"%s no longer hands to %s", c.calledNow(now), c.calledNow(heir)))
	}
}

// stageGone reports a stage that nothing replaces. With a mode goes a way to
// get work accepted, so that it is missed only for what decides nowhere else.
func (c *comparison) stageGone(old string) {
	var only []string
	for v := range c.was.deciding(old) {
		if heir, ok := c.validators[v]; !ok || !c.decidesSomewhere(heir) {
			only = append(only, v)
		}
	}
	switch kind := c.was.plan.Stages[old].Kind; {
	case kind == plan.Task:
	case len(only) > 0:
		c.found.Add(weaker(diag.SN916, c.is.head(), "declare it again, or let another stage ask them",
			"%s is gone, and %s decided nowhere else", c.calledThen(old), list(wordsOf(only))))
	case kind == plan.Review:
		c.found.Add(weaker(diag.SN916, c.is.head(), "declare it again", "%s is gone, and judges nothing any more", c.calledThen(old)))
	}
}

func (c *comparison) decidesSomewhere(validator string) bool {
	for name := range c.is.plan.Stages {
		if _, ok := c.is.deciding(name)[validator]; ok {
			return true
		}
	}
	return false
}

// granted reports tools and powers that a stage did not have, and those that
// reach further than they did.
func (c *comparison) granted(old, now string) {
	was, is := c.was.declared[old].(*stageForm), c.is.declared[now].(*stageForm)
	before, after := reachOf(was.grants), reachOf(is.grants)
	for _, tool := range plan.Tools {
		then, had := before[tool]
		r, has := after[tool]
		switch {
		case !has:
		case !had:
			at, _ := is.holds(tool)
			c.found.Add(weaker(diag.SN913, at.Range, "leave it out", "%s is granted `%s`, and was not", c.calledNow(now), tool))
		case len(then.beyond(r)) > 0:
			c.found.Add(weaker(diag.SN913, r.line.node.Range, "keep it to "+list(then.globs)+", as it was",
				"%s may use `%s` on more paths: %s", c.calledNow(now), tool, list(then.beyond(r))))
		}
	}
}

// newStages reports stages that replace nothing and bring what was not there:
// a lane without judges, or a power that only one stage can hold.
func (c *comparison) newStages() {
	heirs := slices.Collect(maps.Values(c.stages))
	for _, name := range slices.Sorted(maps.Keys(c.is.plan.Stages)) {
		if slices.Contains(heirs, name) {
			continue
		}
		f := c.is.declared[name].(*stageForm)
		if c.is.plan.Stages[name].Kind == plan.Task {
			c.found.Add(weaker(diag.SN915, headerOf(f), "declare a mode, with gates that judge its work",
				"%s is new: nothing judges its work", c.calledNow(name)))
		}
		for _, power := range []string{"approve", "merge"} {
			if at, ok := f.holds(power); ok {
				c.found.Add(weaker(diag.SN913, at.Range, "leave it to who held it", "%s is new, and is granted `%s`", c.calledNow(name), power))
			}
		}
	}
}

// starts reports that a run begins in another stage, in which not everything
// decides that decided where it began, or whose gates are less strict.
func (c *comparison) starts() {
	old, now := c.was.plan.Protocol.Starts, c.is.plan.Protocol.Starts
	if c.was.protocol() == nil || c.stages[old] == now || c.isNewTask(now) {
		return
	}
	p := c.is.protocol()
	at := orElse(p.starts, ofRef, p.decl.Header)
	const help = "let it begin where it began, or let the new one ask as much"
	after := c.is.deciding(now)
	var missing []string
	for v, phase := range c.was.deciding(old) {
		if after[c.validators[v]] != phase {
			missing = append(missing, v)
		}
	}
	if len(missing) > 0 {
		c.found.Add(weaker(diag.SN916, at, help, "a run begins in `%s` and not in `%s`, and %s %s not decide there",
			now, old, list(wordsOf(missing)), does(len(missing))))
		return
	}
	// Both stages may be what they were, so that nothing of this is reported
	// where they are compared with themselves.
	apart := *c
	apart.found = nil
	apart.gates(old, now)
	if len(apart.found) == 0 {
		return
	}
	d := weaker(diag.SN916, at, help, "a run begins in `%s` and not in `%s`, which was stricter", now, old)
	for _, f := range apart.found {
		d.Related = append(d.Related, diag.Related{Range: f.Range, Message: f.Message})
	}
	c.found.Add(d)
}

func does(n int) string {
	if n == 1 {
		return "does"
	}
	return "do"
}

// isNewTask reports whether a stage is a task that was reported as new.
func (c *comparison) isNewTask(name string) bool {
	if c.is.plan.Stages[name].Kind != plan.Task {
		return false
	}
	for old, now := range c.stages {
		if now == name {
			return c.was.plan.Stages[old].Kind != plan.Task
		}
	}
	return true
}

// protects reports globs whose paths are not protected any more.
func (c *comparison) protects() {
	was, is := c.was.protocol(), c.is.protocol()
	if was == nil || is == nil {
		return
	}
	var open []string
	now := indexGlobs(values(is.protects))
	for _, g := range was.protects {
		if !now.covers(g.Value) {
			open = append(open, g.Value)
		}
	}
	if len(open) == 0 {
		return
	}
	at := is.decl.Header
	if n := len(is.protects); n > 0 {
		at = is.protects[0].Range.To(is.protects[n-1].Range)
	}
	c.found.Add(weaker(diag.SN914, at, "protect it again", "%s no longer protects %s", called(is.decl), list(open)))
}

// people reports that somebody else may answer or rule, or prove it less.
func (c *comparison) people() {
	for old, now := range c.roles {
		was, is := c.was.plan.Roles[old].Key, c.is.plan.Roles[now].Key
		f := c.is.declared[now]
		switch at := orElse(f.declaration().Key, ofText, headerOf(f)); {
		case was == nil:
		case is == nil:
			c.found.Add(weaker(diag.SN912, at, fmt.Sprintf("pin it again: `key %q`", *was), "%s has no key any more: anybody may rule in its name", c.calledNow(now)))
		case *is != *was:
			c.found.Add(weaker(diag.SN912, at, "it was: "+quote(*was), "%s has another key: somebody else may rule in its name", c.calledNow(now)))
		}
	}
	for old, now := range c.evidence {
		c.owner(old, now)
	}
}

// owner reports that an evidence comes from somebody else. Without an owner it
// comes from whoever the routes ask, which is compared where they stand.
func (c *comparison) owner(old, now string) {
	was, is := c.was.plan.Evidence[old].Owner, c.is.plan.Evidence[now].Owner
	f := c.is.declared[now].(*evidenceForm)
	const route = "the role that the route asks"
	switch {
	case is == nil && was == nil:
	case is == nil:
		c.found.Add(weaker(diag.SN912, f.decl.Header, fmt.Sprintf("write `from %s` again", word(*was)),
			"%s comes from %s, and came from `%s`", c.calledNow(now), route, word(*was)))
	case was == nil:
		for _, role := range c.was.answering(old) {
			if c.roles[role] != *is {
				c.found.Add(weaker(diag.SN912, f.from.Range, "leave it out", "%s comes from `%s`, and came from %s", c.calledNow(now), word(*is), route))
				return
			}
		}
	case c.roles[*was] != *is:
		c.found.Add(weaker(diag.SN912, f.from.Range, fmt.Sprintf("write `from %s` again", word(*was)),
			"%s comes from `%s`, and came from `%s`", c.calledNow(now), word(*is), word(*was)))
	}
}

// answering returns the roles that are asked where a judge may request an
// evidence.
func (s snapshot) answering(evidence string) []string {
	var out []string
	for name := range s.plan.Stages {
		for _, g := range s.gates(name) {
			for _, v := range g.Panel {
				if j, ok := s.plan.Validators[v].(*plan.Judge); ok && slices.Contains(j.Requests, evidence) {
					out = append(out, asked(g.Next.Unclear))
				}
			}
		}
	}
	return out
}

// commands reports commands, other than those of checks, whose outcome others
// rely on.
func (c *comparison) commands() {
	for old, now := range c.evidence {
		was, is := c.was.plan.Evidence[old].Obtain, c.is.plan.Evidence[now].Obtain
		if is == nil || was != nil && slices.Equal(was.Argv, is.Argv) {
			continue
		}
		argv := c.is.declared[now].(*evidenceForm).obtain.argv
		at := argv[0].Range.To(argv[len(argv)-1].Range)
		if was == nil {
			c.found.Add(weaker(diag.SN904, at, "leave it out", "%s is obtained by a command, and somebody answered it", c.calledNow(now)))
			continue
		}
		c.found.Add(weaker(diag.SN904, at, fmt.Sprintf("it was: `%s`", joinComma(quotedTexts(was.Argv))),
			"%s is obtained by another command", c.calledNow(now)))
	}
	if c.was.protocol() != nil && c.is.protocol() != nil {
		c.prepared(c.was.protocol().prepare, c.is.protocol())
	}
}

// prepared reports that what checks see is made by another command, or by one
// more or less.
func (c *comparison) prepared(was *command, p *protocolForm) {
	switch is := p.prepare; {
	case was == nil && is == nil:
	case is == nil:
		c.found.Add(weaker(diag.SN904, p.decl.Header, fmt.Sprintf("write `prepare %s` again", was.text.Raw),
			"no command prepares the folders that are checked any more, and one did"))
	case was == nil:
		c.found.Add(weaker(diag.SN904, is.text.Range, "leave it out", "a command prepares every folder that is checked, and there was none"))
	case was.text.Value != is.text.Value:
		c.found.Add(weaker(diag.SN904, is.text.Range, "it was: "+quote(was.text.Value), "another command prepares every folder that is checked"))
	}
}

// evidenceSays reports that a request has other words or other parameters.
func (c *comparison) evidenceSays() {
	for old, now := range c.evidence {
		was, is := c.was.plan.Evidence[old], c.is.plan.Evidence[now]
		f := c.is.declared[now].(*evidenceForm)
		switch {
		case was.Request != is.Request:
			c.found.Add(weaker(diag.SN908, f.decl.Title.Range, "it was: "+quote(was.Request), "%s asks for something else", c.calledNow(now)))
		case canonical(was.Params) != canonical(is.Params):
			c.found.Add(weaker(diag.SN908, f.decl.Header, "write the parameters again as they were", "%s has other parameters", c.calledNow(now)))
		}
	}
}

func quotedTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = fmt.Sprintf("%q", t)
	}
	return out
}
