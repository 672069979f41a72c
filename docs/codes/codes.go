// Package codes holds the page of every diagnostic code, as `snodo explain`
// prints it and as it is read on the web. What goes in are the pages of this
// folder, embedded when the binary is built; what comes out is their text.
// The package never reads the disk and knows no code by itself: which codes
// there are says lang/diag, and a test holds the two to one another.
package codes

import "embed"

//go:embed SN*.md
var pages embed.FS

// Page returns the page of a code written in full, such as SN503, in
// Markdown. It is false where there is no page.
func Page(code string) (string, bool) {
	text, err := pages.ReadFile(code + ".md")
	return string(text), err == nil
}
