package compiler

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A controlCase is a known case of a validator, as far as a comparison needs it.
type controlCase struct {
	*caseForm
	dir    string // in the file system of its package
	needs  string // by its name in the plan, empty where there is none
	digest [sha256.Size]byte
}

// controls compares the known cases of every package that is part of both
// states. Cases of a validator that is gone went with it.
func (c *comparison) controls() error {
	for _, was := range c.was.units {
		is := c.unitNow(was)
		if is == nil || was.place.library {
			continue
		}
		for _, k := range c.was.forms[was].controls {
			heir, ok := c.subject(k)
			if !ok {
				continue
			}
			if err := c.cases(k, c.controlsOf(is, heir), heir); err != nil {
				return err
			}
		}
	}
	return nil
}

// unitNow returns the package that a package of the earlier state is now, nil
// where it is no part of this one any more.
func (c *comparison) unitNow(was *unit) *unit {
	if was == c.was.root {
		return c.is.root
	}
	for _, u := range c.is.units {
		if u != c.is.root && u.prefix == was.prefix {
			return u
		}
	}
	return nil
}

// subject returns the validator that the earlier controls would be for now.
// One that stands in no plan, since nothing uses it, goes by its name.
func (c *comparison) subject(k *controlsForm) (form, bool) {
	name := key(c.was.uses[k.subject.Range])
	if _, planned := c.was.plan.Validators[name]; planned {
		name = c.validators[name]
	}
	f, ok := c.is.declared[name]
	return f, ok
}

func (c *comparison) controlsOf(u *unit, subject form) *controlsForm {
	for _, k := range c.is.forms[u].controls {
		if c.is.uses[k.subject.Range] == subject {
			return k
		}
	}
	return nil
}

// cases looks for every earlier case among those of now, by its folder or, if
// that has another name, by what is in it.
func (c *comparison) cases(was, is *controlsForm, subject form) error {
	before, err := c.casesOf(c.was, was)
	if err != nil || len(before) == 0 {
		return err
	}
	if is == nil {
		c.found.Add(weaker(diag.SN917, headerOf(subject), fmt.Sprintf("write `controls %s` again", subject.declaration().Name.Text),
			"%s has no controls any more", called(subject.declaration())))
		return nil
	}
	after, err := c.casesOf(c.is, is)
	if err != nil {
		return err
	}
	for _, old := range before {
		kind := old.node.Word.Text
		at := slices.IndexFunc(after, func(k controlCase) bool { return k.node.Word.Text == kind && k.dir == old.dir })
		if at < 0 {
			at = slices.IndexFunc(after, func(k controlCase) bool { return k.node.Word.Text == kind && k.digest == old.digest })
		}
		if at < 0 {
			c.found.Add(weaker(diag.SN917, is.decl.Header, fmt.Sprintf("write it again: `%s %s`", kind, old.folder.Raw),
				"%s lost the %s case `%s`", called(is.decl), kind, old.folder.Value))
			continue
		}
		if d, ok := c.caseWeaker(old, after[at], c.criterionNow(c.was.uses[was.subject.Range], subject)); ok {
			c.found.Add(d)
		}
	}
	return nil
}

// criterionNow returns what finds the names that a criterion of a validator has
// now: those of its sentence, or else its own.
func (c *comparison) criterionNow(was, is form) func(name string) []string {
	before, ok := was.(*judgeForm)
	after, still := is.(*judgeForm)
	if !ok || !still {
		return func(name string) []string { return []string{name} }
	}
	texts, names := make(map[string]string), make(map[string][]string)
	then, _ := c.was.criteriaOf(before)
	for _, k := range then {
		texts[k.name.Text] = k.text.Value
	}
	now, _ := c.is.criteriaOf(after)
	for _, k := range now {
		names[k.text.Value] = append(names[k.text.Value], k.name.Text)
	}
	return func(name string) []string {
		if same := names[texts[name]]; len(same) > 0 {
			return same
		}
		return []string{name}
	}
}

// caseWeaker compares a case with what it was.
func (c *comparison) caseWeaker(was, is controlCase, now func(criterion string) []string) (diag.Diagnostic, bool) {
	at, kind := is.node.Range, is.node.Word.Text
	for _, v := range was.violates {
		if !slices.ContainsFunc(is.violates, func(n lang.Name) bool { return slices.Contains(now(v.Text), n.Text) }) {
			return weaker(diag.SN917, at, fmt.Sprintf("write `violates %s` again", v.Text),
				"the %s case `%s` no longer has to violate `%s`", kind, is.folder.Value, v.Text), true
		}
	}
	if was.needs != "" && c.evidence[was.needs] != is.needs {
		return weaker(diag.SN917, at, fmt.Sprintf("write `needs %s` again", word(was.needs)),
			"the %s case `%s` no longer needs `%s`", kind, is.folder.Value, word(was.needs)), true
	}
	if was.digest != is.digest {
		return weaker(diag.SN917, is.folder.Range, "put back what was in the folder, or write another case with a folder of its own",
			"the %s case `%s` is another one: what is in its folder changed", kind, is.folder.Value), true
	}
	return diag.Diagnostic{}, false
}

func (c *comparison) casesOf(s snapshot, k *controlsForm) ([]controlCase, error) {
	var out []controlCase
	for _, one := range k.cases {
		it := controlCase{caseForm: one, dir: path.Join(k.unit.place.dir, one.folder.Value)}
		if one.needs != nil {
			it.needs = key(s.uses[one.needs.Range])
		}
		var err error
		if it.digest, err = folderDigest(s.fileSystem(k.unit.place), it.dir); err != nil {
			return nil, &ReadError{Path: s.show(k.unit.place, it.dir), Err: err}
		}
		out = append(out, it)
	}
	return out, nil
}

// folderDigest sums up the names and contents of what is in a folder. Line
// ends count as one kind, because a checkout may have converted them, and of
// links and the like only that they are there.
func folderDigest(fsys fs.FS, dir string) ([sha256.Size]byte, error) {
	sum := sha256.New()
	err := fs.WalkDir(fsys, dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		var content []byte
		if entry.Type().IsRegular() {
			if content, err = fs.ReadFile(fsys, name); err != nil {
				return err
			}
		}
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
		fmt.Fprintf(sum, "%q %s %d\n%s\n", name[len(dir):], entry.Type(), len(content), content)
		return nil
	})
	return [sha256.Size]byte(sum.Sum(nil)), err
}
