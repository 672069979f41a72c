package importer

import "strings"

// tools takes the commands that the protocol names for all.
func (im *importer) tools(root *node) {
	if e := root.takeScalar("test_command"); e != nil {
		im.tooling = append(im.tooling, command{"test", strings.TrimSpace(e.value.text), e.line, e, e.value, false})
	}
	e := root.take("tooling", "commands")
	if e == nil {
		return
	}
	if e.value.kind != mapping {
		e.taken = false
		return
	}
	im.head.body.carry(e.comments)
	e.comments = nil
	im.limit = im.durationOf(&im.head.body, e.value, e.key)
	for _, t := range e.value.fields {
		run := ""
		if words, ok := t.value.scalars(); ok && len(words) > 0 && !t.taken {
			run = commandLine(words)
		} else if t.value.kind == mapping {
			run = commandOf(t.value)
		}
		if run != "" {
			t.taken = true
			im.tooling = append(im.tooling, command{t.key, run, t.line, t, t.value, false})
		}
	}
	im.leftovers(&im.head.body, e.value, e.key)
}

// A command is one that the protocol names for all.
type command struct {
	word, run string
	line      int
	entry     *entry
	node      *node
	used      bool
}

// testWords are the spellings of the command that runs the tests.
var testWords = []string{"test", "tests", "test_command", "quality"}

// commandFor returns the protocol's command for a check that has none: the one
// of its name, else the one that runs the tests.
func (im *importer) commandFor(v *validator) string {
	known := [][]string{{fold(v.written)}}
	if v.tests {
		known = append(known, testWords)
	}
	for _, words := range known {
		for i, c := range im.tooling {
			for _, w := range words {
				if fold(c.word) == w {
					im.tooling[i].used = true
					return c.run
				}
			}
		}
	}
	return ""
}

// ownChecks declares the commands that no check uses, in a gate of every mode.
func (im *importer) ownChecks() {
	for _, c := range im.tooling {
		if c.used {
			continue
		}
		word := strings.TrimSuffix(fold(c.word), "_command")
		v := &validator{written: word, line: c.line, giver: check, phase: post, run: c.run, entry: c.entry, node: c.node, lead: c.entry.above()}
		if c.node.kind != mapping {
			v.node = &node{kind: mapping, line: c.line}
		}
		v.name = im.name(word, "check", c.line)
		v.apart, v.notes.owner, v.body.owner = true, v.name, v.name
		im.say(Line{c.line, "tooling " + c.word + ": " + c.run, "it is the check " + v.name + ", in a gate of every mode"})
		im.finish(v)
		im.validators = append(im.validators, v)
		for _, s := range im.stages {
			if !s.review {
				s.members = append(s.members, v)
			}
		}
	}
}
