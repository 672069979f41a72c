package runtime

import (
	"path"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// usualGovernors are the names of files that say what a project's tests are,
// and how they run. Whoever changes one may have changed what a check shows.
var usualGovernors = []string{
	"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt", "justfile", "Taskfile.yml",
	"go.mod", "package.json", "jest.config.*", "vitest.config.*", "karma.conf.*", ".mocharc*", "tsconfig.json",
	"conftest.py", "pytest.ini", "pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py",
	"Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "mix.exs", "Gemfile", "Rakefile", ".rspec", "composer.json", "phpunit.xml",
	".gitlab-ci.yml", "Jenkinsfile",
}

// ciFolders hold what runs on a change, wherever it is called from.
var ciFolders = []string{".github/", ".ci/", ".circleci/", ".buildkite/"}

// governedBy returns the changed paths that govern a check: those that its
// command names, and those that usually do.
func governedBy(run string, changed []string) []string {
	named := map[string]bool{}
	for _, word := range strings.FieldsFunc(run, func(c rune) bool { return strings.ContainsRune(" \t\n;&|()<>='\"`$", c) }) {
		named[path.Clean(word)] = true
	}
	out := []string{}
	for _, p := range changed {
		usual := slices.ContainsFunc(usualGovernors, func(pattern string) bool {
			ok, err := path.Match(pattern, path.Base(p))
			return ok && err == nil
		})
		ci := slices.ContainsFunc(ciFolders, func(dir string) bool { return strings.HasPrefix(p, dir) })
		if named[p] || usual || ci {
			out = append(out, p)
		}
	}
	return out
}

// governed are the checks of the stage that the change itself governs.
func (r *run) governed() []judge.Governed {
	var out []judge.Governed
	for _, name := range r.checks() {
		if by := governedBy(r.Plan.Validators[name].(*plan.Check).Run, r.changes.Paths()); len(by) > 0 {
			out = append(out, judge.Governed{Check: name, Paths: by})
		}
	}
	return out
}

// checks are those in the gates of the stage after the work, by name.
func (r *run) checks() []string {
	var names []string
	for _, step := range r.stage.Steps {
		g, ok := step.(*plan.Gate)
		if !ok || g.Phase != plan.PostExecute {
			continue
		}
		for _, name := range slices.Concat(g.Panel, g.Observe) {
			if _, ok := r.Plan.Validators[name].(*plan.Check); ok {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
