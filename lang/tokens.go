package lang

import "github.com/snodo-lang/snodo/lang/diag"

// Tokens returns the tokens of one file, before any of them is given a
// meaning, its comments, and what is wrong with the tokens. It is for those
// who show sources: what they colour is what Parse reads. A file above the
// limit of 4 MiB is read up to there.
func Tokens(path string, src []byte) ([]Token, []Comment, diag.List) {
	diags := new(reports)
	scanned, comments := scan(newSource(path, src[:min(len(src), MaxFile)], diags), diags)
	tokens := make([]Token, 0, len(scanned))
	for _, t := range scanned {
		r := diag.Range{File: path, Start: t.start.position(), End: t.end.position()}
		tokens = append(tokens, Token{Kind: tokenKinds[t.kind], Text: t.text, Range: r})
	}
	return tokens, comments, diags.sorted()
}
