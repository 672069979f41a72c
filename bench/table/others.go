package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// An other is a program that checks documents too, of its own language.
type other struct {
	name, path string
	check      []string // the words before the document
	document   func(size int) []byte
	file       string
}

type others []other

// found returns those that are on PATH.
func found() others {
	var on others
	for _, o := range []other{
		{name: "cue", check: []string{"vet"}, document: cueDocument, file: "document.cue"},
		{name: "opa", check: []string{"check"}, document: regoDocument, file: "document.rego"},
	} {
		if path, err := exec.LookPath(o.name); err == nil {
			o.path = path
			on = append(on, o)
		}
	}
	return on
}

// beside says how a sample compares with what the others take to check a
// document of their own of the same length, measured right behind it.
func (on others) beside(ctx context.Context, b *bench, size int, s sample) (string, error) {
	var said []string
	for _, o := range on {
		path := filepath.Join(b.dir, o.file)
		if err := os.WriteFile(path, o.document(size), 0o644); err != nil {
			return "", err
		}
		theirs, err := take(ctx, b.dir, 0, append(append([]string{o.path}, o.check...), path)...)
		if err != nil {
			return "", err
		}
		said = append(said, fmt.Sprintf("%.2f of %s's %s", float64(s.least)/float64(theirs.least), o.name, shown(theirs.least)))
	}
	return strings.Join(said, ", "), nil
}

func cueDocument(size int) []byte {
	var out bytes.Buffer
	out.WriteString(`package document

#Judge: {
	title: string
	phase: "pre_execute" | "post_execute"
	turns: int & >=1 & <=200
	grants: [..."read_file" | "list_files" | "read_diff"]
	paths: [...string]
	criteria: [string]: string
}

`)
	for i := 0; out.Len() < size; i++ {
		fmt.Fprintf(&out, `"part-%d": #Judge & {
	title: "Part %d is as it should be"
	phase: "post_execute"
	turns: 12
	grants: ["read_file", "list_files", "read_diff"]
	paths: ["part%d/**", "docs/**"]
	criteria: boundary: "No changed line of part %d reaches into the internals of another part."
	criteria: errors:   "Every error of part %d names the operation that failed and what it failed on."
	criteria: limits:   "Whatever part %d reads from outside into memory is limited in size."
}

`, i, i, i, i, i, i)
	}
	return out.Bytes()
}

func regoDocument(size int) []byte {
	var out bytes.Buffer
	out.WriteString("package document\n\n")
	for i := 0; out.Len() < size; i++ {
		fmt.Fprintf(&out, `# Part %d is as it should be.
part_%d contains message if {
	input.phase == "post_execute"
	input.turns <= 12
	some file in input.files
	not startswith(file.path, "part%d/")
	not startswith(file.path, "docs/")
	file.tool in {"read_file", "list_files", "read_diff"}
	message := sprintf("%%s is no file of part %d, and reaches into the internals of another part", [file.path])
}

`, i, i, i, i)
	}
	return out.Bytes()
}

// output runs a program and returns what it prints.
func output(ctx context.Context, dir, program string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, program, args...)
	c.Dir = dir
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	return out, nil
}
