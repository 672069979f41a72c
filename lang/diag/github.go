package diag

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// WriteGitHub writes the diagnostics as workflow commands, sorted, one a line:
// what GitHub Actions shows beside the changed lines of a pull request. Files
// are relative to the root of the repository.
func WriteGitHub(w io.Writer, l List) error {
	out := bufio.NewWriter(w)
	for _, d := range l.Sorted() {
		fmt.Fprintf(out, "::%s file=%s%s,title=%s::%s\n",
			githubCommand(d.Severity), githubProperty(d.Range.File), githubPlace(d.Range), githubProperty(string(d.Code)), githubData(githubText(d)))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}

func githubCommand(s Severity) string {
	switch s {
	case Error:
		return "error"
	case Warning:
		return "warning"
	case Note:
		return "notice"
	}
	panic("diag: no such severity")
}

// githubPlace writes a range as properties. Columns are left out where it has
// several lines: they are refused there.
func githubPlace(r Range) string {
	if !r.Valid() {
		return ""
	}
	at := fmt.Sprintf(",line=%d,endLine=%d", r.Start.Line, r.End.Line)
	if r.Start.Line == r.End.Line {
		at += fmt.Sprintf(",col=%d,endColumn=%d", r.Start.Column, r.End.Column)
	}
	return at
}

// githubText says all that the text format says behind the place.
func githubText(d Diagnostic) string {
	lines := []string{visible(d.Message)}
	if d.Help != "" {
		lines = append(lines, "help: "+visibleLines(d.Help))
	}
	return strings.Join(append(lines, "more: snodo explain "+string(d.Code)), "\n")
}

// What ends a command, or separates its properties, is written as the number
// of the character. https://docs.github.com/actions/reference/workflow-commands
var (
	githubEscapes    = []string{"%", "%25", "\r", "%0D", "\n", "%0A"}
	inGitHubData     = strings.NewReplacer(githubEscapes...)
	inGitHubProperty = strings.NewReplacer(append(append([]string{}, githubEscapes...), ":", "%3A", ",", "%2C")...)
)

func githubData(s string) string     { return inGitHubData.Replace(s) }
func githubProperty(s string) string { return inGitHubProperty.Replace(s) }
