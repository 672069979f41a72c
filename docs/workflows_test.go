package docs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/snodo-lang/snodo/internal/starter"
	"github.com/snodo-lang/snodo/internal/testendpoint"
)

// A workflowLine is one command of a workflow, with the environment that its
// step adds.
type workflowLine struct {
	run string
	env map[string]string
}

// githubWorkflow is all that stands in a workflow of GitHub.
type githubWorkflow struct {
	Name        string
	On          map[string]map[string][]string
	Permissions map[string]string
	Jobs        map[string]struct {
		RunsOn string `yaml:"runs-on"`
		Steps  []struct {
			Uses, Run, If string
			With, Env     map[string]any
		}
	}
}

// gitlabWorkflow is all that stands in one of GitLab.
type gitlabWorkflow struct {
	Judge struct {
		Image     string
		Rules     []map[string]string
		Variables map[string]any
		Script    []string
		Artifacts struct {
			When  string
			Paths []string
		}
	}
}

func githubOf(t *testing.T) githubWorkflow {
	t.Helper()
	var w githubWorkflow
	if err := yaml.UnmarshalWithOptions([]byte(starter.Workflows["github"].Text), &w, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return w
}

func gitlabOf(t *testing.T) gitlabWorkflow {
	t.Helper()
	var w gitlabWorkflow
	if err := yaml.UnmarshalWithOptions([]byte(starter.Workflows["gitlab"].Text), &w, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	return w
}

// linesOf are the commands of a forge's workflow but for the one that installs
// snodo, which is on PATH here.
func linesOf(t *testing.T, forge string) []workflowLine {
	t.Helper()
	var all []workflowLine
	switch forge {
	case "github":
		for _, s := range githubOf(t).Jobs["judge"].Steps {
			l := workflowLine{run: s.Run, env: map[string]string{}}
			for name, value := range s.Env {
				l.env[name] = fmt.Sprint(value)
			}
			all = append(all, l)
		}
	case "gitlab":
		for _, run := range gitlabOf(t).Judge.Script {
			all = append(all, workflowLine{run: run})
		}
	}
	const install = "go install github.com/snodo-lang/snodo/cmd/snodo@latest"
	if !slices.ContainsFunc(all, func(l workflowLine) bool { return l.run == install }) {
		t.Errorf("%s: snodo is not installed", forge)
	}
	return slices.DeleteFunc(all, func(l workflowLine) bool { return l.run == "" || l.run == install })
}

// Workflows see the whole history, hold no credential of the forge that they
// do not need, and keep the records.
func TestWorkflowsAreSetUpToJudge(t *testing.T) {
	hub, lab := githubOf(t), gitlabOf(t)
	steps := hub.Jobs["judge"].Steps
	checkout, upload := steps[0], steps[len(steps)-1]
	for what, holds := range map[string]bool{
		"github: on pull requests, and nothing that hands secrets to forks": len(hub.On) == 1 && hub.On["pull_request"] != nil,
		"github: may read, and no more":                                     maps.Equal(hub.Permissions, map[string]string{"contents": "read"}),
		"github: all of the history, of the merge":                          fmt.Sprint(checkout.With["fetch-depth"]) == "0" && checkout.With["ref"] == nil,
		"github: no credential is left in the checkout":                     fmt.Sprint(checkout.With["persist-credentials"]) == "false",
		"github: records are kept however it ends":                          upload.If == "always()" && upload.With["path"] == ".snodo/runs" && fmt.Sprint(upload.With["include-hidden-files"]) == "true",
		"gitlab: all of the history":                                        fmt.Sprint(lab.Judge.Variables["GIT_DEPTH"]) == "0",
		"gitlab: records are kept however it ends":                          lab.Judge.Artifacts.When == "always" && slices.Equal(lab.Judge.Artifacts.Paths, []string{".snodo/runs"}),
	} {
		if !holds {
			t.Error(what)
		}
	}
	for i, s := range steps {
		for name, value := range s.Env {
			if strings.Contains(fmt.Sprint(value), "secrets.") && !strings.HasPrefix(s.Run, "snodo run ") {
				t.Errorf("github: step %d gets the secret %s and asks no judge", i+1, name)
			}
		}
		if strings.Contains(s.Run, "${{") {
			t.Errorf("github: step %d pastes what somebody wrote into a shell: %s", i+1, s.Run)
		}
	}
}

// A changeRequest is one that a workflow sees.
type changeRequest struct {
	name    string
	title   string
	change  string // what its author types
	replies string // of the judge; empty: it is not asked
	noKey   bool   // the secret does not reach the job, as in a fork
	fails   string // the command that fails, from its beginning; empty: none
	code    int
	prints  string // part of what that command prints
}

var changeRequests = []changeRequest{
	{name: "what holds", title: "Greet louder", change: "echo 'echo HELLO' > app.sh", replies: `[{"submit": "pass"}]`},
	{name: "a title is never a command", title: `"; exit 9 # $(exit 9)`, change: "echo 'echo HELLO' > app.sh", replies: `[{"submit": "pass"}]`},
	{name: "what does not pass its tests", title: "Greet nobody", change: "true > app.sh", fails: "snodo run", code: 1, prints: "recovery_exhausted"},
	{name: "what a judge cannot tell", title: "Greet louder", change: "echo 'echo HELLO' > app.sh",
		replies: `[{"submit": {"harmless": {"verdict": "unclear", "missing": [{"evidence": "human-read", "args": {"file": "app.sh"}}]}}}]`, fails: "snodo run", code: 2, prints: "1 unclear: harm"},
	{name: "no key", title: "Greet louder", change: "echo 'echo HELLO' > app.sh", replies: `[{"status": 401}]`, noKey: true, fails: "snodo run", code: 3, prints: "auth"},
	{name: "a weaker protocol", title: "Judge less", change: "sed -i.bak 's/all pass/0 of 1 pass/' protocol.snodo && rm *.bak", fails: "snodo check", code: 1, prints: "protocol.snodo"},
	{name: "a judge of its own", title: "Judge otherwise", change: "sed -i.bak 's/No changed line deletes/No line deletes/' protocol.snodo && rm *.bak", fails: "snodo check", code: 1, prints: "SN9"},
	{name: "a protocol that says the same", title: "Explain", change: "echo '// The end.' >> protocol.snodo", fails: "snodo run", code: 1, prints: "protected_path"},
	{name: "the workflow itself", title: "No judge", change: "mkdir -p .github/workflows && echo > .github/workflows/snodo.yml", fails: "snodo run", code: 1, prints: "protected_path"},
}

// The commands of a workflow, typed in the order in which they stand, judge a
// change request by the branch that it is for, also where that has moved on.
func TestWorkflowsJudgeChangeRequests(t *testing.T) {
	for _, forge := range []string{"github", "gitlab"} {
		for _, c := range changeRequests {
			t.Run(forge+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				r := newReader(t, ".")
				r.unpack(filepath.Join("testdata", "ci.txtar"))
				r.types("git checkout -q -b change && " + c.change + " && git add -A && git commit -q -m 'The change'")
				// The branch moves on, by what the change request has no part in
				// and could not change.
				r.types("git checkout -q main && mkdir .github && echo me > .github/owners && git add -A && git commit -q -m 'Move on' && git clone -q . ../ci && cd ../ci")
				scripts := `[]`
				if c.replies != "" {
					scripts = `[{"judge": "harmless", "replies": ` + c.replies + `}]`
				}
				loaded, err := testendpoint.LoadScripts(strings.NewReader(scripts))
				if err != nil {
					t.Fatal(err)
				}
				r.server = testendpoint.Start(t, loaded...)
				r.isCheckedOut(forge, c)
				r.judges(forge, c)
			})
		}
	}
}

// types enters a command that has to succeed.
func (r *reader) types(command string) {
	r.Helper()
	if printed, code, err := r.shell.Type(r.Context(), command); err != nil || code != 0 {
		r.Fatalf("%s: %s%v", command, printed, err)
	}
}

// isCheckedOut leaves a clone as a forge does before the first command, and sets
// the variables that the forge sets for a change request.
func (r *reader) isCheckedOut(forge string, c changeRequest) {
	r.Helper()
	switch forge {
	case "github":
		r.types("git checkout -q --detach origin/main && git merge -q --no-ff -m 'Merge change into main' origin/change")
	case "gitlab":
		r.types("git checkout -q --detach origin/change && git branch -q -D main")
		r.exports(map[string]string{
			"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main", "CI_MERGE_REQUEST_TITLE": c.title, "CI_MERGE_REQUEST_DESCRIPTION": "As the title says.",
			"OPENAI_BASE_URL": r.server.URL, "OPENAI_API_KEY": c.key(r.server), "SNODO_MODEL": "scripted",
		})
	}
}

func (c changeRequest) key(server *testendpoint.Server) string {
	if c.noKey {
		return ""
	}
	return server.Key
}

func (r *reader) exports(env map[string]string) {
	r.Helper()
	for name, value := range env {
		r.types("export " + name + "='" + strings.ReplaceAll(value, "'", `'\''`) + "'")
	}
}

// judges types a workflow's commands until one fails.
func (r *reader) judges(forge string, c changeRequest) {
	r.Helper()
	expressions := strings.NewReplacer(
		"${{ github.event.pull_request.title }}", c.title, "${{ github.event.pull_request.body }}", "As the title says.",
		"${{ secrets.OPENAI_API_KEY }}", c.key(r.server), "${{ vars.OPENAI_BASE_URL }}", r.server.URL, "${{ vars.SNODO_MODEL }}", "scripted")
	for _, l := range linesOf(r.T, forge) {
		env := map[string]string{}
		for name, value := range l.env {
			env[name] = expressions.Replace(value)
		}
		r.exports(env)
		printed, code, err := r.shell.Type(r.Context(), l.run)
		if err != nil {
			r.Fatal(err)
		}
		if code == 0 {
			continue
		}
		if c.fails == "" || !strings.HasPrefix(l.run, c.fails) || code != c.code || !strings.Contains(printed, c.prints) {
			r.Fatalf("%s: it exited with %d and printed\n%s", l.run, code, printed)
		}
		return
	}
	if c.fails != "" {
		r.Fatalf("nothing failed, and `%s` was to exit with %d", c.fails, c.code)
	}
	dir, err := r.shell.Dir()
	if err != nil {
		r.Fatal(err)
	}
	task, err := os.ReadFile(filepath.Join(dir, "..", "task.md"))
	if err != nil || !strings.HasPrefix(string(task), c.title+"\n\nAs the title says.\n") {
		r.Errorf("the task is %q, %v", task, err)
	}
}
