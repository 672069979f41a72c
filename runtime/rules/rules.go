// Package rules decides the built-in predicates on a change set: whether
// changed files are in scope, whether modified files have tests, and whether
// an added line carries a credential.
//
// What goes in is a rule of the plan, what changed, and the tree of the
// result. What comes out is pass or blocker with a finding for every place
// that breaks the rule, or an error where something could not be examined.
// The package reads git's objects alone, runs nothing, asks no model, and
// never repeats a credential that it found.
package rules

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/glob"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// An Outcome is what a rule says.
type Outcome struct {
	Verdict  plan.Verdict // plan.Pass or plan.Blocker
	Findings []Finding    // none for a pass; sorted by path and line
}

// A Finding is a place that breaks the rule.
type Finding struct {
	Path    string
	Line    int // in the result, from 1; 0 where the whole file is meant
	Because string
}

// Judge decides a rule on a change set, whose head is the commit of tree. The
// error means that the rule was not decided: a file could not be examined, or
// reading broke off.
func Judge(ctx context.Context, rule *plan.Rule, set *workspace.ChangeSet, tree *workspace.Tree) (Outcome, error) {
	var findings []Finding
	var err error
	switch rule.Predicate {
	case plan.FilesInScope:
		findings, err = outOfScope(rule.Args, set)
	case plan.TestsExistForModified:
		findings, err = untested(ctx, rule.Args, set, tree)
	case plan.NoSecretsInDiff:
		if rule.Args.Ruleset != plan.SecretsRuleset {
			err = fmt.Errorf("the plan was compiled for the patterns of %s, and this program has those of %s: compile it again", rule.Args.Ruleset, plan.SecretsRuleset)
			break
		}
		findings, err = secrets(ctx, set, tree)
	default:
		panic("rules: unknown predicate " + rule.Predicate)
	}
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", rule.Predicate, err)
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Because, b.Because))
	})
	findings = slices.Compact(findings)
	if len(findings) > 0 {
		return Outcome{Verdict: plan.Blocker, Findings: findings}, nil
	}
	return Outcome{Verdict: plan.Pass}, nil
}

// outOfScope finds the changed paths that no glob matches.
func outOfScope(args plan.RuleArgs, set *workspace.ChangeSet) ([]Finding, error) {
	scope, err := glob.Compile(args.Paths)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, c := range set.Changes {
		if !scope.Match(c.Path) {
			findings = append(findings, Finding{Path: c.Path, Because: fmt.Sprintf("%q was %v and matches none of the paths in scope", c.Path, c.Kind)})
		}
	}
	return findings, nil
}
