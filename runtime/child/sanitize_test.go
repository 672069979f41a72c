package child

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestSanitize(t *testing.T) {
	for _, test := range []struct{ name, in, want string }{
		{"text", "plain\ttext\n", "plain\ttext\n"},
		{"other scripts", "naïve 漢字 🙂\n", "naïve 漢字 🙂\n"},
		{"colour", "\x1b[1;31mred\x1b[0m", "red"},
		{"cursor", "a\x1b[2K\x1b[1Gb", "ab"},
		{"title", "\x1b]0;owned\x07text", "text"},
		{"title ended by ST", "\x1b]0;owned\x1b\\text", "text"},
		{"hyperlink", "\x1b]8;;http://a/\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"device control", "\x1bP1$r\x1b\\text", "text"},
		{"open title hides its line only", "\x1b]0;x\nnext", "\nnext"},
		{"open control hides its line only", "\x1b[31\nnext", "\nnext"},
		{"control of one character", "\u009b31mred", "red"},
		{"charset", "\x1b(Btext", "text"},
		{"backspace", "pass\b\b\b\bfail", "passfail"},
		{"progress", "1%\r2%\r\n", "1%\n2%\n"},
		{"windows lines", "a\r\nb\r\n", "a\nb\n"},
		{"several returns", "a\r\r\nb", "a\nb"},
		{"bidirectional", "a\u202eb\u2066c", "abc"},
		{"zero width", "pa\u200bss", "pass"},
		{"tags", "a\U000e0041b", "ab"},
		{"line separator", "a\u2028b", "ab"},
		{"NUL", "a\x00b", "ab"},
		{"invalid", "a\xffb\xc3", "a\uFFFDb\uFFFD"},
		{"escape in an escape", "\x1b[3\x1b[31mred", "red"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Sanitize(test.in); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[31mb\x1b]0;t\x07c\r\nd\r", "\xff\xc3\x1b", "\x1b]8;;\x1b", "\u009b1\u009d\u2028"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		got := Sanitize(text)
		if !utf8.ValidString(got) {
			t.Fatalf("invalid UTF-8: %q", got)
		}
		for _, r := range got {
			if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("%U is left of %q", r, text)
			}
		}
		if again := Sanitize(got); again != got {
			t.Fatalf("not stable: %q became %q", got, again)
		}
		// The pieces in which text arrives make no difference.
		at = min(max(at, 0), len(text))
		var s sanitizer
		var out strings.Builder
		s.write(&out, []byte(text[:at]))
		s.write(&out, []byte(text[at:]))
		s.flush(&out)
		if out.String() != got {
			t.Fatalf("in pieces %q, at once %q", out.String(), got)
		}
	})
}

func FuzzRecorder(f *testing.F) {
	f.Add("some text\nof lines 漢字\n", 8, 3)
	f.Add(strings.Repeat("x", 9000), 64, 4097)
	f.Fuzz(func(t *testing.T, text string, keep, at int) {
		keep, at = min(max(keep, 2), 1<<12), min(max(at, 0), len(text))
		var seen strings.Builder
		r := &recorder{half: keep / 2, sink: func(line string) { seen.WriteString(line) }}
		r.write([]byte(text[:at]))
		r.write([]byte(text[at:]))
		o := r.end()
		whole := Sanitize(text)
		if int64(len(o.Head)+len(o.Tail))+o.Omitted != int64(len(whole)) {
			t.Fatalf("%d + %d + %d is not %d", len(o.Head), len(o.Tail), o.Omitted, len(whole))
		}
		if !strings.HasPrefix(whole, o.Head) || !strings.HasSuffix(whole, o.Tail) {
			t.Fatalf("head %q and tail %q are not of %q", o.Head, o.Tail, whole)
		}
		if want := strings.ReplaceAll(whole, "\n", ""); seen.String() != want {
			t.Fatalf("the sink saw %q, want %q", seen.String(), want)
		}
	})
}
