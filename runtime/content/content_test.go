package content_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/runtime/content"
)

func TestBinaryIsWhatIsMostlyNoText(t *testing.T) {
	for b, want := range map[string]bool{
		"": false, "text\n": false, "tab\tand\r\nreturn": false, "\x1b[31mcolour": false,
		"one\x00 among much text that is plain": false,
		"a\x00\x01":                             false,
		"\x89PNG\x00\x01":                       false,
		"caf\xe9 in an old encoding, with more": false,
		strings.Repeat("漢", 40000):              false,
		strings.Repeat("\x00\x01\x02", 3):       true,
		strings.Repeat("a\x00", 9):              true,
		"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x06\x00\x00\x00": true,
	} {
		if got := content.IsBinary([]byte(b)); got != want {
			t.Errorf("IsBinary(%.20q) = %v", b, got)
		}
	}
}

// written writes a text in UTF-16, in the given order of bytes.
func written(text string, encoding content.Encoding) string {
	var out strings.Builder
	for _, u := range append([]uint16{0xFEFF}, utf16.Encode([]rune(text))...) {
		if encoding == content.UTF16LE {
			u = u<<8 | u>>8
		}
		out.Write([]byte{byte(u >> 8), byte(u)})
	}
	return out.String()
}

func TestTextIsReadInTheEncodingThatItAnnounces(t *testing.T) {
	const text = "package a // ü 漢 😀\r\n"
	for _, c := range []struct {
		name, bytes, text string
		encoding          content.Encoding
		ok                bool
	}{
		{"UTF-8", text, text, content.UTF8, true},
		{"nothing", "", "", content.UTF8, true},
		{"UTF-8 with a mark", "\ufeff" + text, "\ufeff" + text, content.UTF8, true},
		{"little end first", written(text, content.UTF16LE), text, content.UTF16LE, true},
		{"big end first", written(text, content.UTF16BE), text, content.UTF16BE, true},
		{"only a mark", "\xff\xfe", "", content.UTF16LE, true},
		{"half a unit", "\xff\xfea\x00b", "a\xff", content.UTF16LE, true},
		{"half a pair at the end", "\xff\xfea\x00\x3d\xd8", "a\xff", content.UTF16LE, true},
		{"half a pair before a letter", "\xff\xfe\x3d\xd8a\x00", "\xffa", content.UTF16LE, true},
		{"no mark", strings.TrimPrefix(written(text, content.UTF16LE), "\xff\xfe"), "", content.UTF8, false},
		{"UTF-32", "\xff\xfe\x00\x00" + strings.Repeat("a\x00\x00\x00", 9), "", content.UTF8, false},
		{"a mark before anything", "\xff\xfe" + strings.Repeat("\x01\x00\x00\xd8", 40), "", content.UTF16LE, false},
	} {
		text, encoding, ok := content.Read([]byte(c.bytes))
		if text != c.text || encoding != c.encoding || ok != c.ok {
			t.Errorf("%s: %q, %s, %v", c.name, text, encoding, ok)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("text\n"))
	f.Add([]byte("\xff\xfea\x00\x3d\xd8\x00\xde"))
	f.Add([]byte("\xfe\xff\x00a\xd8"))
	f.Add([]byte("\xff\xfe\x00\x00a"))
	f.Fuzz(func(t *testing.T, b []byte) {
		text, encoding, ok := content.Read(b)
		if !ok && text != "" {
			t.Errorf("%q was read of what is binary", text)
		}
		if ok && encoding == content.UTF8 && text != string(b) {
			t.Errorf("%q became %q", b, text)
		}
		// Whole units of UTF-16 give their text back when they are written again.
		if ok && encoding != content.UTF8 && utf8.ValidString(text) && written(text, encoding) != string(b) {
			t.Errorf("%q became %q", b, text)
		}
	})
}
