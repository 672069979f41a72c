package compiler

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withModel is a package with a coder of either kind; the second stage's coder
// is a command, and may be another at run time.
const withModel = `snodo 1
protocol p { starts m }
check tests { phase post_execute
  run "make" }
check lint { phase post_execute
  run "lint" }
check unused { phase post_execute
  run "no" }
coder gpt { model "gpt"
  turns 7 }
coder shell { run "x" }
mode m {
  coder gpt
  grants read_file
  grants write_file, edit_file in "src/**"
  grants edit_file in "docs/**"
  grants run_check, commit
  post_execute {
    panel tests
    observe lint
    proceed when all pass
    blocker -> halt
  }
}
task t {
  goal "Do it"
  coder shell
  grants delete_file
}
`

func TestAModelIsOfferedExactlyWhatItsStageGrants(t *testing.T) {
	p := compile(t, one(withModel))
	type offer struct{ Name, Says string }
	offers := func(stage string) []offer {
		var out []offer
		for _, t := range p.Stages[stage].CoderTools {
			_, says, _ := strings.Cut(t.Description, ". ")
			if t.Name == "run_check" {
				says = string(t.Parameters)
			}
			out = append(out, offer{t.Name, says})
		}
		return out
	}
	want := []offer{
		{"read_file", ""},
		{"write_file", "Folders are made as needed. Only in src/**."},
		{"edit_file", "Only in src/**, docs/**."},
		{"run_check", `{"type":"object","properties":{"check":{"type":"string","description":"the check","enum":["lint","tests"]}},"required":["check"],"additionalProperties":false}`},
	}
	if diff := cmp.Diff(want, offers("m")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]offer{{"delete_file", ""}}, offers("t")); diff != "" {
		t.Error(diff)
	}
	if prompt := p.Coders["gpt"].Prompt; !strings.Contains(prompt, "You have 7 turns") {
		t.Errorf("the budget is not said:\n%s", prompt)
	}
	if prompt := p.Coders["shell"].Prompt; prompt != "" {
		t.Errorf("a command has a prompt: %s", prompt)
	}
}

func TestNothingIsOfferedWhereNoCoderIsAModel(t *testing.T) {
	p := compile(t, one(strings.NewReplacer("coder gpt { model \"gpt\"\n  turns 7 }", `coder gpt { run "y" }`, "  grants run_check, commit\n", "", "  grants read_file\n", "").Replace(withModel)))
	for name, s := range p.Stages {
		if len(s.CoderTools) > 0 {
			t.Errorf("%s offers %v", name, s.CoderTools)
		}
	}
}
