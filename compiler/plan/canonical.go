package plan

import (
	"bytes"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"
)

// AppendCanonical appends to dst the canonical form of one JSON value that is
// written as programs write it: no space between its tokens, members with
// different names of ASCII letters, whole numbers that a float64 holds. For
// everything else, be it JSON or not, ok is false: it has to go the long way,
// through the library. What is accepted comes out as the library has it.
func AppendCanonical(dst, value []byte) (out []byte, ok bool) {
	w := writers.Get().(*canonicalWriter)
	w.in, w.at, w.out = value, 0, dst
	ok = w.value(0) && w.at == len(value)
	if ok {
		dst = w.out
	}
	w.in, w.out = nil, nil
	writers.Put(w)
	return dst, ok
}

// writers are kept for the room that they have made.
var writers = sync.Pool{New: func() any { return new(canonicalWriter) }}

// maxCanonicalDepth is how deep values may be nested on the short way.
const maxCanonicalDepth = 200

// A canonicalWriter goes over a value once. Objects are written as they come
// and put in order at their ends, where they are not in order already.
type canonicalWriter struct {
	in      []byte
	at      int // in in
	out     []byte
	members []member // of the objects that are open
	spare   []byte
}

// A member is one of an object that is open, by offsets into what is written:
// its name, in quotes, and its end.
type member struct{ start, nameEnd, end int }

func (w *canonicalWriter) value(depth int) bool {
	if w.at == len(w.in) || depth > maxCanonicalDepth {
		return false
	}
	switch c := w.in[w.at]; {
	case c == '{':
		return w.object(depth)
	case c == '[':
		return w.array(depth)
	case c == '"':
		_, ok := w.text()
		return ok
	case c == '-' || '0' <= c && c <= '9':
		return w.number()
	}
	return w.literal("true") || w.literal("false") || w.literal("null")
}

func (w *canonicalWriter) literal(word string) bool {
	if !bytes.HasPrefix(w.in[w.at:], []byte(word)) {
		return false
	}
	w.at += len(word)
	w.out = append(w.out, word...)
	return true
}

// number takes a whole number of so few digits that a float64 holds it and
// writes it the same way.
func (w *canonicalWriter) number() bool {
	const most = 15
	start := w.at
	if w.in[w.at] == '-' {
		w.at++
	}
	first := w.at
	for w.at < len(w.in) && '0' <= w.in[w.at] && w.in[w.at] <= '9' {
		w.at++
	}
	digits := w.in[first:w.at]
	if len(digits) == 0 || len(digits) > most || digits[0] == '0' && w.at-start > 1 {
		return false
	}
	if w.at < len(w.in) && (w.in[w.at] == '.' || w.in[w.at]|0x20 == 'e') {
		return false
	}
	w.out = append(w.out, w.in[start:w.at]...)
	return true
}

// takes goes over one punctuation character, if it is there.
func (w *canonicalWriter) takes(c byte) bool {
	if w.at == len(w.in) || w.in[w.at] != c {
		return false
	}
	w.at++
	return true
}

func (w *canonicalWriter) array(depth int) bool {
	w.at++
	w.out = append(w.out, '[')
	if w.takes(']') {
		w.out = append(w.out, ']')
		return true
	}
	for {
		if !w.value(depth + 1) {
			return false
		}
		if w.takes(']') {
			w.out = append(w.out, ']')
			return true
		}
		if !w.takes(',') {
			return false
		}
		w.out = append(w.out, ',')
	}
}

func (w *canonicalWriter) object(depth int) bool {
	w.at++
	w.out = append(w.out, '{')
	if w.takes('}') {
		w.out = append(w.out, '}')
		return true
	}
	first := len(w.members)
	defer func() { w.members = w.members[:first] }()
	for {
		m := member{start: len(w.out)}
		if w.at == len(w.in) || w.in[w.at] != '"' {
			return false
		}
		if plain, ok := w.text(); !ok || !plain || !w.takes(':') {
			return false
		}
		m.nameEnd = len(w.out)
		w.out = append(w.out, ':')
		if !w.value(depth + 1) {
			return false
		}
		m.end = len(w.out)
		w.members = append(w.members, m)
		if w.takes('}') {
			break
		}
		if !w.takes(',') {
			return false
		}
		w.out = append(w.out, ',')
	}
	if !w.order(w.members[first:]) {
		return false
	}
	w.out = append(w.out, '}')
	return true
}

// name returns the name of a member without its quotes.
func (w *canonicalWriter) name(m member) []byte { return w.out[m.start+1 : m.nameEnd-1] }

// order puts the members of the object that was written last in order. It is
// false where two have the same name.
func (w *canonicalWriter) order(members []member) bool {
	ordered := true
	for i := 1; i < len(members); i++ {
		ordered = ordered && bytes.Compare(w.name(members[i-1]), w.name(members[i])) < 0
	}
	if ordered {
		return true
	}
	start := members[0].start
	slices.SortFunc(members, func(a, b member) int { return bytes.Compare(w.name(a), w.name(b)) })
	for i := 1; i < len(members); i++ {
		if bytes.Equal(w.name(members[i-1]), w.name(members[i])) {
			return false
		}
	}
	w.spare = append(w.spare[:0], w.out[start:]...)
	w.out = w.out[:start]
	for i, m := range members {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = append(w.out, w.spare[m.start-start:m.end-start]...)
	}
	return true
}

// text takes a text in quotes. It is plain where it has no escapes and nothing
// but ASCII, so that its bytes stand in the order that texts have.
func (w *canonicalWriter) text() (plain, ok bool) {
	plain = true
	start := w.at
	for w.at++; w.at < len(w.in); {
		switch c := w.in[w.at]; {
		case c == '"':
			w.at++
			w.out = append(w.out, w.in[start:w.at]...)
			return plain, true
		case c == '\\':
			plain = false
			w.out = append(w.out, w.in[start:w.at]...)
			if !w.escape() {
				return false, false
			}
			start = w.at
		case c < ' ':
			return false, false
		case c < utf8.RuneSelf:
			w.at++
		default:
			r, size := utf8.DecodeRune(w.in[w.at:])
			if r == utf8.RuneError && size == 1 {
				return false, false
			}
			plain = false
			w.at += size
		}
	}
	return false, false
}

// escape takes an escape and writes its character, escaped only where it has
// to be. Halves of surrogate pairs are left to the library.
func (w *canonicalWriter) escape() bool {
	if w.at+1 >= len(w.in) {
		return false
	}
	c := w.in[w.at+1]
	switch c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		w.out = append(w.out, '\\', c)
		w.at += 2
		return true
	case '/':
		w.out = append(w.out, '/')
		w.at += 2
		return true
	case 'u':
	default:
		return false
	}
	const length = len(`\u0000`)
	if w.at+length > len(w.in) {
		return false
	}
	code, err := strconv.ParseUint(string(w.in[w.at+2:w.at+length]), 16, 16)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return false
	}
	w.at += length
	w.out = appendEscaped(w.out, rune(code))
	return true
}

func appendEscaped(out []byte, r rune) []byte {
	const digits = "0123456789abcdef"
	if short := bytes.IndexRune([]byte("\"\\\b\f\n\r\t"), r); short >= 0 {
		return append(out, '\\', `"\bfnrt`[short])
	}
	if r < ' ' {
		return append(out, '\\', 'u', '0', '0', digits[r>>4], digits[r&0xf])
	}
	return utf8.AppendRune(out, r)
}
