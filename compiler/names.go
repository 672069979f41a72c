package compiler

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// A scope holds what the files of one unit declare.
type scope struct {
	// decls are the declarations of a name, in source order. More than one
	// is a collision, and was reported.
	decls map[string][]*lang.Declaration
	// ghosts are names of top-level statements that were meant to declare
	// something. What refers to one is not reported.
	ghosts map[string]bool
	// lost counts the declarations of a kind whose name a syntax error has
	// cost, so that not even a word of their line may be it.
	lost map[lang.Kind]int
	// cut says that a file is too long to be read to its end, so that it may
	// declare anything.
	cut bool
	// vague says that something stands at top level that cannot be told, so
	// that nothing is known to be missing.
	vague bool
}

// declareNames collects the names of every unit.
func declareNames(c *compilation) error {
	c.scopes = make(map[*unit]*scope)
	for _, u := range c.units {
		c.scopes[u] = c.declare(u)
	}
	return nil
}

func (c *compilation) declare(u *unit) *scope {
	s := &scope{decls: make(map[string][]*lang.Declaration), ghosts: make(map[string]bool), lost: make(map[lang.Kind]int)}
	var declarations []*lang.Declaration
	for _, f := range u.files {
		s.vague = s.vague || f.tree.Damaged
		s.cut = s.cut || len(f.text) > lang.MaxFile
		c.salvage(s, f)
		for _, d := range f.tree.Decls {
			switch d := d.(type) {
			case *lang.Unknown:
				switch meant := meaning(d, topLevel).(type) {
				case *lang.Declaration:
					declarations = append(declarations, meant)
				case *lang.Import:
				default:
					s.vague = true
					s.mayDeclare(d)
				}
			case *lang.Declaration:
				declarations = append(declarations, d)
			default:
				panic(fmt.Sprintf("compiler: no such declaration: %T", d))
			}
		}
	}
	c.declareAll(s, declarations)
	return s
}

// declareAll adds the declarations of a unit to its scope, in source order.
func (c *compilation) declareAll(s *scope, declarations []*lang.Declaration) {
	var protocol *lang.Declaration
	for _, d := range declarations {
		switch {
		case d.Kind != lang.KindProtocol:
		case protocol != nil:
			c.report(secondProtocol(d, protocol))
		default:
			protocol = d
		}
		c.declareOne(s, d)
	}
}

// mayDeclare notes the names that an unknown statement may have been meant to
// declare, or to import.
func (s *scope) mayDeclare(u *lang.Unknown) {
	for _, t := range u.Tokens {
		switch t.Kind {
		case lang.NameToken:
			s.ghosts[t.Text] = true
		case lang.TextToken:
			s.ghosts[path.Base(strings.Trim(t.Text, `"`))] = true
		}
	}
}

// declareOne adds one declaration to the scope. Controls have no name.
func (c *compilation) declareOne(s *scope, d *lang.Declaration) {
	if d.Kind == lang.KindControls || d.Name.Text == "" {
		return
	}
	if d.Guessed {
		s.lost[d.Kind]++
	}
	if lang.Reserved(d.Name.Text) {
		c.report(reservedName(d.Name))
	}
	if before := s.decls[d.Name.Text]; len(before) > 0 {
		first := before[0]
		// Two protocols are one protocol too many, whatever they are called.
		if first.Kind != lang.KindProtocol || d.Kind != lang.KindProtocol {
			c.report(nameTaken(d, first))
		}
	}
	s.decls[d.Name.Text] = append(s.decls[d.Name.Text], d)
}

// wordForm finds names in a source line.
var wordForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*`) })

// salvage adds the words of lines whose declaration or import a syntax error
// has cost, so that what refers to one of them is not reported as well.
func (c *compilation) salvage(s *scope, f *file) {
	if !f.tree.Damaged {
		return
	}
	lines := bytes.Split(f.text, []byte("\n"))
	for _, d := range c.diagnostics {
		if d.Range.File == f.name && strings.HasPrefix(string(d.Code), "SN1") && !insideDecl(f.tree, d.Range) {
			code, _, _ := strings.Cut(string(lines[d.Range.Start.Line-1]), "//")
			words := wordForm().FindAllString(code, -1)
			for _, w := range words {
				s.ghosts[w] = true
			}
			if named := slices.ContainsFunc(words, func(w string) bool { return !lang.Reserved(w) }); !named && len(words) > 0 {
				s.lost[lang.Kind(words[0])]++
			}
		}
	}
}

func insideDecl(f *lang.File, r diag.Range) bool {
	return slices.ContainsFunc(f.Decls, func(d lang.Decl) bool {
		whole := d.Span()
		return whole.Start.Offset <= r.Start.Offset && r.Start.Offset < whole.End.Offset
	})
}

// needProtocol reports a package that is to be compiled and has no protocol.
func (c *compilation) needProtocol() {
	f := c.forms[c.root]
	if f.protocol != nil || c.scopes[c.root].vague {
		return
	}
	for _, file := range c.root.files {
		if e := file.tree.Edition; e != nil {
			c.report(noProtocol(e.Range))
			return
		}
	}
}

func nameTaken(d, first *lang.Declaration) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN201, Range: d.Name.Range,
		Message: fmt.Sprintf("`%s` is declared twice", d.Name.Text),
		Help:    fmt.Sprintf("give this %s another name: all files of a package share one set of names", d.Kind),
		Related: []diag.Related{{Range: first.Name.Range, Message: fmt.Sprintf("the first `%s` is this %s", first.Name.Text, first.Kind)}},
	}
}

func secondProtocol(d, first *lang.Declaration) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN212, Range: d.Header,
		Message: "a package has at most one protocol, and this is another",
		Help:    "move it into a folder of its own; what both need can be imported from there",
		Related: []diag.Related{{Range: first.Header, Message: "the first protocol"}},
	}
}

func noProtocol(at diag.Range) diag.Diagnostic {
	return diag.Diagnostic{
		Code: diag.SN212, Range: at,
		Message: "the package has no protocol, so there is nothing to run",
		Help:    "it is a library: import it, or declare `protocol NAME { starts STAGE }`",
	}
}
