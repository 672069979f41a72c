package compiler

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A Committed is the content of a plan that is kept beside its sources.
type Committed struct {
	Name    string // as a person would type it
	Content []byte
}

// Locked compiles the package and, where no error stands, compares its plan
// with a committed one. A plan that differs, or that cannot be read, is one
// error (SN801), which says what moved. The error returned is operational, as
// that of Compile.
func Locked(src Source, committed Committed) (Report, error) {
	now, report, err := Compile(src)
	if err != nil || now == nil {
		return report, err
	}
	if d, moved := lockedBy(src, committed, now); moved {
		report.Diagnostics.Add(d)
		report.Diagnostics = report.Diagnostics.Sorted()
	}
	return report, nil
}

// lockedBy compares the plan that the sources give now with the committed
// one, and words how they differ. It is false where they do not.
func lockedBy(src Source, committed Committed, now *plan.Plan) (diag.Diagnostic, bool) {
	d := diag.Diagnostic{
		Code:  diag.SN801,
		Range: diag.Range{File: committed.Name, Start: diag.Position{Line: 1, Column: 1}, End: diag.Position{Line: 1, Column: 1}},
		Help:  "compile it anew with `snodoc`, and commit it in the same change as the sources",
	}
	before, err := plan.Read(committed.Content)
	var invalid *plan.InvalidError
	switch {
	case errors.As(err, &invalid):
		d.Message = "the plan is damaged: " + invalid.Reason
		d.Help += "\nif nobody touched it on purpose, find out who did before"
		return d, true
	case err != nil:
		panic(fmt.Sprintf("compiler: read plan: %v", err))
	case before.Digest == now.Digest:
		return d, false
	case before.Protocol.Name != now.Protocol.Name:
		d.Message = fmt.Sprintf("this is the plan of protocol `%s`, and the sources are those of `%s`", before.Protocol.Name, now.Protocol.Name)
		return d, true
	}
	moved := planMoves(src, before, now)
	d.Message = "the plan is not what its sources give: " + moved[0]
	if len(moved) > 1 {
		d.Help = strings.Join(moved[1:], "\n") + "\n" + d.Help
	}
	return d, true
}

// planMoves says what differs between two plans, the sources first, since
// they are the cause of the rest.
func planMoves(src Source, before, now *plan.Plan) []string {
	sources := movesOf("source", sourceSums(src, before), sourceSums(src, now), "changed")
	moves := slices.Concat(sources, movesOf("validator", validatorSums(before), validatorSums(now), "moved"))
	if len(sources) > 0 {
		return moves
	}
	// The same sources give another plan: what wrote this one was another
	// compiler, or somebody's hand.
	lead := "the sources are the same, and the plan was changed by hand"
	switch {
	case before.Compiler != now.Compiler:
		lead = fmt.Sprintf("the sources are the same, and compiler %s wrote it; this is %s", before.Compiler, now.Compiler)
	case before.Wording.Revision != now.Wording.Revision:
		lead = "the sources are the same, and a compiler with other wording wrote it"
	}
	parts := partsThatDiffer(before, now)
	return append([]string{lead}, append(moves, "what differs: "+list(parts))...)
}

// movesOf says which members were changed, added and removed between two
// states, each kind in one line.
func movesOf(noun string, before, now map[string]string, changed string) []string {
	var differ, added, removed []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if sum, ok := before[name]; !ok {
			added = append(added, name)
		} else if sum != now[name] {
			differ = append(differ, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := now[name]; !ok {
			removed = append(removed, name)
		}
	}
	var out []string
	for _, group := range []struct {
		names []string
		verb  string
	}{{differ, changed}, {added, "was added"}, {removed, "was removed"}} {
		switch verb := group.verb; len(group.names) {
		case 0:
		case 1:
			out = append(out, fmt.Sprintf("%s `%s` %s", noun, group.names[0], verb))
		default:
			out = append(out, fmt.Sprintf("%ss %s %s", noun, list(group.names), strings.Replace(verb, "was", "were", 1)))
		}
	}
	return out
}

// sourceSums are the digests of a plan's sources by the names that a person
// would type.
func sourceSums(src Source, p *plan.Plan) map[string]string {
	out := make(map[string]string)
	for _, s := range p.Sources {
		name := s.Path
		if !strings.HasPrefix(name, libraryPrefix) {
			name = src.display(strings.TrimPrefix(name, "./"))
		}
		out[name] = s.SHA256
	}
	return out
}

func validatorSums(p *plan.Plan) map[string]string {
	out := make(map[string]string)
	for name, v := range p.Validators {
		out[name] = v.Sum()
	}
	return out
}

// partsThatDiffer names the members of the document whose contents differ.
func partsThatDiffer(before, now *plan.Plan) []string {
	var out []string
	for _, part := range []struct {
		name string
		of   func(*plan.Plan) any
	}{
		{"compiler", func(p *plan.Plan) any { return p.Compiler }},
		{"protocol", func(p *plan.Plan) any { return p.Protocol }},
		{"sources", func(p *plan.Plan) any { return p.Sources }},
		{"roles", func(p *plan.Plan) any { return p.Roles }},
		{"evidence", func(p *plan.Plan) any { return p.Evidence }},
		{"coders", func(p *plan.Plan) any { return p.Coders }},
		{"wording", func(p *plan.Plan) any { return p.Wording }},
		{"validators", func(p *plan.Plan) any { return p.Validators }},
		{"stages", func(p *plan.Plan) any { return p.Stages }},
	} {
		a, errA := plan.Digest(part.of(before))
		b, errB := plan.Digest(part.of(now))
		if err := errors.Join(errA, errB); err != nil {
			panic(fmt.Sprintf("compiler: compare plans: %v", err))
		}
		if a != b {
			out = append(out, part.name)
		}
	}
	return out
}
