// Package content tells text from what is no text, by one rule for everybody
// who reads a repository: the bytes of a file go in, whether they are text
// and what it says come out. It never looks at names, and never guesses an
// encoding that the bytes do not announce.
package content

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// sampled is how much of a file decides whether it is binary, in bytes.
const sampled = 64 << 10

// fewOdd is how many odd bytes never make a file binary, however short it is.
const fewOdd = 8

// IsBinary reports whether bytes are not text: more than a tenth of their
// beginning are control characters or bytes that are no UTF-8. A few NULs
// make nothing binary, so that nobody hides a source file behind one. Text in
// UTF-16 is binary too, since it has no lines that another program could
// compare; Read makes text of it.
func IsBinary(b []byte) bool {
	whole := len(b) <= sampled
	b = b[:min(len(b), sampled)]
	odd := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			if whole || utf8.FullRune(b[i:]) {
				odd++
			}
		case r < ' ' && !strings.ContainsRune("\t\n\r\f\x1b", r), r == 0x7f:
			odd++
		}
		i += n
	}
	return odd > fewOdd && odd*10 > len(b)
}

// An Encoding is how a text was written.
type Encoding string

// The encodings that are read.
const (
	UTF8    Encoding = "UTF-8"
	UTF16LE Encoding = "UTF-16LE"
	UTF16BE Encoding = "UTF-16BE"
)

// Read returns the text that bytes hold, and how it was written: UTF-16 where
// a byte order mark announces it, which is then left out, and UTF-8
// otherwise. Where a unit of UTF-16 is none, the text holds a byte that is no
// UTF-8, as it does where the bytes themselves hold one. It is not ok for
// what is binary.
func Read(b []byte) (text string, encoding Encoding, ok bool) {
	encoding = UTF8
	switch {
	case len(b) >= 4 && b[0] == 0xFF && b[1] == 0xFE && b[2] == 0 && b[3] == 0:
		// UTF-32, which nothing writes source in.
	case len(b) >= 2 && b[0] == 0xFF && b[1] == 0xFE:
		b, encoding = fromUTF16(b[2:], binary.LittleEndian), UTF16LE
	case len(b) >= 2 && b[0] == 0xFE && b[1] == 0xFF:
		b, encoding = fromUTF16(b[2:], binary.BigEndian), UTF16BE
	}
	if IsBinary(b) {
		return "", encoding, false
	}
	return string(b), encoding, true
}

// fromUTF16 writes UTF-16 as UTF-8. What is no UTF-16 becomes a byte that is
// no UTF-8, so that it counts against the text.
func fromUTF16(b []byte, order binary.ByteOrder) []byte {
	out := make([]byte, 0, len(b))
	for len(b) >= 2 {
		r := rune(order.Uint16(b))
		b = b[2:]
		if utf16.IsSurrogate(r) {
			pair := rune(utf8.RuneError)
			if len(b) >= 2 {
				pair = utf16.DecodeRune(r, rune(order.Uint16(b)))
			}
			if pair == utf8.RuneError {
				out = append(out, 0xFF)
				continue
			}
			r, b = pair, b[2:]
		}
		out = utf8.AppendRune(out, r)
	}
	if len(b) > 0 {
		out = append(out, 0xFF)
	}
	return out
}
