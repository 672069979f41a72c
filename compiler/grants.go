package compiler

import (
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang"
)

func isReader(tool string) bool { return slices.Contains(plan.ReadTools, tool) }
func isWriter(tool string) bool { return slices.Contains(plan.WriteTools, tool) }
func isPower(tool string) bool  { return slices.Contains(plan.Powers, tool) }
func isTool(tool string) bool   { return slices.Contains(plan.Tools, tool) }

// takesPath reports whether a tool can be confined to paths.
func takesPath(tool string) bool { return isReader(tool) || isWriter(tool) }

// A granted tool that has passed: it exists and may stand where it does.
type granted struct {
	tool lang.Name
	line *grantLine
}

// checkGrants reports tools that do not exist or that their holder may not
// have.
func checkGrants(c *compilation) error {
	for _, u := range c.units {
		for _, j := range c.forms[u].judges {
			c.judgeGrants(j)
		}
		for _, s := range c.forms[u].stages {
			c.stageGrants(s)
		}
	}
	return nil
}

// eachTool calls refuse for every tool of the lines that exists, and returns
// those that it does not refuse. It is true where all were good. A tool that
// does not exist is reported as that alone, and one that is refused is not
// also told that it takes no path.
func (c *compilation) eachTool(lines []*grantLine, refuse func(lang.Name) bool) ([]granted, bool) {
	var out []granted
	good := true
	for _, line := range lines {
		good = good && len(line.tools) == len(line.node.Tools)
		for _, tool := range line.tools {
			switch {
			case !isTool(tool.Text):
				c.report(toolUnknown(tool, toolsOf(lines)))
				good = false
			case refuse(tool):
				good = false
			default:
				if line.node.InWord != nil && !takesPath(tool.Text) {
					c.report(takesNoPath(tool, line))
				}
				out = append(out, granted{tool, line})
			}
		}
	}
	c.repeatedGrants(out)
	return out, good
}

// toolsOf returns the tools of lines as they are written.
func toolsOf(lines []*grantLine) []string {
	var out []string
	for _, line := range lines {
		for _, t := range line.tools {
			out = append(out, t.Text)
		}
	}
	return out
}

func (c *compilation) judgeGrants(j *judgeForm) {
	before := j.phase != nil && j.phase.Text == plan.PreExecute
	tools, good := c.eachTool(j.grants, func(tool lang.Name) bool {
		switch {
		case !isReader(tool.Text):
			c.report(judgeMayOnlyRead(tool, j.decl))
		case before && tool.Text == "read_diff":
			c.report(noDiffYet(tool, j.phase))
		default:
			return false
		}
		return true
	})
	if len(tools) > 0 && j.turns != nil && j.turns.Value == 1 {
		c.report(noTurnToRead(*j.turns, tools))
	}
	if good && len(tools) == 0 && !j.decl.Damaged && !j.present["grants"] && j.phase != nil && j.phase.Text == plan.PostExecute {
		c.report(readsNothing(j.decl))
	}
}

func (c *compilation) stageGrants(s *stageForm) {
	coder := c.coderOf(s)
	c.eachTool(s.grants, func(tool lang.Name) bool {
		switch s.kind() {
		case lang.KindReview:
			return c.refuseInReview(tool)
		case lang.KindMode, lang.KindTask:
			return c.refuseInWork(s, coder, tool)
		}
		panic("compiler: no such kind of stage: " + string(s.kind()))
	})
}

func (c *compilation) refuseInReview(tool lang.Name) bool {
	switch {
	case !isPower(tool.Text):
		c.report(reviewExecutesNothing(tool))
	case tool.Text == "commit":
		c.report(powerless(tool, "a review has no work of its own to commit", "leave it out: the work that a review judges is committed already"))
	default:
		return false
	}
	return true
}

