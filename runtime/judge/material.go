package judge

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/endpoint"
)

// A material makes what a judge is shown of what it is given, and remembers
// it.
type material struct {
	marking
	seen shown
}

// firstMessages are the two messages that begin a conversation. Commit ids
// do not occur in them; their last lines are the halves of the receipt.
func (m *material) firstMessages(r *Request) []endpoint.Message {
	system := strings.TrimSuffix(r.Judge.Prompt, "\n") + "\n" + m.receipt(r.Receipt.First)
	frame := m.words.Result
	if r.Judge.Phase == plan.PreExecute {
		frame = m.words.Proposal
	}
	parts := []string{
		frame,
		m.words.TaskHeading + "\n" + m.between("task", m.clean(r.Task)),
		m.words.StageHeading + "\n" + m.between("stage", m.clean(r.Stage)),
	}
	if r.Judge.Phase == plan.PostExecute {
		parts = append(parts, m.words.ChangesHeading+"\n"+m.between("changes", m.changes(r.Changes)))
	}
	if len(r.Governed) > 0 {
		parts = append(parts, m.words.GovernedHeading+"\n"+m.between("governed", m.governed(r.Governed)))
	}
	if in, granted := scopes(r.Judge.Grants)[readDiff]; granted {
		parts = append(parts, m.words.DiffHeading+"\n"+m.between("diff", m.firstDiff(within(r.Diff, in))))
	}
	for _, e := range r.Supplied {
		parts = append(parts, m.evidence(e))
	}
	invitation := m.words.Begin
	if !reads(r.Judge) {
		invitation = m.words.Ask
	}
	parts = append(parts, invitation, m.receipt(r.Receipt.Second))
	return []endpoint.Message{
		{Role: endpoint.System, Content: system},
		{Role: endpoint.User, Content: strings.Join(parts, "\n\n")},
	}
}

// reads says whether a judge has a turn in which it can read.
func reads(j *plan.Judge) bool { return len(j.Tools) > 0 && j.Budget.Turns > 1 }

func (m *material) receipt(half string) string {
	return plan.Fill(m.words.ReceiptLine, "half", half)
}

// changes lists the changed files with their numbers of lines.
func (m *material) changes(all []Change) string {
	p := &page{words: m.words, room: maxReply}
	for i, c := range all {
		line := fmt.Sprintf("%s +%d -%d", m.name(c.Path), c.Added, c.Removed)
		if c.Binary {
			line = m.name(c.Path) + " binary"
		}
		if !p.line(line) {
			p.cut = 0
			p.note(plan.Fill(m.words.ChangesOmitted, "files", strconv.Itoa(len(all)-i)))
			break
		}
	}
	return p.end()
}

// governed lists the checks that the change itself governs, and by which files.
func (m *material) governed(all []Governed) string {
	p := &page{words: m.words, room: maxReply}
	for i, g := range all {
		var paths []string
		for _, path := range g.Paths {
			paths = append(paths, m.name(path))
		}
		if !p.line(m.name(g.Check) + ": " + strings.Join(paths, ", ")) {
			p.cut = 0
			p.note(plan.Fill(m.words.ChangesOmitted, "files", strconv.Itoa(len(all)-i)))
			break
		}
	}
	return p.end()
}

func (m *material) evidence(e Supplied) string {
	// A judge wrote the arguments, after it had read what others wrote.
	args := m.between("args", m.clean(canonicalArgs(e.Args)))
	heading := plan.Fill(m.words.EvidenceHeading, "evidence", e.Evidence, "args", args, "source", m.name(e.Source))
	content := m.clean(e.Head)
	if e.Omitted > 0 {
		content = strings.TrimSuffix(content, "\n") + "\n" +
			plan.Fill(m.words.EvidenceCut, "bytes", strconv.Itoa(e.Omitted)) + "\n" + m.clean(e.Tail)
	}
	return heading + "\n" + m.between("evidence", content)
}

// canonicalArgs writes the arguments of evidence so that equal ones are
// equal texts, whatever numbers they were read as.
func canonicalArgs(args map[string]any) string {
	t := table{members: map[string]any{}}
	for name, v := range args {
		switch v := v.(type) {
		case float64:
			t.members[name] = int64(v)
		default:
			t.members[name] = v
		}
	}
	return canonical(t)
}

// within are the differences that may be shown.
func within(files []FileDiff, in scope) []FileDiff {
	var out []FileDiff
	for _, f := range files {
		if in.holds(f.Path) {
			out = append(out, f)
		}
	}
	return out
}
