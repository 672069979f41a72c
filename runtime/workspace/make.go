package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A State is what a commit of a made repository holds: the files of FS, but
// for those that are withheld.
type State struct {
	FS       fs.FS
	Withheld []string // slash-separated paths
}

// MakeRepository makes a repository in a folder, which must not exist, with a
// commit of each state upon the one before, and checks out the first. The same
// states and time give the same commits. Nothing that the user or the states
// configure for git changes a byte. What was made before an error is removed.
func MakeRepository(ctx context.Context, dir string, when time.Time, states ...State) ([]Commit, error) {
	place, err := newFolder(dir)
	if err != nil {
		return nil, fmt.Errorf("make repository: %w", err)
	}
	commits, err := fill(ctx, place, when, states)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("make repository %s: %w", place, err), RemoveAll(place))
	}
	return commits, nil
}

func fill(ctx context.Context, dir string, when time.Time, states []State) ([]Commit, error) {
	g := gitIn(dir).setting(raw).variables(identity(when)...)
	if _, err := g.output(ctx, "init", "--quiet", "--template=", "--initial-branch=main", "."); err != nil {
		return nil, err
	}
	info := filepath.Join(dir, ".git", "info")
	if err := errors.Join(os.MkdirAll(info, 0o700), os.WriteFile(filepath.Join(info, "attributes"), []byte(rawAttributes), 0o600)); err != nil {
		return nil, err
	}
	var commits []Commit
	for _, s := range states {
		if err := replaceWith(dir, s); err != nil {
			return nil, err
		}
		// A file that an ignore file of the state names is part of it all the same.
		if _, err := g.output(ctx, "add", "--all", "--force", "."); err != nil {
			return nil, err
		}
		if _, err := g.output(ctx, "commit", "--quiet", "--allow-empty", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--message=state"); err != nil {
			return nil, err
		}
		head, err := g.line(ctx, "rev-parse", "HEAD")
		if err != nil {
			return nil, err
		}
		commits = append(commits, Commit(head))
	}
	if len(commits) > 1 {
		if _, err := g.output(ctx, "reset", "--quiet", "--hard", string(commits[0])); err != nil {
			return nil, err
		}
	}
	return commits, nil
}

// replaceWith puts a state in the place of what is checked out.
func replaceWith(dir string, s State) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == ".git" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	if err := os.CopyFS(dir, s.FS); err != nil {
		return err
	}
	for _, name := range s.Withheld {
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
