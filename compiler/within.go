package compiler

import (
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/lang"
	"github.com/snodo-lang/snodo/lang/diag"
)

// within returns where the bytes from up to to of a text's value stand in the
// source. Where that cannot be told (an escape or a line end lies between),
// it is the whole text.
func within(t lang.Text, from, to int) diag.Range {
	line := strings.Count(t.Value[:from], "\n")
	if strings.Contains(t.Value[from:to], "\n") {
		return t.Range
	}
	inLine := from - (strings.LastIndexByte(t.Value[:from], '\n') + 1)
	raw, start := t.Raw, t.Range.Start
	if strings.HasPrefix(raw, `"""`) {
		return withinBlock(t, line, inLine, to-from)
	}
	at := strings.IndexByte(raw, '"') + 1 + from
	if at+to-from > len(raw) || strings.Contains(raw, `\`) || raw[at:at+to-from] != t.Value[from:to] {
		return t.Range
	}
	return stretch(t.Range.File, start, raw[:at], raw[at:at+to-from])
}

// withinBlock finds a place in a block by its line. The first raw line is no
// line of the value where nothing follows its quotes, and every raw line may
// begin with indentation that the value does not have.
func withinBlock(t lang.Text, line, inLine, length int) diag.Range {
	shown := strings.Split(t.Value, "\n")[line]
	rawLines := strings.Split(t.Raw, "\n")
	if strings.TrimRight(rawLines[0], "\r") == `"""` {
		line++
	}
	if line >= len(rawLines) {
		return t.Range
	}
	indent := strings.Index(rawLines[line], strings.TrimRight(shown, "\r"))
	if indent < 0 {
		return t.Range
	}
	start := t.Range.Start
	if line > 0 {
		start.Line += line
		start.Column = 1
		start.Offset += len(strings.Join(rawLines[:line], "\n")) + 1
	}
	from := indent + inLine
	return stretch(t.Range.File, start, rawLines[line][:from], rawLines[line][from:from+length])
}

// stretch returns the range of text behind before, which begins at start and
// holds no line end.
func stretch(file string, start diag.Position, before, text string) diag.Range {
	start.Column += utf8.RuneCountInString(before)
	start.Offset += len(before)
	end := start
	end.Column += utf8.RuneCountInString(text)
	end.Offset += len(text)
	return diag.Range{File: file, Start: start, End: end}
}
