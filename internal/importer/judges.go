package importer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// judgeTools are the tools that a judge may hold, by what they were called.
var judgeTools = map[string]string{
	"read_file": "read_file", "read": "read_file", "cat": "read_file",
	"read_file_lines": "read_file_lines",
	"list_files":      "list_files", "list_directory": "list_files", "summarize_directory": "list_files", "ls": "list_files", "glob": "list_files",
	"search_text": "search_text", "search": "search_text", "grep": "search_text", "search_files": "search_text",
	"git_log": "git_log", "git_show": "git_show",
	"read_diff": "read_diff", "read_diff_between_refs": "read_diff", "git_diff": "read_diff", "diff": "read_diff", "read_pr_diff": "read_diff",
}

func (im *importer) finishJudge(v *validator) {
	tools := im.judgeGrants(v)
	b := &v.body
	if len(tools) > 0 {
		b.line("grants %s", strings.Join(tools, ", "))
	}
	b.line("requests %s", im.evidenceKind())
	// The judges of the older engine had warn; what they were told speaks of it.
	b.line("returns pass, warn, unclear, blocker")
	if e := v.node.takeScalar("model"); e != nil && !e.value.blank() {
		b.line("model %s", quoted(e.value.text))
	}
	least := 1
	if len(tools) > 0 {
		least = 2 // the last turn is the verdict's
	}
	im.number(&v.notes, b, v.node, v.name, "turns", least, 200, "max_turns", "turns", "max_iterations")
	im.number(&v.notes, b, v.node, v.name, "tokens", 256, 200_000, "max_tokens", "tokens")
	im.timeout(v)
	im.criteria(v)
	im.constraintsOf(v)
}

// judgeGrants returns the tools of a judge.
func (im *importer) judgeGrants(v *validator) []string {
	e := v.node.take("tools", "grants", "allowed_tools")
	var words []*node
	if e != nil {
		var ok bool
		if words, ok = e.value.scalars(); !ok {
			e.taken = false
		}
	}
	var out []string
	for _, w := range words {
		tool := judgeTools[fold(w.text)]
		what := of(v.name, "tool "+w.text)
		switch {
		case tool == "":
			im.note(&v.notes, w.line, what, "dropped: a judge reads, with "+strings.Join([]string{"read_file", "read_file_lines", "list_files", "search_text", "git_log", "git_show", "read_diff"}, ", ")+", and changes or runs nothing")
			continue
		case tool == "read_diff" && v.phase == pre:
			im.note(&v.notes, w.line, what, "dropped: there is no change to read before the work")
			continue
		case tool != w.text:
			im.say(Line{w.line, what, "it is called " + tool})
		}
		if !slices.Contains(out, tool) {
			out = append(out, tool)
		}
	}
	if len(out) == 0 && v.phase == post {
		im.note(&v.notes, v.line, of(v.name, "tools"), "it is granted none, so it sees the names of the changed files and nothing else; grant read_file and read_diff if it is to see them")
	}
	return out
}

// number writes a number into b, within the bounds that it has here.
func (im *importer) number(notes, b *block, n *node, owner, field string, least, most int, keys ...string) {
	e := n.takeScalar(keys...)
	if e == nil {
		return
	}
	value, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(e.value.text), "_", ""))
	if err != nil {
		im.note(notes, e.line, of(owner, e.key+": "+e.value.text), "no whole number, so "+field+" is what the language has by itself")
		return
	}
	b.line("%s %d", field, im.within(notes, e, owner, value, least, most))
}

func (im *importer) within(b *block, e *entry, owner string, n, least, most int) int {
	bounded := min(max(n, least), most)
	if bounded != n {
		im.note(b, e.line, of(owner, e.key+": "+e.value.text), fmt.Sprintf("it is %d: what may stand here lies between %d and %d", bounded, least, most))
	}
	return bounded
}

// timeout writes the timeout of a judge.
func (im *importer) timeout(v *validator) {
	if d := im.durationOf(&v.notes, v.node, v.name); d != "" {
		v.body.line("timeout %s", d)
	}
}

// durationOf takes a timeout and returns it as the language writes it, or "".
func (im *importer) durationOf(b *block, n *node, owner string) string {
	e := n.takeScalar("timeout", "timeout_seconds", "timeout_s", "max_seconds")
	if e == nil || e.value.blank() {
		return ""
	}
	words := strings.ReplaceAll(strings.TrimSpace(e.value.text), " ", "")
	d, err := time.ParseDuration(words)
	if seconds, notNumber := strconv.ParseFloat(words, 64); notNumber == nil && seconds < 1e9 {
		d, err = time.Duration(seconds*1000)*time.Millisecond, nil
	}
	if err != nil || d < 0 {
		im.note(b, e.line, of(owner, e.key+": "+e.value.text), "no length of time, so it is what the language has by itself")
		return ""
	}
	bounded := min(max(d, time.Second), 24*time.Hour)
	if bounded != d {
		im.note(b, e.line, of(owner, e.key+": "+e.value.text), "it is "+duration(bounded)+": a timeout lies between 1s and 24h")
	}
	return duration(bounded)
}

// duration writes a length of time in the units of the language.
func duration(d time.Duration) string {
	out := ""
	for _, u := range []struct {
		unit string
		long time.Duration
	}{{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second}, {"ms", time.Millisecond}} {
		if n := d / u.long; n > 0 {
			out += fmt.Sprintf("%d%s", n, u.unit)
			d -= n * u.long
		}
	}
	return out
}

// finishCheck writes the command of a check.
func (im *importer) finishCheck(v *validator) {
	shared := v.apart
	if v.run == "" {
		v.run = im.foundCommand(v)
		shared = true
	}
	limit := im.durationOf(&v.notes, v.node, v.name)
	if t := v.node.find([]string{"tooling"}); t != nil && t.value.kind == mapping {
		t.taken = true
		if d := im.durationOf(&v.notes, t.value, v.name); limit == "" {
			limit = d
		}
		v.notes.carry(t.comments)
		t.comments = nil
		im.leftovers(&v.notes, t.value, of(v.name, "tooling"))
	}
	if limit == "" && shared {
		limit = im.limit
	}
	if limit != "" {
		limit = " timeout " + limit
	}
	v.body.line("run %s%s", text(v.run), limit)
	im.constraintsOf(v)
}

// foundCommand returns the command of a check that has none: what the protocol
// says for all, or what the older engine would have found.
func (im *importer) foundCommand(v *validator) string {
	what := of(v.name, "the command")
	if c := im.commandFor(v); c != "" {
		im.say(Line{v.line, what, "it is the protocol's: " + c})
		return c
	}
	if im.around.Test != "" && v.tests {
		im.note(&v.notes, v.line, what, "the older engine looked for one each time; now it stands here, as it was found in the repository: "+im.around.Test)
		return im.around.Test
	}
	im.ask(&v.notes, v.line, what, "it is not said, and nothing was found that it could be; until you write it the check fails")
	return "echo 'write the command of this check into the protocol' >&2; exit 1"
}
