package plan

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/gowebpki/jcs"
)

// plainly are values that programs write, and crookedly values that are left
// to the library, JSON or not.
var (
	plainly = []string{
		`null`, `true`, `0`, `-1`, `999999999999999`, `""`, `[]`, `{}`, `[1,[2,[]],{}]`,
		`{"b":1,"a":2}`, `{"b":{"d":1,"c":[{"f":null,"e":false}]},"a":2}`, `{"a":1,"aa":2,"A":3}`, `{"":1,"!":2,"~":3}`,
		`"a\"b\\c\/d\b\f\n\r\t"`, `"\u003c\u003E\u0026\u2028\u2029\u0000\u001f\u0008\u000a\u0022\u005c\u007f\ufffd\uFFFF"`, `"Grüße 語 😀"`,
		`{"a":"é","b":"\u00e9"}`,
	}
	crookedly = []string{
		``, ` 1`, `1 `, "[1, 2]", "{\"a\": 1}", `01`, `-`, `-0`, `1.0`, `1e3`, `1E3`, `1000000000000000`, `+1`, `.5`, `tru`, `truex`, `nul`,
		`"`, `"a`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\ud83d\ude00"`, `"\udc00"`, "\"a\nb\"", "\"\xff\"", "\"\xc3\"", `"a"b`,
		`[`, `[1`, `[1,`, `[,]`, `[1,]`, `[1]]`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{,}`, `{a:1}`, `{1:1}`, `{"a" :1}`,
		`{"a":1,"a":2}`, `{"b":1,"a":1,"b":2}`, `{"é":1}`, `{"\n":1}`, `{"a":1}{"b":2}`, `1,2`, "\ufeff1",
	}
)

func TestWhatProgramsWriteTakesTheShortWay(t *testing.T) {
	for _, value := range plainly {
		got, ok := AppendCanonical([]byte("before"), []byte(value))
		want, err := jcs.Transform([]byte(value))
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if !ok || string(got) != "before"+string(want) {
			t.Errorf("%s: %s, %v, want %s", value, got, ok, want)
		}
	}
}

func TestEverythingElseIsLeftToTheLibrary(t *testing.T) {
	deep := bytes.Repeat([]byte("["), 100_000)
	for _, value := range append(crookedly, string(deep)) {
		if got, ok := AppendCanonical([]byte("before"), []byte(value)); ok || string(got) != "before" {
			t.Errorf("%.40q is taken, as %.40s", value, got)
		}
	}
}

// What takes the short way is JSON, and comes out as by the long way.
func FuzzTheShortWayLeadsWhereTheLongOneDoes(f *testing.F) {
	for _, list := range [][]string{plainly, crookedly} {
		for _, value := range list {
			f.Add([]byte(value))
		}
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		got, ok := AppendCanonical(nil, value)
		if !ok {
			return
		}
		if !json.Valid(value) {
			t.Fatalf("%q is no JSON, and comes out as %s", value, got)
		}
		want, err := jcs.Transform(value)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%q comes out as %s, want %s, %v", value, got, want, err)
		}
	})
}
