package compiler

import (
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/lang"
)

// What chooses between behaviours is told what to write instead, and is never
// read as the field that it is near to.
func TestNoWordWithAdviceIsReadAsAField(t *testing.T) {
	for word := range advice {
		for kind, p := range places {
			head := string(kind) + " x {\n"
			switch kind {
			case lang.KindRole:
				continue
			case lang.KindEvidence:
				head = "evidence x() \"x\" {\n"
			case lang.KindControls:
				head = "controls x {\n"
			}
			for _, value := range []string{"", " x", " 3", ` "x"`, ` x "x"`} {
				f, _ := lang.Parse("f", []byte("snodo 1\n"+head+"  "+word+value+"\n}\n"))
				d, ok := f.Decls[0].(*lang.Declaration)
				if !ok || len(d.Body) == 0 {
					continue
				}
				if u, ok := d.Body[0].(*lang.Unknown); ok && meaning(u, p) != nil {
					t.Errorf("%q in %s is read as %q", strings.TrimSpace(word+value), p.name, u.MeantWords)
				}
			}
		}
	}
}
