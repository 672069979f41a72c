package bench_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/snodo-lang/snodo/bench/inputs"
	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/record/stats"
)

// BenchmarkStatistics counts the last 200 verdicts among 100,000, and the 200
// before them.
func BenchmarkStatistics(b *testing.B) {
	worktree := b.TempDir()
	if err := inputs.Records(worktree, 100_000); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		records, err := stats.Kept(worktree)
		if err != nil {
			b.Fatal(err)
		}
		r, err := stats.Read(context.Background(), records, stats.Question{Last: 200})
		if err != nil {
			b.Fatal(err)
		}
		if n := r.Asked.Panel.Unclear; n != 50 || r.Before == nil {
			b.Fatalf("%d unclear of 200, %v before", n, r.Before)
		}
	}
}

// BenchmarkLoad reads and proves the events of one run.
func BenchmarkLoad(b *testing.B) {
	p, _, err := compiler.Compile(source(inputs.Package(1)))
	if err != nil {
		b.Fatal(err)
	}
	frozen, err := plan.Encode(p)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			worktree := b.TempDir()
			id, err := inputs.Run(worktree, frozen, strings.Repeat("0", 40), n)
			if err != nil {
				b.Fatal(err)
			}
			dir := filepath.Join(record.Root(worktree), id)
			info, err := os.Stat(filepath.Join(dir, "events.jsonl"))
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(info.Size())
			b.ReportAllocs()
			for b.Loop() {
				if events, _, err := record.Load(dir); err != nil || len(events) != n {
					b.Fatalf("%d events, %v", len(events), err)
				}
			}
		})
	}
}
