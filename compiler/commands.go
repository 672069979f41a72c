package compiler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	quotes = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'[^']*'|"(?:[^"\\]|\\.)*"|\\.`) })
	// comments are what the shell skips, up to the end of a line.
	comments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)(?:^|[ \t])#.*$`) })
	// stops says that a script ends at the first command that fails.
	stops = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|[;\n])\s*set +-[a-z]*e`) })
)

// neverFails says why the exit of a shell command says nothing, and what to
// write instead; both are empty where it says something. It reads commands as
// people write them, and is no shell: what it cannot tell, it lets pass.
func neverFails(run string) (why, help string) {
	whole := comments().ReplaceAllStringFunc(quotes().ReplaceAllStringFunc(run, masked('q')), masked(' '))
	bare := strings.TrimSpace(whole)
	last := lastCommand(bare)
	if stops().MatchString(bare) && last != bare {
		return "", ""
	}
	if strings.HasSuffix(bare, "&") && !strings.HasSuffix(bare, "&&") {
		return "`&` sends it to the background, and nobody waits for its exit", "leave the last `&` out"
	}
	choices := strings.Split(last, "||")
	final := strings.TrimSpace(choices[len(choices)-1])
	at := strings.LastIndex(whole, final)
	words := run[at : at+len(final)]
	links := strings.Split(final, "&&")
	pipe := strings.Split(links[len(links)-1], "|")
	switch {
	case len(choices) > 1 && allSucceed(links):
		return fmt.Sprintf("it ends in `|| %s`, which turns every failure into a pass", words), fmt.Sprintf("leave `|| %s` out", words)
	case len(choices) == 1 && allSucceed(links):
		return fmt.Sprintf("`%s` succeeds whatever the project is like", words), "run what shows that the project is as it must be"
	case len(pipe) > 1 && !decides(pipe[len(pipe)-1]) && !strings.Contains(bare, "pipefail"):
		return "its exit is that of the last command of the pipe, and the others may fail unseen", "let the command that decides come last, or run the pipe with `bash -o pipefail -c`"
	}
	return "", ""
}

// masked returns what puts a letter in the place of each byte, so that what is
// left keeps its place.
func masked(letter byte) func(string) string {
	return func(s string) string { return strings.Repeat(string(letter), len(s)) }
}

// lastCommand returns the last command of a script. One that only hands on the
// exit of the command before it is not it.
func lastCommand(script string) string {
	parts := strings.FieldsFunc(script, func(c rune) bool { return c == ';' || c == '\n' })
	for len(parts) > 0 {
		last := strings.TrimSpace(parts[len(parts)-1])
		if last != "" && (last != "exit" && last != "exit $?" || len(parts) == 1) {
			return last
		}
		parts = parts[:len(parts)-1]
	}
	return script
}

// allSucceed reports whether each of some commands succeeds whatever there is.
func allSucceed(commands []string) bool {
	return !slices.ContainsFunc(commands, func(c string) bool { return !succeeds(c) })
}

func succeeds(command string) bool {
	words := strings.Fields(command)
	if len(words) == 0 || strings.ContainsAny(command, "|<>$`(") {
		return false
	}
	switch words[0] {
	case ":", "true", "/bin/true", "/usr/bin/true", "echo", "printf":
		return true
	case "exit", "return":
		return len(words) == 2 && words[1] == "0"
	}
	return false
}

// decides reports whether the exit of a command at the end of a pipe is an
// answer about what it reads.
func decides(command string) bool {
	words := strings.Fields(command)
	return len(words) > 0 && slices.Contains([]string{
		"grep", "egrep", "fgrep", "rg", "diff", "cmp", "comm", "test", "[", "xargs", "sh", "bash", "python", "python3", "node",
	}, words[0])
}

func cannotFail(run lang.Text, why, help string) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN706, Range: run.Range,
		Message: "this check cannot fail: " + why,
		Help:    help,
	}
}
