package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// withBenchmarks are the packages whose Go benchmarks stand in the table.
var withBenchmarks = []string{"./bench", "./lang"}

// goBenchmarks runs each benchmark three times and keeps the least.
func goBenchmarks(ctx context.Context, b *bench) error {
	c := exec.CommandContext(ctx, "go", append([]string{"test", "-run", "-", "-bench", ".", "-benchmem", "-count", "3", "-benchtime", "0.5s"}, withBenchmarks...)...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return fmt.Errorf("go benchmarks: %w\n%s", err, out)
	}
	b.rows = append(b.rows, parseBenchmarks(out)...)
	return nil
}

// sizedName is the name of a benchmark of one size, such as Check/1000-2. The
// last number is that of the processors.
var sizedName = regexp.MustCompile(`^Benchmark(\w+?)(?:/(\d+))?(?:-\d+)?$`)

// parseBenchmarks reads what go test prints: a name, how often, and pairs of a
// number and its unit.
func parseBenchmarks(out []byte) []row {
	var rows []row
	at := map[string]int{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		words := strings.Fields(lines.Text())
		if len(words) < 4 || !strings.HasPrefix(words[0], "Benchmark") {
			continue
		}
		name := sizedName.FindStringSubmatch(words[0])
		if name == nil {
			continue
		}
		r := row{what: "Go " + name[1]}
		r.size, _ = strconv.Atoi(name[2]) // none is 0
		r.measured(words[2:])
		i, seen := at[words[0]]
		switch {
		case !seen:
			at[words[0]] = len(rows)
			rows = append(rows, r)
		case r.least < rows[i].least:
			rows[i] = r
		}
	}
	return rows
}

// measured reads the pairs of a number and its unit.
func (r *row) measured(words []string) {
	var bytes, allocs string
	for i := 0; i+1 < len(words); i += 2 {
		n, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			return
		}
		switch unit := words[i+1]; unit {
		case "ns/op":
			r.least = time.Duration(n)
		case "MB/s":
			r.work, r.unit = n, "MB" // of one second
		case "B/op":
			bytes = memoryOf(n)
		case "allocs/op":
			allocs = grouped(int(n))
		default:
			r.beside = strings.TrimPrefix(r.beside+", "+words[i]+" "+unit, ", ")
		}
	}
	r.work *= r.least.Seconds()
	if allocs != "" {
		r.allocs = allocs + " of " + bytes
	}
}

func memoryOf(bytes float64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%.0f B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.0f KiB", bytes/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", bytes/(1<<20))
}
