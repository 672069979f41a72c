package lang

import (
	"bytes"
	"testing"
)

func BenchmarkParse(b *testing.B) {
	src := read(b, "testdata/tree/everything.snodo")
	decls := src[bytes.Index(src, []byte("protocol")):]
	src = append(src, bytes.Repeat(decls, 20)...)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, diags := Parse("f", src); len(diags) > 0 {
			b.Fatal(diags)
		}
	}
}
