package importer

import "strings"

// A role is a person or team.
type role struct {
	name, text string
	lead       []comment
	notes      block
}

func (im *importer) roleSection(entries []*entry) {
	for _, e := range entries {
		r := &role{lead: e.above()}
		id := identify(e, "role")
		if strings.TrimSpace(id.written) == "" {
			im.ask(&im.head.body, e.line, "a role", "it has no name")
			im.head.body.quote(entryLines("-", "", e.value)...)
			continue
		}
		r.name = im.name(id.written, "role", id.line)
		if r.text = oneLine(id.title); r.text == "" {
			r.text = oneLine(id.written)
		}
		describe(&r.notes, id)
		if e.value.kind == list {
			im.odd(&r.notes, e.line, r.name, e.value)
		}
		if e.value.kind == mapping {
			im.leftovers(&r.notes, e.value, r.name)
		}
		im.roles = append(im.roles, r)
	}
}

// asked returns the role that is asked what a judge cannot tell: the first
// one, or one that is made.
func (im *importer) asked() string {
	if len(im.roles) > 0 {
		return im.roles[0].name
	}
	r := &role{name: im.names.free("author", "role"), text: "The author of the protocol"}
	im.roles = append(im.roles, r)
	im.say(Line{0, "roles", "there is none; " + r.name + " is asked what a judge cannot tell, so say who that is"})
	return r.name
}

// evidence returns the name of what a judge requests when it cannot tell.
func (im *importer) evidenceKind() string {
	if im.evidence == "" {
		owner := im.asked()
		im.evidence = im.names.free("human-read", "evidence")
		im.say(Line{0, "what judges request", "a judge that cannot tell must be able to ask; every judge may request " + im.evidence +
			" from " + owner + "; write an evidence for whatever else could settle it"})
	}
	return im.evidence
}