// refuseInWork is about the stages that execute. A reading tool for a command
// is reported and granted all the same: that is a warning.
func (c *compilation) refuseInWork(s *stageForm, coder *coderForm, tool lang.Name) bool {
	command := coder != nil && coder.run != nil && coder.model == nil
	switch {
	case tool.Text == "approve":
		c.report(approvesItself(tool, s))
	case tool.Text == "merge" && s.kind() == lang.KindTask:
		c.report(powerless(tool, "nothing judges a task, so nothing of it is merged", "grant `publish` and let a person merge, or make it a `mode` with gates"))
	case tool.Text == plan.RunCheck && s.kind() == lang.KindTask:
		c.report(noCheckToRun(tool, "a task has no gate that holds a check"))
	case tool.Text == plan.RunCheck && command:
		c.report(noCheckToRun(tool, "the coder is a command, which is offered no tools"))
	case tool.Text == plan.RunCheck && !c.mayHoldCheck(s):
		c.report(noCheckToRun(tool, "no gate of this mode holds a check"))
	case isReader(tool.Text) && command:
		c.report(commandReads(tool, coder))
		return false
	default:
		return false
	}
	return true
}

// coderOf returns the coder of a stage where it is known.
func (c *compilation) coderOf(s *stageForm) *coderForm {
	if s.coder == nil {
		return nil
	}
	coder, _ := at[*coderForm](c.uses, *s.coder)
	return coder
}

// mayHoldCheck reports whether a gate of s holds a check, or something that
// is not known.
func (c *compilation) mayHoldCheck(s *stageForm) bool {
	if s.vague || s.decl.Damaged {
		return true
	}
	for _, g := range s.gates {
		if g.blind {
			return true
		}
		for _, m := range g.listed() {
			switch c.uses[m.Range].(type) {
			case *checkForm, nil:
				return true
			}
		}
	}
	return false
}

// listed returns all members of a gate, those that decide first.
func (g *gateForm) listed() []lang.Ref {
	var out []lang.Ref
	for _, m := range []*membersForm{g.panel, g.observe} {
		if m != nil {
			out = append(out, m.members...)
		}
	}
	return out
}

// maxLines is how many lines that grant a tool are held against each other.
// Nobody writes so many, and what only a program wrote must not be gone
// through again for each of its lines.
const maxLines = 64

// repeatedGrants reports a tool whose paths another line grants it as well. Of
// two lines that grant the same, the later one is idle.
func (c *compilation) repeatedGrants(tools []granted) {
	lines := make(map[string][]granted)
	for _, g := range tools {
		if of := lines[g.tool.Text]; len(of) < maxLines {
			lines[g.tool.Text] = append(of, g)
		}
	}
	reach := reaches{}
	for _, idle := range tools {
		for _, other := range lines[idle.tool.Text] {
			if idle.tool.Range == other.tool.Range || !reach.cover(other.line, idle.line) {
				continue
			}
			later := other.tool.Range.Start.Offset < idle.tool.Range.Start.Offset
			if later || !reach.cover(idle.line, other.line) {
				c.report(grantedTwice(idle.tool, other.tool))
				break
			}
		}
	}
}

// reaches are the globs of lines as far as they were asked for.
type reaches map[*grantLine]*globIndex

// cover reports whether every path of line b is a path of line a.
func (r reaches) cover(a, b *grantLine) bool {
	if a == b || a.node.InWord == nil {
		return true
	}
	if b.node.InWord == nil {
		return false
	}
	if r[a] == nil {
		r[a] = indexGlobs(values(a.in))
	}
	return !slices.ContainsFunc(b.in, func(inner lang.Text) bool { return !r[a].covers(inner.Value) })
}

// checkPowers reports an exclusive power that more than one stage holds.
// Where a stage may not hold it at all, that was said, and does not count.
func checkPowers(c *compilation) error {
	may := map[string][]lang.Kind{
		"approve": {lang.KindReview},
		"merge":   {lang.KindMode, lang.KindReview},
	}
	for _, u := range c.units {
		for _, power := range []string{"approve", "merge"} {
			var tools []lang.Name
			var stages []*stageForm
			for _, s := range c.forms[u].stages {
				if t, ok := s.holds(power); ok && slices.Contains(may[power], s.kind()) {
					tools, stages = append(tools, t), append(stages, s)
				}
			}
			if len(tools) > 1 {
				c.report(heldTwice(power, tools, stages))
			}
		}
	}
	return nil
}

// holds returns where s is granted a tool.
func (s *stageForm) holds(tool string) (lang.Name, bool) {
	for _, line := range s.grants {
		for _, t := range line.tools {
			if t.Text == tool {
				return t, true
			}
		}
	}
	return lang.Name{}, false
}
