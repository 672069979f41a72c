// Table measures whole processes of snodo and the Go benchmarks, over inputs
// of growing size, and prints one table. It builds the programs and makes the
// inputs in a folder that it removes; the repository is not written to.
//
// It judges nothing: no number makes it fail.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A section measures one thing in all its sizes.
type section struct {
	name    string
	measure func(ctx context.Context, b *bench) error
}

func sections() []section {
	return []section{
		{"startup", startup},
		{"packages", packages},
		{"changes", changes},
		{"records", records},
		{"runs", runsBySize},
		{"go", goBenchmarks},
	}
}

// A bench holds the programs, where inputs are made, and the table so far.
type bench struct {
	bin  string // folder of the programs
	dir  string // for inputs
	rows []row
}

func (b *bench) program(name string) string { return filepath.Join(b.bin, name) }

// folder makes an empty one for an input.
func (b *bench) folder(name string) (string, error) {
	dir := filepath.Join(b.dir, name)
	return dir, os.MkdirAll(dir, 0o755)
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == measuringWord {
		os.Exit(measuring(os.Args[2:]))
	}
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) (err error) {
	asked := os.Args[1:]
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	for _, name := range asked {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no section %q; usage: bench/run [%s]…", name, strings.Join(names, "|"))
		}
	}
	dir, err := os.MkdirTemp("", "snodo-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	b := &bench{bin: filepath.Join(dir, "bin"), dir: dir}
	if err := build(ctx, b.bin); err != nil {
		return err
	}
	for _, s := range sections() {
		if len(asked) > 0 && !slices.Contains(asked, s.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "measuring %s\n", s.name)
		if err := s.measure(ctx, b); err != nil {
			return errors.Join(write(os.Stdout, b.rows), fmt.Errorf("measure %s: %w", s.name, err))
		}
	}
	return write(os.Stdout, b.rows)
}

func build(ctx context.Context, bin string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", bin+string(filepath.Separator), "./cmd/...")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w\n%s", err, out)
	}
	return nil
}
