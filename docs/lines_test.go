package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/snodo-lang/snodo/internal/docstest"
)

// What the programs know is what their help says.
var (
	helpCommand = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)
	helpFlag    = regexp.MustCompile(`(?m)^  +(?:(-[a-z]), |   *)?(--[a-z][a-z-]*)`)
)

// known are the commands of snodo with their flags, and under snodoc its own.
func known(t *testing.T) map[string][]string {
	t.Helper()
	help := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).Output()
		if err != nil {
			t.Fatalf("%s: %v", strings.Join(args, " "), err)
		}
		return string(out)
	}
	all := map[string][]string{"snodoc": flagsOf(help("snodoc", "--help")), "help": {}}
	for _, m := range helpCommand.FindAllStringSubmatch(help("snodo", "--help"), -1) {
		all[m[1]] = flagsOf(help("snodo", m[1], "--help"))
	}
	return all
}

func flagsOf(help string) []string {
	flags := []string{"-h", "--help"}
	for _, m := range helpFlag.FindAllStringSubmatch(help, -1) {
		flags = append(flags, m[1], m[2])
	}
	return slices.DeleteFunc(flags, func(f string) bool { return f == "" })
}

// A command line that a page shows is typed by a test: in a console, or in a
// scenario. One that nobody types because something is to be put into it, or
// because it stands in a sentence, has a command and flags that there are.
func TestCommandLinesInPagesAreTypedOrKnown(t *testing.T) {
	all, scenarios := known(t), scenarios(t)
	for _, p := range pages(t) {
		for _, l := range docstest.Lines(p.text, p.blocks) {
			if l.Typed || l.Inline && l.Program == "snodo" && l.Command == "" {
				continue
			}
			of := l.Command
			if l.Program == "snodoc" {
				of = "snodoc"
			}
			flags, ok := all[of]
			if !ok {
				t.Errorf("%s:%d: `%s`: there is no such command", p.path, l.Line, l.Text)
				continue
			}
			for _, f := range l.Flags {
				if !slices.Contains(flags, f) {
					t.Errorf("%s:%d: `%s`: there is no flag %s", p.path, l.Line, l.Text, f)
				}
			}
			opening := p.path == "README.md" && strings.Contains(l.Text, "go run ./cmd/")
			if !l.Inline && !l.HasStandIn() && !opening && !strings.Contains(scenarios, " "+l.Text+"\n") {
				t.Errorf("%s:%d: `%s` could be typed as it stands, and no test does: it belongs in a console", p.path, l.Line, l.Text)
			}
		}
	}
}

// scenarios is what all scenarios type.
func scenarios(t *testing.T) string {
	t.Helper()
	scripts, err := filepath.Glob("../testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(archive.Comment)
	}
	return b.String()
}

// link is one to a file of the project.
var link = regexp.MustCompile(`\]\(([^):#]+)(?:#[^)]*)?\)`)

// Every page that a page leads to is there.
func TestLinksInPagesLeadSomewhere(t *testing.T) {
	for _, p := range pages(t) {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			if _, err := os.Stat(filepath.Join("..", filepath.Dir(p.path), filepath.FromSlash(m[1]))); err != nil {
				t.Errorf("%s: there is no %s", p.path, m[1])
			}
		}
	}
}
