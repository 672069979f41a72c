package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/snodo-lang/snodo/bench/inputs"
)

// startup is what a command takes that has next to nothing to do.
func startup(ctx context.Context, b *bench) error {
	dir, err := writePackage(b, "small", inputs.Package(1))
	if err != nil {
		return err
	}
	for _, argv := range [][]string{{"version"}, {"explain", "SN501"}, {"check", "."}} {
		s, err := take(ctx, dir, 0, append([]string{b.program("snodo")}, argv...)...)
		if err != nil {
			return err
		}
		b.rows = append(b.rows, row{what: "snodo " + argv[0], of: "start-up", sample: s})
	}
	return nil
}

func writePackage(b *bench, name string, files map[string][]byte) (string, error) {
	dir, err := b.folder(name)
	if err != nil {
		return "", err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// A sized is a package of some size.
type sized struct {
	size  int
	of    string
	files map[string][]byte
}

// packages checks and compiles packages: by their number of validators, and
// two of one file by its length. Others check a document of the same length.
func packages(ctx context.Context, b *bench) error {
	byValidators, byLength := []sized{}, []sized{}
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		byValidators = append(byValidators, sized{n, "validators", inputs.Package(n)})
	}
	for _, kib := range []int{100, 1_024} {
		byLength = append(byLength, sized{kib, "KiB, one file", map[string][]byte{"protocol.snodo": inputs.PackageOfSize(kib << 10)}})
	}
	others := found()
	for _, sizes := range [][]sized{byValidators, byLength} {
		for _, command := range []struct {
			what string
			argv []string
		}{
			{"snodo check", []string{b.program("snodo"), "check", "."}},
			{"snodoc", []string{b.program("snodoc"), "."}},
		} {
			for _, in := range sizes {
				dir, err := writePackage(b, fmt.Sprintf("package-%d-%d", len(sizes), in.size), in.files)
				if err != nil {
					return err
				}
				s, err := take(ctx, dir, 0, command.argv...)
				if err != nil {
					return err
				}
				r := row{what: command.what, size: in.size, of: in.of, sample: s, work: float64(length(in.files)) / 1e6, unit: "MB"}
				if command.what == "snodo check" {
					if r.beside, err = others.beside(ctx, b, length(in.files), s); err != nil {
						return err
					}
				}
				b.rows = append(b.rows, r)
			}
		}
	}
	return nil
}

func length(files map[string][]byte) int {
	n := 0
	for _, text := range files {
		n += len(text)
	}
	return n
}

// changes holds a commit that changes so many files to three rules.
func changes(ctx context.Context, b *bench) error {
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		dir, err := b.folder(fmt.Sprintf("change-%d", n))
		if err != nil {
			return err
		}
		if err := inputs.Change(ctx, dir, n); err != nil {
			return err
		}
		s, err := take(ctx, dir, 0, b.program("snodo"), "run", "--work", "main", "--base", "main~1", "--task", "Change the words.")
		if err != nil {
			return err
		}
		b.rows = append(b.rows, row{what: "snodo run --work", size: n, of: "files", sample: s, work: float64(n), unit: "files"})
	}
	return nil
}

// records looks at the newest of repositories that hold so many verdicts, and
// counts all of them.
func records(ctx context.Context, b *bench) error {
	commands := [][]string{{"stats", "--last", "200"}, {"runs"}, {"stats"}}
	rows := make([][]row, len(commands))
	for _, n := range []int{1, 10, 100, 1_000, 10_000, 100_000} {
		dir, err := b.folder(fmt.Sprintf("records-%d", n))
		if err != nil {
			return err
		}
		if _, err := inputs.Repository(ctx, dir); err != nil {
			return err
		}
		if err := inputs.Records(dir, n); err != nil {
			return err
		}
		for i, argv := range commands {
			s, err := take(ctx, dir, 0, append([]string{b.program("snodo")}, argv...)...)
			if err != nil {
				return err
			}
			r := row{what: "snodo " + strings.Join(argv, " "), size: n, of: "verdicts", sample: s}
			if r.what == "snodo stats" {
				r.work, r.unit = float64(n), "verdicts"
			}
			rows[i] = append(rows[i], r)
		}
	}
	for _, r := range rows {
		b.rows = append(b.rows, r...)
	}
	return nil
}

// runsBySize verifies one run with so many events.
func runsBySize(ctx context.Context, b *bench) error {
	dir, err := b.folder("runs")
	if err != nil {
		return err
	}
	base, err := inputs.Repository(ctx, dir)
	if err != nil {
		return err
	}
	frozen, err := output(ctx, dir, b.program("snodoc"), ".")
	if err != nil {
		return err
	}
	for _, n := range []int{10, 100, 1_000, 10_000} {
		id, err := inputs.Run(dir, frozen, base, n)
		if err != nil {
			return err
		}
		s, err := take(ctx, dir, 0, b.program("snodo"), "verify", id)
		if err != nil {
			return err
		}
		b.rows = append(b.rows, row{what: "snodo verify", size: n, of: "events", sample: s, work: float64(n), unit: "events"})
	}
	return nil
}
