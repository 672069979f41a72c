package docstest

import (
	"regexp"
	"strings"
)

// A Line is a command line that a page shows: `snodo check --strict`.
type Line struct {
	Line    int    // in the page, from 1
	Text    string // as it stands there
	Typed   bool   // it stands in a console block, and is executed
	Inline  bool   // it stands in a sentence
	Program string // snodo or snodoc
	Command string // of snodo; empty where none is named
	Flags   []string
}

var (
	// program is how a command line begins, from a terminal or a checkout. A
	// number behind it makes it the first line of a source.
	program = regexp.MustCompile(`^(?:[A-Z_]+=\S* )*(?:go run \./cmd/)?(snodoc?)(?: +([^0-9 ].*)?$|$)`)
	// quotedText is what a shell takes as one text.
	quotedText = regexp.MustCompile(`"[^"]*"|'[^']*'`)
	flag       = regexp.MustCompile(`(?:^|[\s\[|(])(--?[A-Za-z][A-Za-z0-9-]*)`)
	word       = regexp.MustCompile(`^[a-z]+$`)
	span       = regexp.MustCompile("`([^`\n]+)`")
	// standIn is a word for what a reader puts in its place.
	standIn = regexp.MustCompile(`\b[A-Z]{2,}\b|…|\[`)
)

// Lines returns the command lines of a page, wherever they stand.
func Lines(page string, blocks []Block) []Line {
	var all []Line
	covered := map[int]bool{}
	for _, b := range blocks {
		if b.Kind == Directive {
			covered[b.Line] = true
			continue
		}
		for i, text := range strings.Split("\n"+b.Text, "\n") {
			covered[b.Line+i] = true
			at := Line{Line: b.Line + i, Typed: strings.HasPrefix(b.Info, "console")}
			if b.Kind == Indented {
				at.Line--
			}
			text, typed := strings.CutPrefix(text, prompt)
			if at.Typed && !typed {
				continue
			}
			all = appendLine(all, at, text)
		}
	}
	for i, text := range strings.Split(page, "\n") {
		if covered[i+1] {
			continue
		}
		for _, m := range span.FindAllStringSubmatch(text, -1) {
			all = appendLine(all, Line{Line: i + 1, Inline: true}, m[1])
		}
	}
	return all
}

// appendLine takes a command line apart, if a text is one.
func appendLine(all []Line, l Line, text string) []Line {
	text, _, _ = strings.Cut(text, " # ")
	l.Text = strings.TrimSpace(text)
	m := program.FindStringSubmatch(l.Text)
	if m == nil {
		return all
	}
	l.Program = m[1]
	rest := quotedText.ReplaceAllString(m[2], "TEXT")
	if first, _, _ := strings.Cut(rest, " "); l.Program == "snodo" && word.MatchString(first) {
		l.Command = first
	}
	for _, f := range flag.FindAllStringSubmatch(rest, -1) {
		l.Flags = append(l.Flags, f[1])
	}
	return append(all, l)
}

// HasStandIn says whether a reader has to put something into the line before
// it can be typed.
func (l Line) HasStandIn() bool {
	_, rest, _ := strings.Cut(l.Text, l.Program)
	return standIn.MatchString(quotedText.ReplaceAllStringFunc(rest, func(quoted string) string {
		if said := strings.Trim(quoted, `"'`); said == Anything {
			return said
		}
		return ""
	}))
}
