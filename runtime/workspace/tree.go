package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Mode is the kind of a tree's entry, in git's numbers.
type Mode uint32

// The modes that git knows.
const (
	Directory  Mode = 0o040000
	Regular    Mode = 0o100644
	Executable Mode = 0o100755
	Symlink    Mode = 0o120000
	Submodule  Mode = 0o160000
)

// IsFile reports whether the entry is a file with content of its own.
func (m Mode) IsFile() bool { return m == Regular || m == Executable }

func (m Mode) String() string { return fmt.Sprintf("%06o", uint32(m)) }

func parseMode(s string) (Mode, error) {
	n, err := strconv.ParseUint(s, 8, 32)
	if err != nil {
		return 0, fmt.Errorf("git mode %q is not a number", s)
	}
	m := Mode(n)
	if m&0o170000 == 0o100000 && m != Executable {
		return Regular, nil // early git kept other permissions
	}
	return m, nil
}

// An Entry is one name of a tree.
type Entry struct {
	Path string // from the root
	Mode Mode
	ID   string // object id
	Size int64  // bytes; 0 for folders and submodules
}

// A Blob is a file of a tree: its bytes, or the target of a link.
type Blob struct {
	Entry
	Content []byte
}

// MaxBlob is the largest file that ReadFile returns, in bytes.
const MaxBlob = 16 << 20

// A Tree is what a commit holds, read through git's objects and never from a
// checkout. It may be used side by side.
type Tree struct {
	repo   *Repository
	commit Commit

	mu       sync.Mutex
	entries  map[string]Entry
	children map[string][]string // names in a folder, sorted
	files    []Entry             // all but folders, sorted by path
}

// Tree returns the tree of a commit.
func (r *Repository) Tree(c Commit) *Tree { return &Tree{repo: r, commit: c} }

// Commit returns the commit whose tree it is.
func (t *Tree) Commit() Commit { return t.commit }

// load reads the names of the whole tree once. An error is not kept: the next
// call tries again.
func (t *Tree) load(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries != nil {
		return nil
	}
	all, err := t.repo.listTree(ctx, t.commit)
	if err != nil {
		return fmt.Errorf("read tree: %w", err)
	}
	entries := map[string]Entry{".": {Path: ".", Mode: Directory}}
	children := map[string][]string{}
	for _, e := range all {
		entries[e.Path] = e
		dir, name := path.Dir(e.Path), path.Base(e.Path)
		children[dir] = append(children[dir], name)
		if e.Mode != Directory {
			t.files = append(t.files, e)
		}
	}
	for _, names := range children {
		slices.Sort(names)
	}
	slices.SortFunc(t.files, func(a, b Entry) int { return strings.Compare(a.Path, b.Path) })
	t.entries, t.children = entries, children
	return nil
}

// listTree returns every entry of a commit's tree, folders included.
func (r *Repository) listTree(ctx context.Context, c Commit) ([]Entry, error) {
	if err := r.checkCommit(c); err != nil {
		return nil, err
	}
	out, err := r.git.output(ctx, "ls-tree", "-r", "-t", "-z", "-l", "--full-tree", string(c))
	if err != nil {
		return nil, err
	}
	return parseTree(out)
}

// parseTree reads records of "<mode> <type> <id> <size>\t<path>".
func parseTree(out []byte) ([]Entry, error) {
	var entries []Entry
	for _, record := range records(out) {
		facts, name, found := strings.Cut(record, "\t")
		fields := strings.Fields(facts)
		if !found || len(fields) != 4 || name == "" {
			return nil, fmt.Errorf("git ls-tree answered %q", words(record))
		}
		mode, err := parseMode(fields[0])
		if err != nil {
			return nil, err
		}
		e := Entry{Path: name, Mode: mode, ID: fields[2]}
		if fields[3] != "-" {
			size, err := strconv.ParseUint(fields[3], 10, 63)
			if err != nil {
				return nil, fmt.Errorf("git ls-tree answered %q", words(record))
			}
			e.Size = int64(size)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Stat returns the entry of a clean path; "." is the root. The error is a
// *PathError that is fs.ErrNotExist where there is none.
func (t *Tree) Stat(ctx context.Context, name string) (Entry, error) {
	if err := t.load(ctx); err != nil {
		return Entry{}, err
	}
	e, ok := t.entries[name]
	if !ok {
		return Entry{}, notFound(name)
	}
	return e, nil
}

// ReadFile returns a file or, with its target as content, a link. The error
// is a *PathError where nothing is there, or a folder or submodule is; a
// *TooLargeError where the file is larger than MaxBlob.
func (t *Tree) ReadFile(ctx context.Context, name string) (Blob, error) {
	e, err := t.Stat(ctx, name)
	if err != nil {
		return Blob{}, err
	}
	return t.repo.readEntry(ctx, e)
}

func (r *Repository) readEntry(ctx context.Context, e Entry) (Blob, error) {
	switch e.Mode {
	case Directory:
		return Blob{Entry: e}, &PathError{Path: e.Path, Reason: "is a folder", Err: fs.ErrInvalid}
	case Submodule:
		return Blob{Entry: e}, &PathError{Path: e.Path, Reason: "is a submodule", Err: fs.ErrInvalid}
	}
	if e.Size > MaxBlob {
		return Blob{Entry: e}, &TooLargeError{What: fmt.Sprintf("file %q", e.Path), Limit: sizeWords(MaxBlob)}
	}
	content, _, err := r.objects.read(ctx, e.ID, MaxBlob)
	if err != nil {
		return Blob{}, fmt.Errorf("read %q: %w", e.Path, err)
	}
	return Blob{Entry: e, Content: content}, nil
}

// List returns the entries of a folder, sorted by name; "." is the root.
func (t *Tree) List(ctx context.Context, dir string) ([]Entry, error) {
	e, err := t.Stat(ctx, dir)
	if err != nil {
		return nil, err
	}
	if e.Mode != Directory {
		return nil, &PathError{Path: dir, Reason: "is not a folder", Err: fs.ErrInvalid}
	}
	var entries []Entry
	for _, name := range t.children[dir] {
		entries = append(entries, t.entries[path.Join(dir, name)])
	}
	return entries, nil
}

// Files returns every file, link and submodule of the tree, sorted by path.
// The slice is shared and not to be written.
func (t *Tree) Files(ctx context.Context) ([]Entry, error) {
	if err := t.load(ctx); err != nil {
		return nil, err
	}
	return t.files, nil
}

// readAt reads one file of a commit without its other names.
func (r *Repository) readAt(ctx context.Context, c Commit, name string) (Blob, error) {
	out, err := r.git.output(ctx, "ls-tree", "-z", "-l", "--full-tree", string(c), "--", name)
	if err != nil {
		return Blob{}, err
	}
	entries, err := parseTree(out)
	if err != nil {
		return Blob{}, err
	}
	if len(entries) != 1 || entries[0].Path != name {
		return Blob{}, notFound(name)
	}
	return r.readEntry(ctx, entries[0])
}
