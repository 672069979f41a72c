// Package docstest reads pages of Markdown as tests do: which blocks a page
// shows, which commands are typed in them and what is printed, and which
// command lines it mentions.
//
// The text of a page goes in; Blocks, Commands and Lines come out, and a Shell
// that types commands one after another as a reader would. The package knows
// nothing of snodo but how its run ids look, fails no test by itself, and
// changes nothing outside the folder that a Shell is given.
//
// # How a page is written
//
// The word behind the fence says what a block is:
//
//	```snodo            a whole package that checks
//	```snodo fragment   declarations out of one
//	```console          `$ command` lines, each with what it prints below it
//
// Any other fence, and an indented block, is there to be read. All console
// blocks of a page are typed in order into one shell in one folder, which is
// empty at first. In what is printed … stands for anything, alone on a line for
// any lines; a run id stands for the one that comes in its place, there and
// from there on; the time in the last column of a line does not count. A command exits with 0, or `$ echo $?` follows it.
//
// A comment says what a test has to do before it goes on to the next block,
// or about it:
//
//	<!-- file: NAME -->                the next block is saved under this name,
//	                                   a fragment behind the edition line
//	<!-- repository: ARCHIVE.txtar --> the files are unpacked here and committed;
//	                                   a folder is copied
//	<!-- endpoint: SCRIPTS.json -->    a scripted endpoint answers from here on
//	<!-- warns: SN414, SN210 -->       the next package has these warnings
package docstest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Block is a piece of a page that a test looks at, in the order of the page.
type Block struct {
	Line int    // of its first line in the page, from 1
	Kind Kind   // what it is
	Info string // of a fence, what stands behind it; of a directive, its word
	Text string // what is in a fence or an indented block; of a directive, what it says
}

// A Kind is one of the kinds of blocks.
type Kind int

// The kinds of blocks.
const (
	Fence     Kind = iota + 1 // between ``` lines
	Indented                  // four columns to the right
	Directive                 // <!-- word: what it says -->
)

// Directives are the words that a comment may begin with.
var Directives = []string{"endpoint", "file", "repository", "warns"}

var (
	fenceLine     = regexp.MustCompile("^(```+)([^`]*)$")
	directiveLine = regexp.MustCompile(`^<!-- ([a-z]+): (.*) -->$`)
)

// Blocks returns what a page shows, and the directives between. An error
// names the line of a fence that is not closed, or of an unknown directive.
func Blocks(page string) ([]Block, error) {
	var all []Block
	lines := strings.Split(page, "\n")
	blank := true // what is indented is a block only behind a blank line
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		switch {
		case fenceLine.MatchString(line):
			m := fenceLine.FindStringSubmatch(line)
			end := slices.Index(lines[i+1:], m[1])
			if end < 0 {
				return nil, fmt.Errorf("line %d: the fence is not closed", i+1)
			}
			all = append(all, Block{Line: i + 1, Kind: Fence, Info: strings.TrimSpace(m[2]), Text: joined(lines[i+1 : i+1+end])})
			i += end + 1
		case directiveLine.MatchString(line):
			m := directiveLine.FindStringSubmatch(line)
			if !slices.Contains(Directives, m[1]) {
				return nil, fmt.Errorf("line %d: there is no directive %q; there are %s", i+1, m[1], strings.Join(Directives, ", "))
			}
			all = append(all, Block{Line: i + 1, Kind: Directive, Info: m[1], Text: m[2]})
		case blank && strings.HasPrefix(line, "    "):
			end := i
			for end < len(lines) && strings.HasPrefix(lines[end], "    ") {
				end++
			}
			var text []string
			for _, l := range lines[i:end] {
				text = append(text, l[4:])
			}
			all = append(all, Block{Line: i + 1, Kind: Indented, Text: joined(text)})
			i = end - 1
		}
		blank = strings.TrimSpace(lines[i]) == ""
	}
	return all, nil
}

func joined(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return strings.Join(lines, "\n") + "\n"
}
