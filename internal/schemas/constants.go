package schemas

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// Constants returns the texts of the constants of a Go file whose names begin
// with prefix, so that a closed set of words can be held to all that there are.
func Constants(file, prefix string) ([]string, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read constants: %w", err)
	}
	var words []string
	for _, d := range tree.Decls {
		of, ok := d.(*ast.GenDecl)
		if !ok || of.Tok != token.CONST {
			continue
		}
		for _, spec := range of.Specs {
			s := spec.(*ast.ValueSpec)
			for i, v := range s.Values {
				text, ok := v.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING || !strings.HasPrefix(s.Names[i].Name, prefix) {
					continue
				}
				word, err := strconv.Unquote(text.Value)
				if err != nil {
					return nil, fmt.Errorf("read constants: %w", err)
				}
				words = append(words, word)
			}
		}
	}
	return words, nil
}
