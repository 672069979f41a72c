package compiler

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// checkCommands reports checks that cannot fail.
func checkCommands(c *compilation) error {
	for _, u := range c.units {
		for _, k := range c.forms[u].checks {
			if k.run == nil {
				continue
			}
			if why, help := neverFails(k.run.text.Value); why != "" {
				c.report(cannotFail(k.run.text, why, help))
			}
		}
	}
	return nil
}

var (
	// quotes are the parts of a command that the shell does not look into.
	quotes = regexp.MustCompile(`'[^']*'|"(?:[^"\\]|\\.)*"|\\.`)
	// separators end one command of a script and begin the next.
	separators = regexp.MustCompile(`[;\n]|&&`)
)

// neverFails says why the exit of a shell command says nothing, and what to
// write instead; both are empty where it says something.
func neverFails(run string) (why, help string) {
	bare := strings.TrimSpace(quotes.ReplaceAllString(strings.TrimSpace(run), "q"))
	parts := separators.Split(bare, -1)
	last := strings.TrimSpace(parts[len(parts)-1])
	or := strings.Split(last, "||")
	switch final := strings.TrimSpace(or[len(or)-1]); {
	case len(or) > 1 && succeeds(final):
		return fmt.Sprintf("it ends in `|| %s`, which turns every failure into a pass", final), fmt.Sprintf("leave `|| %s` out", final)
	case len(or) == 1 && succeeds(final):
		return fmt.Sprintf("`%s` succeeds whatever the project is like", final), "run what shows that the project is as it must be"
	case strings.Contains(final, "|") && !strings.Contains(bare, "pipefail"):
		return "its exit is that of the last command of the pipe, and the others may fail unseen", "let the command that decides come last, or run the pipe with `bash -o pipefail -c`"
	}
	return "", ""
}

func succeeds(command string) bool {
	switch strings.Join(strings.Fields(command), " ") {
	case "true", ":", "exit 0", "/bin/true":
		return true
	}
	return false
}

func cannotFail(run lang.Text, why, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN706, Range: run.Range,
		Message: "this check cannot fail: " + why,
		Help:    help,
	}
}
