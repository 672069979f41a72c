package bench_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/snodo-lang/snodo/bench/inputs"
	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
)

// source is a package that stands alone.
func source(files map[string][]byte) compiler.Source {
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: text}
	}
	return compiler.Source{FS: fsys, Dir: "."}
}

// eachPackage runs a benchmark on packages of growing size.
func eachPackage(b *testing.B, work func(b *testing.B, src compiler.Source)) {
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			files := inputs.Package(n)
			size := 0
			for _, text := range files {
				size += len(text)
			}
			b.SetBytes(int64(size))
			b.ReportAllocs()
			src := source(files)
			for b.Loop() {
				work(b, src)
			}
		})
	}
}

// BenchmarkCheck checks packages with so many validators.
func BenchmarkCheck(b *testing.B) {
	eachPackage(b, func(b *testing.B, src compiler.Source) {
		if report, err := compiler.Check(src); err != nil || !report.OK() {
			b.Fatalf("%v, %v", report.Diagnostics, err)
		}
	})
}

// BenchmarkCompile compiles packages with so many validators and writes their
// plans.
func BenchmarkCompile(b *testing.B) {
	eachPackage(b, func(b *testing.B, src compiler.Source) {
		p, report, err := compiler.Compile(src)
		if err != nil || p == nil {
			b.Fatalf("%v, %v", report.Diagnostics, err)
		}
		if _, err := plan.Encode(p); err != nil {
			b.Fatal(err)
		}
	})
}
