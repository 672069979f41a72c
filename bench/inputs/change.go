package inputs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const changeProtocol = `snodo 1

protocol change "A change is held to rules" {
}

review inspection "The change is inspected" {
  post_execute {
    panel scope, tests, secrets
    proceed when all pass
    blocker -> halt
  }
}

rule scope "The change stays in the sources" {
  phase post_execute
  files_in_scope "src/**"
}

rule tests "What changed has a test" {
  phase post_execute
  tests_exist_for_modified "src/**/*.go" tested by "src/**/*_test.go"
}

rule secrets "No credential is added" {
  phase post_execute
  no_secrets_in_diff
}
`

// Change makes a repository in a folder. Its newest commit changes so many
// files of forty lines, two lines in each, and its protocol holds that to
// three rules.
func Change(ctx context.Context, dir string, files int) error {
	var in bytes.Buffer
	blob := func(path, text string) {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
	}
	commit := func(message string) {
		fmt.Fprintf(&in, "commit refs/heads/main\ncommitter Bench <bench@example.com> 1767225600 +0000\ndata %d\n%s\n", len(message), message)
	}
	source := func(i int, word string) string {
		line := fmt.Sprintf("func query%d(in string) error { return run(escape(in)) }\n", i)
		return "package part\n\n" + strings.Repeat(line, 18) + word + strings.Repeat(line, 18) + word
	}
	commit("Begin")
	blob("protocol.snodo", changeProtocol)
	blob("src/all_test.go", "package src\n")
	for i := range files {
		blob(sourceName(i), source(i, "// as it was\n"))
	}
	commit("Change")
	for i := range files {
		blob(sourceName(i), source(i, "// as it is now\n"))
	}
	for _, c := range []struct {
		args []string
		in   []byte
	}{
		{[]string{"init", "-q", "-b", "main", "."}, nil},
		{[]string{"fast-import", "--quiet"}, in.Bytes()},
		{[]string{"reset", "-q", "--hard", "main"}, nil},
	} {
		if err := git(ctx, dir, c.in, c.args...); err != nil {
			return fmt.Errorf("make change: %w", err)
		}
	}
	return nil
}

func sourceName(i int) string { return fmt.Sprintf("src/part%d/file%d.go", i/100, i) }

// Repository makes a repository with one commit in a folder and returns the
// id of the commit.
func Repository(ctx context.Context, dir string) (string, error) {
	if err := Change(ctx, dir, 0); err != nil {
		return "", err
	}
	ref, err := os.ReadFile(filepath.Join(dir, ".git", "refs", "heads", "main"))
	if err != nil {
		return "", fmt.Errorf("make repository: %w", err)
	}
	return strings.TrimSpace(string(ref)), nil
}

func git(ctx context.Context, dir string, in []byte, args ...string) error {
	c := exec.CommandContext(ctx, "git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	c.Stdin = bytes.NewReader(in)
	if out, err := c.CombinedOutput(); err != nil {
		return errors.Join(fmt.Errorf("git %s: %w", args[0], err), errors.New(string(out)))
	}
	return nil
}
