package importer

import (
	"slices"
	"strings"
)

// write puts the package together.
func (im *importer) write(doc *document) []byte {
	im.exclusive()
	var stages block
	for _, s := range im.stages {
		im.fitGrants(s)
		im.gates(s)
		im.idle(&s.notes, s.policy)
		im.idleDepth(&s.notes, s.depth)
		im.writeStage(&stages, s)
	}
	im.idle(&im.head.body, im.policy)
	im.idleDepth(&im.head.body, im.depth)
	im.rest(doc)
	var b block
	b.line("snodo 1")
	b.line("")
	im.writeHead(&b)
	for _, r := range im.roles {
		b.line("")
		b.carry(r.lead)
		b.lines = append(b.lines, r.notes.lines...)
		b.line("role %s %s", r.name, quoted(r.text))
	}
	if im.evidence != "" {
		b.line("")
		b.line(`evidence %s(question text) from %s "Read what the question is about, and answer it: {question}"`, im.evidence, im.asked())
	}
	for _, v := range slices.Concat(im.validators, im.rules) {
		im.noteCaps(v)
		writeValidator(&b, v)
	}
	for _, c := range im.coders {
		b.line("")
		b.line("coder %s {", c.name)
		b.lines = append(b.lines, c.notes.lines...)
		b.lines = append(b.lines, c.body.lines...)
		b.line("}")
	}
	b.lines = append(b.lines, stages.lines...)
	if len(doc.loose) > 0 {
		b.line("")
		b.carry(doc.loose)
	}
	return []byte(strings.Join(b.lines, "\n") + "\n")
}

func (im *importer) writeHead(b *block) {
	h := &im.head
	b.carry(h.lead)
	b.line("protocol %s%s {", h.name, title(h.title))
	b.lines = append(b.lines, h.body.lines...)
	if h.starts != "" {
		b.line("starts %s", h.starts)
	}
	if len(h.protects) > 0 {
		b.line("protects %s", texts(h.protects))
	}
	if strings.TrimSpace(h.prepare) != "" {
		b.line("prepare %s", text(h.prepare))
	}
	b.line("}")
}

// writeValidator writes a declaration, or what stands in the place of one that
// was switched off.
func writeValidator(b *block, v *validator) {
	b.line("")
	b.carry(v.lead)
	if v.gone {
		b.lines = append(b.lines, v.notes.lines...)
		b.comment("Not declared: " + v.name + ". It read:")
		head := "-"
		if v.entry.key != "" {
			head = v.entry.key + ":"
		}
		b.quote(entryLines(head, "", v.entry.value)...)
		return
	}
	b.line("%s %s%s {", givers[v.giver], v.name, title(v.title))
	b.lines = append(b.lines, v.notes.lines...)
	b.lines = append(b.lines, v.body.lines...)
	b.line("}")
}

func (im *importer) writeStage(b *block, s *stage) {
	b.line("")
	b.carry(s.lead)
	word := "mode"
	if s.review {
		word = "review"
	}
	b.line("%s %s%s {", word, s.name, title(s.title))
	b.lines = append(b.lines, s.notes.lines...)
	if !s.review {
		b.line("coder %s", s.coder.name)
	}
	if len(s.in) > 0 && len(s.grants) > 0 {
		b.line("grants %s in %s", strings.Join(s.grants, ", "), texts(s.in))
	} else if len(s.grants) > 0 {
		s.powers = append(s.grants, s.powers...)
	}
	if len(s.powers) > 0 {
		b.line("grants %s", strings.Join(s.powers, ", "))
	}
	if len(s.hands) > 0 {
		b.line("hands to %s", strings.Join(s.hands, ", "))
	}
	b.lines = append(b.lines, s.body.lines...)
	b.line("}")
}

// rest carries what found no place: comments of keys that became nothing, and
// those behind everything.
func (im *importer) rest(doc *document) {
	var homeless []comment
	for _, e := range doc.root.fields {
		homeless = append(homeless, e.takeComments()...)
	}
	for _, c := range homeless {
		im.say(Line{c.line, "the comment #" + c.text, "it found no place, so it stands at the end"})
	}
	doc.loose = append(homeless, doc.loose...)
}
