package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/snodo-lang/snodo/runtime/content"
)

// A Kind is how a path differs between two commits. A rename is a deletion
// and an addition.
type Kind int

// The kinds of changes.
const (
	Added       Kind = iota + 1
	Modified         // other bytes, and perhaps another permission
	Deleted          //
	ModeChanged      // the same bytes, another permission
	TypeChanged      // a file, a link or a submodule took another's place
)

func (k Kind) String() string {
	switch k {
	case Added:
		return "added"
	case Modified:
		return "modified"
	case Deleted:
		return "deleted"
	case ModeChanged:
		return "mode changed"
	case TypeChanged:
		return "type changed"
	}
	panic(fmt.Sprintf("workspace: no word for kind %d", int(k)))
}

// A Side is a path as one of the two commits has it; its Mode is 0 where it
// has none.
type Side struct {
	Mode Mode
	ID   string
	Size int64 // bytes; of a submodule 0
}

// A Change is one path that differs.
type Change struct {
	Path     string
	Kind     Kind
	Old, New Side
	Lines    Lines
	Binary   bool // either side is not text, see content.IsBinary
	Leaves   bool // it is a link that leaves the tree
}

// Lines counts the lines that a change adds and removes. They are counted by
// their newlines in binary files too.
type Lines struct{ Added, Removed int }

// Submodule reports whether a submodule appears or moves at the path.
func (c Change) Submodule() bool { return c.New.Mode == Submodule }

// A ChangeSet is what differs between two commits, as their bytes say it,
// whatever attributes and configuration claim. It may be used side by side.
type ChangeSet struct {
	Base, Head Commit
	Changes    []Change // in the order of git, which is by path

	// LeavingLinks are the links of Head that lead out of its tree and did
	// not in Base; sorted. A link need not have changed itself to be one.
	LeavingLinks []string

	repo *Repository
	mu   sync.Mutex
	text map[string]FileDiff // filled by the first Diff
}

// byBytes are the options of every diff: what it says depends on nothing but
// the two trees.
var byBytes = []string{
	"-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "--no-relative",
	"--full-index", "--no-abbrev", "--diff-algorithm=myers", "--no-indent-heuristic",
}

// diffTree runs `git diff-tree` between the two commits.
func diffTree(base, head Commit, options ...string) []string {
	args := append([]string{"diff-tree"}, byBytes...)
	return append(append(args, options...), string(base), string(head), "--")
}

// Changes returns what differs between two commits.
func (r *Repository) Changes(ctx context.Context, base, head Commit) (*ChangeSet, error) {
	if err := errors.Join(r.checkCommit(base), r.checkCommit(head)); err != nil {
		return nil, err
	}
	s := &ChangeSet{Base: base, Head: head, repo: r}
	out, err := r.git.output(ctx, diffTree(base, head, "-z", "--raw")...)
	if err == nil {
		s.Changes, err = parseRaw(out)
	}
	if err == nil {
		err = s.count(ctx)
	}
	if err == nil {
		err = s.sample(ctx)
	}
	if err == nil {
		err = s.findLeavingLinks(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("find changes: %w", err)
	}
	return s, nil
}

// Find returns the change of a path.
func (s *ChangeSet) Find(path string) (Change, bool) {
	for _, c := range s.Changes {
		if c.Path == path {
			return c, true
		}
	}
	return Change{}, false
}

// Paths returns the paths that differ.
func (s *ChangeSet) Paths() []string {
	paths := make([]string, len(s.Changes))
	for i, c := range s.Changes {
		paths[i] = c.Path
	}
	return paths
}

// parseRaw reads pairs of ":<mode> <mode> <id> <id> <status>" and a path.
func parseRaw(out []byte) ([]Change, error) {
	fields := records(out)
	if len(fields)%2 != 0 {
		return nil, errors.New("git diff-tree answered with a record cut short")
	}
	var changes []Change
	for i := 0; i < len(fields); i += 2 {
		facts := strings.Fields(strings.TrimPrefix(fields[i], ":"))
		if len(facts) != 5 || fields[i+1] == "" {
			return nil, fmt.Errorf("git diff-tree answered %q", words(fields[i]))
		}
		old, err := parseMode(facts[0])
		if err != nil {
			return nil, err
		}
		now, err := parseMode(facts[1])
		if err != nil {
			return nil, err
		}
		c := Change{Path: fields[i+1], Old: Side{Mode: old, ID: facts[2]}, New: Side{Mode: now, ID: facts[3]}}
		switch {
		case old == 0:
			c.Kind = Added
		case now == 0:
			c.Kind = Deleted
		case old.IsFile() != now.IsFile() || !old.IsFile() && old != now:
			c.Kind = TypeChanged
		case c.Old.ID == c.New.ID:
			c.Kind = ModeChanged
		default:
			c.Kind = Modified
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// count fills in the numbers of lines. It reads the patch, since git's own
// count leaves out what it takes for binary.
func (s *ChangeSet) count(ctx context.Context) error {
	lines := make(map[string]Lines, len(s.Changes))
	err := s.patch(ctx, "-U0", func(p patchLine) error {
		if !p.inHunk || p.text == "" {
			return nil
		}
		n := lines[p.change.Path]
		switch p.text[0] {
		case '+':
			n.Added++
		case '-':
			n.Removed++
		}
		lines[p.change.Path] = n
		return nil
	})
	for i, c := range s.Changes {
		s.Changes[i].Lines = lines[c.Path]
	}
	return err
}

// sample looks at the content of every side, for its size and whether it is
// text. What is too large to be read counts as binary.
func (s *ChangeSet) sample(ctx context.Context) error {
	for i := range s.Changes {
		c := &s.Changes[i]
		for _, side := range []*Side{&c.Old, &c.New} {
			if side.Mode == 0 || side.Mode == Submodule {
				continue
			}
			blob, size, err := s.repo.objects.read(ctx, side.ID, MaxBlob)
			var tooLarge *TooLargeError
			if err != nil && !errors.As(err, &tooLarge) {
				return err
			}
			side.Size = size
			c.Binary = c.Binary || err != nil || content.IsBinary(blob)
		}
	}
	return nil
}
