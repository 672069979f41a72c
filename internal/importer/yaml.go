package importer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// firstInvalid returns the line of the first byte that is not UTF-8, or 0.
func firstInvalid(src []byte) int {
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return 1 + bytes.Count(src[:at], []byte("\n"))
		}
		at += size
	}
	return 0
}

// A shapeError is why a file is not given to the parser, whose stack grows
// with the depth of what it reads, and whose time with its documents.
type shapeError struct {
	line   int
	reason string
}

func (e shapeError) Error() string { return e.reason }

func tooDeep(line int) error {
	return shapeError{line, fmt.Sprintf("collections stand in one another more than %d deep", maxDepth)}
}

// parse calls the YAML library. A panic of it is a file that it cannot read.
func parse(src []byte) (tokens token.Tokens, tree *ast.File, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("the reader of YAML gave up: %v", reason)
		}
	}()
	tokens = lexer.Tokenize(string(src))
	if err := shape(tokens); err != nil {
		return nil, nil, err
	}
	kept := make(token.Tokens, 0, len(tokens))
	for _, t := range tokens {
		if t.Type != token.CommentType {
			kept = append(kept, t)
		}
	}
	tree, err = parser.Parse(kept, 0, parser.AllowDuplicateMapKey())
	return tokens, tree, err
}

// shape keeps the depth of collections, the anchors and tags before one value
// and the number of documents within bounds.
func shape(tokens token.Tokens) error {
	flow, prefixes, heads, line := 0, 0, 0, 0
	var columns []int
	for _, t := range tokens {
		switch t.Type {
		case token.CommentType:
			continue
		case token.DocumentHeaderType:
			if heads++; heads > maxHeads {
				return shapeError{t.Position.Line, fmt.Sprintf("more than %d documents begin in it, and a protocol is one", maxHeads)}
			}
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow = max(0, flow-1)
		}
		if t.Type == token.AnchorType || t.Type == token.TagType {
			prefixes++
		} else if t.Type != token.StringType {
			prefixes = 0
		}
		opens := t.Type == token.SequenceEntryType || t.Type == token.MappingKeyType
		if t.Position.Line != line || opens {
			line = t.Position.Line
			for len(columns) > 0 && columns[len(columns)-1] >= t.Position.Column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, t.Position.Column)
		}
		if flow+len(columns) > maxDepth {
			return tooDeep(t.Position.Line)
		}
		if prefixes > maxPrefix {
			return shapeError{t.Position.Line, fmt.Sprintf("more than %d anchors and tags stand before one value", maxPrefix)}
		}
	}
	return nil
}

// located returns the line and the reason of an error of the YAML library.
func located(err error) (int, string) {
	var refused shapeError
	var syntax *yaml.SyntaxError
	switch {
	case errors.As(err, &refused):
		return refused.line, refused.reason
	case errors.As(err, &syntax) && syntax.Token != nil && syntax.Token.Position != nil:
		return syntax.Token.Position.Line, syntax.Message
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return 0, reason
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}
