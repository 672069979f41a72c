package importer

import (
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/internal/starter"
)

// stageTools are the tools of a stage, by what the older engine called them.
var stageTools = map[string][]string{
	"write_file": {"write_file"}, "create_file": {"write_file"}, "write": {"write_file"},
	"edit_file": {"edit_file"}, "apply_patch": {"edit_file"}, "patch": {"edit_file"}, "str_replace": {"edit_file"},
	"edit": {"write_file", "edit_file"}, "dispatch": {"write_file", "edit_file"}, "dispatch_task": {"write_file", "edit_file"},
	"delete_file": {"delete_file"}, "remove_file": {"delete_file"},
	"commit": {"commit"}, "git_commit": {"commit"}, "stage_files": {"commit"},
	"publish": {"publish"}, "pr": {"publish"}, "create_pr": {"publish"}, "push": {"publish"}, "git_push": {"publish"},
	"merge": {"merge"}, "git_merge": {"merge"}, "merge_branch": {"merge"}, "merge_pr": {"merge"},
	"approve": {"approve"}, "approve_pr": {"approve"},
	"run_check": {"run_check"}, "run_tests": {"run_check"}, "test": {"run_check"}, "validate": {"run_check"},
	"review": {"read_file", "list_files", "read_diff"}, "read": {"read_file", "list_files"}, "assess": {"read_file", "list_files"},
}

var (
	writing = []string{"write_file", "edit_file", "delete_file"}
	reading = []string{"read_file", "read_file_lines", "list_files", "search_text", "git_log", "git_show", "read_diff"}
	powers  = []string{"commit", "approve", "merge", "publish"}
)

