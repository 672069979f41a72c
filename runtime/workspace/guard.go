package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A Fingerprint is what of the caller's repository no child of a run may
// change: its configuration, hooks, attributes and refs, by name. Refs of runs
// are left out; those the runtime writes itself.
type Fingerprint map[string]string

// Fingerprint takes that of the repository as it is now.
func (r *Repository) Fingerprint(ctx context.Context) (Fingerprint, error) {
	f := Fingerprint{}
	for _, dir := range slices.Compact([]string{r.common, r.gitDir}) {
		for _, name := range []string{"config", "config.worktree", "info/attributes", "info/grafts", "objects/info/alternates", "shallow"} {
			if err := f.add(filepath.Join(dir, filepath.FromSlash(name)), name); err != nil {
				return nil, fmt.Errorf("look at the repository: %w", err)
			}
		}
	}
	hooks := filepath.Join(r.common, "hooks")
	err := filepath.WalkDir(hooks, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return err
		}
		inside, err := filepath.Rel(hooks, path)
		if err != nil {
			return err
		}
		return f.add(path, "hooks/"+filepath.ToSlash(inside))
	})
	if err != nil {
		return nil, fmt.Errorf("look at the repository: %w", err)
	}
	return f, r.addRefs(ctx, f)
}

// ownRefs are those that runs write: this one, and others at the same time.
var ownRefs = []string{"refs/snodo/", "refs/heads/snodo/", "refs/notes/", "refs/remotes/"}

func (r *Repository) addRefs(ctx context.Context, f Fingerprint) error {
	out, err := r.git.output(ctx, "for-each-ref", "--format=%(refname) %(objectname) %(symref)")
	if err != nil {
		return fmt.Errorf("look at the refs: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		name, at, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if !slices.ContainsFunc(ownRefs, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
			f[name] = at
		}
	}
	return f.add(filepath.Join(r.gitDir, "HEAD"), "HEAD")
}

// add notes the contents and the mode of a file, or that there is none.
func (f Fingerprint) add(path, name string) error {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		f[name] = info.Mode().String()
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	f[name] = info.Mode().String() + " " + hex.EncodeToString(sum[:])
	return nil
}

// Differs names what is otherwise in g, in order.
func (f Fingerprint) Differs(g Fingerprint) []string {
	names := maps.Clone(f)
	maps.Copy(names, g)
	var out []string
	for _, name := range slices.Sorted(maps.Keys(names)) {
		before, there := f[name]
		after, still := g[name]
		if there != still || before != after {
			out = append(out, name)
		}
	}
	return out
}