// toolsOf takes the tools of a mode, and settles with them whether it is one.
func (im *importer) toolsOf(s *stage) {
	e := s.node.take("tools", "grants", "allowed_tools")
	s.in = im.globsOf(&s.notes, s.node.take("write_paths", "allowed_paths", "paths"), s.name)
	var words []*node
	if e != nil {
		s.notes.carry(e.takeComments())
		var ok bool
		if words, ok = e.value.scalars(); !ok {
			e.taken, words = false, nil
		}
	}
	var all []string
	for _, w := range words {
		tools := im.translated(s, w)
		s.words = append(s.words, toolWord{w, tools})
		for _, t := range tools {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	hasCoder := s.node.has("coder", "coder_config")
	s.review = e != nil && !hasCoder && !slices.ContainsFunc(all, func(t string) bool { return slices.Contains(writing, t) })
	if s.review {
		im.say(Line{s.line, s.name, "it holds no tool that changes a file, so it is a review: it executes nothing and judges a proposal or a work that exists"})
	} else if !slices.ContainsFunc(all, func(t string) bool { return slices.Contains(writing, t) }) {
		im.ask(&s.notes, s.line, of(s.name, "tools"), "its coder is granted nothing that changes a file; write_file and edit_file stand here until you say what it may do, and a stage that changes nothing is a review")
		all = append(all, "write_file", "edit_file")
	}
	for _, t := range all {
		if slices.Contains(powers, t) {
			s.powers = append(s.powers, t)
		} else {
			s.grants = append(s.grants, t)
		}
	}
	s.fitPowers()
}

// A toolWord is a tool of the older engine, and what it is here.
type toolWord struct {
	written *node
	tools   []string
}

// translated returns what a tool of the older engine is called here.
func (im *importer) translated(s *stage, w *node) []string {
	word := fold(w.text)
	if tools, known := stageTools[word]; known {
		return tools
	}
	if judgeTools[word] != "" {
		return []string{judgeTools[word]}
	}
	im.note(&s.notes, w.line, of(s.name, "tool "+w.text), "dropped: no equivalent; a coder that is a command runs what it likes in its folder, and is held to what it changes")
	return nil
}

// fitPowers keeps the powers that a stage may have.
func (s *stage) fitPowers() {
	s.powers = slices.DeleteFunc(s.powers, func(p string) bool {
		switch {
		case p == "approve" && !s.review:
			s.refused[p] = "nobody approves what their own stage wrote; write a review that is granted it"
		case p == "commit" && s.review:
			s.refused[p] = "a review makes no work that could be committed"
		}
		return s.refused[p] != ""
	})
}

// fitGrants keeps the tools that a stage may be granted, once its coder and
// its gates are known, and says what became of each that was written.
func (im *importer) fitGrants(s *stage) {
	hasCheck := slices.ContainsFunc(s.members, func(v *validator) bool { return v.giver == check && v.phase == post && !v.gone })
	model := s.coder != nil && s.coder.model != ""
	s.grants = slices.DeleteFunc(s.grants, func(t string) bool {
		switch {
		case t == "run_check" && !(model && hasCheck):
			s.refused[t] = "run_check is for a coder that is a model, in a mode whose gates hold a check; a gate runs its checks by itself"
		case slices.Contains(reading, t) && s.review:
			s.refused[t] = "a review executes nothing; its judges have grants of their own"
		case slices.Contains(reading, t) && !model:
			s.refused[t] = "a coder that is a command reads what it likes in its folder"
		}
		return s.refused[t] != ""
	})
	for _, w := range s.words {
		im.sayTool(s, w)
	}
}

// leftToDecide is why a power was taken away that the author must place.
const leftToDecide = "left to decide"

// sayTool says what became of a tool that was written.
func (im *importer) sayTool(s *stage, w toolWord) {
	if len(w.tools) == 0 {
		return
	}
	line, what, first := w.written.line, of(s.name, "tool "+w.written.text), w.tools[0]
	switch {
	case s.refused[first] == leftToDecide:
	case s.refused[first] != "":
		im.note(&s.notes, line, what, "not granted: "+s.refused[first])
	case slices.Contains(powers, first):
		im.say(Line{line, what, "it is the power " + first + ": the runtime exercises it after the last gate, and never whoever does the work"})
	case len(w.tools) > 1 && slices.Contains(w.tools, "edit_file"):
		im.say(Line{line, what, "it is write_file and edit_file; grant delete_file as well where files may vanish"})
	case len(w.tools) > 1 || first != w.written.text:
		im.say(Line{line, what, "it is " + strings.Join(w.tools, ", ")})
	}
}

// exclusive leaves merge and approve to one stage each: a review before a mode.
func (im *importer) exclusive() {
	for _, p := range []string{"merge", "approve"} {
		var holders []*stage
		for _, review := range []bool{true, false} {
			for _, s := range im.stages {
				if s.review == review && slices.Contains(s.powers, p) {
					holders = append(holders, s)
				}
			}
		}
		for i, s := range holders {
			if i > 0 {
				s.powers = slices.DeleteFunc(s.powers, func(q string) bool { return q == p })
				s.refused[p] = leftToDecide
				im.ask(&s.notes, s.line, of(s.name, p), "at most one stage may hold it, and "+holders[0].name+" does; say which shall")
			}
		}
	}
}

// A coder is who does the work of modes.
type coder struct {
	name, run, model string
	line             int
	notes, body      block
}

// coderOf takes the coder of a mode, or the protocol's.
func (im *importer) coderOf(s *stage, root *node) {
	if s.review {
		return
	}
	e, config := s.node.take("coder"), s.node.take("coder_config")
	if own := e != nil || config != nil; !own && im.shared != nil {
		s.coder = im.shared
		return
	} else if !own {
		e, config = root.take("coder"), root.take("coder_config")
		defer func() { im.shared = s.coder }()
	}
	for _, said := range []*entry{e, config} {
		if said == nil {
			continue
		}
		s.notes.carry(said.comments)
		said.comments = nil
		if said.value.kind == list || said == config && said.value.kind == scalar {
			im.odd(&s.notes, said.line, of(s.name, said.key), said.value)
		}
	}
	var settings *node
	switch {
	case config != nil && config.value.kind == mapping && e != nil && e.value.kind == mapping:
		settings = &node{kind: mapping, fields: slices.Concat(e.value.fields, config.value.fields)}
	case config != nil && config.value.kind == mapping:
		settings = config.value
	case e != nil && e.value.kind == mapping:
		settings = e.value
	default:
		settings = &node{kind: mapping}
	}
	word := ""
	if e != nil && e.value.kind == scalar {
		word = e.value.text
	} else if n := settings.takeScalar("name", "type", "backend", "coder_id", "id"); n != nil {
		word = n.value.text
	}
	s.coder = im.coder(s, word, settings)
}

// coder returns the coder of a word and its settings, one for each kind.
func (im *importer) coder(s *stage, word string, settings *node) *coder {
	c := &coder{line: s.line}
	base := strings.NewReplacer("-cli", "", "-code", "", "_cli", "", "_code", "").Replace(strings.ToLower(word))
	for _, known := range starter.Coders {
		if base == known.Program {
			c.run = known.Run
		}
	}
	if e := settings.take("command", "run", "cmd"); e != nil {
		if words, ok := e.value.scalars(); ok && len(words) > 0 {
			c.run = commandLine(words)
		} else {
			e.taken = false
		}
	}
	if c.run == "" && strings.ContainsAny(word, " /") {
		c.run = word
	}
	if c.run == "" {
		if m := settings.takeScalar("model"); m != nil {
			c.model = m.value.text
		}
	}
	im.orElse(c, s, word)
	for _, there := range im.coders {
		if there.run == c.run && there.model == c.model {
			im.leftovers(&s.notes, settings, of(s.name, "coder"))
			return there
		}
	}
	name := word
	if name == "" || strings.ContainsAny(name, " /") {
		name = "coder-1"
		if program, _, _ := strings.Cut(c.run, " "); mended(program, "coder") == program {
			name = program
		}
	}
	c.name = im.names.free(mended(name, "coder"), "coder")
	c.notes.owner = c.name
	im.budget(c, settings)
	im.leftovers(&c.notes, settings, c.name)
	im.coders = append(im.coders, c)
	return c
}

// budget writes what a coder may use up.
func (im *importer) budget(c *coder, settings *node) {
	limit := im.durationOf(&c.notes, settings, c.name)
	if c.model == "" {
		if limit != "" {
			limit = " timeout " + limit
		}
		c.body.line("run %s%s", text(c.run), limit)
		return
	}
	c.body.line("model %s", quoted(c.model))
	im.number(&c.notes, &c.body, settings, c.name, "turns", 1, 200, "max_turns", "turns", "max_iterations")
	im.number(&c.notes, &c.body, settings, c.name, "tokens", 256, 200_000, "max_tokens", "tokens")
	if limit != "" {
		c.body.line("timeout %s", limit)
	}
}

// orElse settles a coder of which nothing says what it is.
func (im *importer) orElse(c *coder, s *stage, word string) {
	if c.run != "" || c.model != "" {
		return
	}
	c.run = starter.Coders[0].Run
	if word != "" {
		im.ask(&c.notes, s.line, of(s.name, "coder: "+word), "what it runs was settled elsewhere; `"+c.run+"` stands here until you write the command or the model")
		return
	}
	im.say(Line{0, "coder", "none is named; `" + c.run + "` stands here, so put yours in its place"})
}
