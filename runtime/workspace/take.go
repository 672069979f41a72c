package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
)

// The limits of a change.
const (
	MaxChangedFiles = 10_000
	MaxChangedBytes = 256 << 20
)

// A Trailer is a line at the end of a commit's message.
type Trailer struct{ Key, Value string }

// A Message is what a commit says, and when. The same message on the same
// tree and parent gives the same commit.
type Message struct {
	Text     string
	Trailers []Trailer
	When     time.Time
}

// A Refusal is something in a folder that can be no part of a change.
type Refusal struct {
	Path   string
	Reason string // such as "a nested repository"
}

// A Taken is the change that was taken from a folder.
type Taken struct {
	Commit  Commit
	Tree    string // object id of its tree
	Changed bool   // whether that differs from the parent's
	Refused []Refusal
}

// TakeChange commits what stands in a folder on top of parent: tracked,
// untracked and deleted files, not ignored ones (see the package comment), by
// their bytes, whatever was committed, staged or configured in the folder. No
// ref is made; see Keep. Nested repositories, submodules that moved and names
// that git reserves are not taken and returned as refused. Pipes, sockets and
// devices are passed over, as git does. The error is a *TooLargeError where
// more than MaxChangedFiles or MaxChangedBytes changed.
func (r *Repository) TakeChange(ctx context.Context, f *Folder, parent Commit, m Message) (Taken, error) {
	private, err := os.MkdirTemp("", "snodo-take-")
	if err != nil {
		return Taken{}, fmt.Errorf("take change: %w", err)
	}
	defer os.RemoveAll(private)
	t, err := r.take(ctx, f, parent, m, private)
	if err != nil {
		return Taken{}, fmt.Errorf("take change: %w", err)
	}
	return t, nil
}

func (r *Repository) take(ctx context.Context, f *Folder, parent Commit, m Message, private string) (Taken, error) {
	index := r.git.variables("GIT_INDEX_FILE=" + filepath.Join(private, "index"))
	before, err := r.listTree(ctx, parent)
	if err != nil {
		return Taken{}, err
	}
	if _, err := index.output(ctx, "read-tree", string(parent)); err != nil {
		return Taken{}, err
	}
	untracked, err := r.untrackedIn(ctx, f, index)
	if err != nil {
		return Taken{}, err
	}
	s, err := openScan(f.dir, r.format)
	if err != nil {
		return Taken{}, err
	}
	defer s.root.Close()
	p := &pickup{scan: s, private: private, refused: map[string]string{}}
	if err := p.collect(ctx, before, untracked); err != nil {
		return Taken{}, err
	}
	if err := p.stage(ctx, index); err != nil {
		return Taken{}, err
	}
	tree, err := index.line(ctx, "write-tree")
	if err != nil {
		return Taken{}, err
	}
	old, err := r.TreeID(ctx, parent)
	if err != nil {
		return Taken{}, err
	}
	c, err := r.commitTree(ctx, tree, parent, m)
	return Taken{Commit: c, Tree: tree, Changed: tree != old, Refused: p.refusals()}, err
}

// untrackedIn lists the files of a folder that are neither in the index nor
// ignored. Git walks the folder with the caller's git directory and reads no
// file there but .gitignore.
func (r *Repository) untrackedIn(ctx context.Context, f *Folder, index git) ([]string, error) {
	walk := index.with("--work-tree=" + f.dir)
	walk.dir = f.dir
	out, err := walk.output(ctx, "ls-files", "-z", "--others", "--exclude-standard")
	return records(out), err
}

// A pickup collects what differs from the parent, copies its bytes away, and
// stages it.
type pickup struct {
	scan    *scan
	private string // a folder of this run's own
	bytes   int64
	changed []picked
	refused map[string]string // reason by path
}

// picked is one path that differs.
type picked struct {
	path string
	mode Mode   // 0: deleted
	copy string // a private file with its bytes
}

func (p *pickup) collect(ctx context.Context, before []Entry, untracked []string) error {
	for _, e := range before {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.Mode == Directory {
			continue
		}
		if err := p.tracked(e); err != nil {
			return fmt.Errorf("look at %q: %w", e.Path, err)
		}
	}
	for _, name := range untracked {
		if err := p.scan.markBare(name); err != nil {
			return fmt.Errorf("look at %q: %w", name, err)
		}
	}
	for _, name := range untracked {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.appeared(name); err != nil {
			return fmt.Errorf("look at %q: %w", name, err)
		}
	}
	return nil
}

// tracked looks at a path that the parent has.
func (p *pickup) tracked(e Entry) error {
	if nested, err := p.insideNested(e.Path); nested || err != nil {
		return err
	}
	st, err := p.scan.stand(e.Path)
	if err != nil {
		return err
	}
	differs, err := p.scan.differs(e, st)
	if err != nil || !differs {
		return err
	}
	if e.Mode == Submodule {
		if there, err := p.scan.isDir(e.Path); err != nil {
			return err
		} else if there {
			p.refused[e.Path] = "a submodule that moved, or was written into"
			return nil
		}
	}
	return p.add(e.Path, st)
}

// appeared looks at a path that the parent does not have.
func (p *pickup) appeared(name string) error {
	if dir, ok := strings.CutSuffix(name, "/"); ok {
		p.refused[dir] = "a nested repository"
		return nil
	}
	if nested, err := p.insideNested(name); nested || err != nil {
		return err
	}
	for _, element := range strings.Split(name, "/") {
		if reserved(element) {
			p.refused[name] = "a name that git reserves"
			return nil
		}
	}
	st, err := p.scan.stand(name)
	if err != nil || st.mode == 0 {
		return err
	}
	if st.mode == Symlink && strings.EqualFold(path.Base(name), ".gitmodules") {
		p.refused[name] = "a link under a name that git reserves"
		return nil
	}
	return p.add(name, st)
}

func (p *pickup) insideNested(name string) (bool, error) {
	dir, nested, err := p.scan.repositoryAbove(name)
	if nested {
		p.refused[dir] = "a nested repository"
	}
	return nested, err
}

// reserved reports whether git refuses to hold a name, because on some file
// system it is .git.
func reserved(element string) bool {
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, element)
	plain, _, _ = strings.Cut(plain, ":")
	plain = strings.TrimRight(plain, ". ")
	return isGitDir(plain) || strings.EqualFold(plain, "git~1")
}

// add counts a path that differs and copies its bytes to a private file, so
// that they are what is committed whatever happens in the folder meanwhile.
func (p *pickup) add(name string, st standing) error {
	if len(p.changed) >= MaxChangedFiles {
		return &TooLargeError{What: "the change", Limit: fmt.Sprintf("%d files", MaxChangedFiles)}
	}
	one := picked{path: name, mode: st.mode}
	if st.mode != 0 {
		one.copy = filepath.Join(p.private, fmt.Sprintf("blob-%d", len(p.changed)))
		n, err := p.copyAway(name, st, one.copy)
		if err != nil {
			return err
		}
		p.bytes += n
	}
	p.changed = append(p.changed, one)
	return nil
}

func (p *pickup) copyAway(name string, st standing, to string) (n int64, err error) {
	room := MaxChangedBytes - p.bytes
	tooLarge := &TooLargeError{What: "the change", Limit: sizeWords(MaxChangedBytes)}
	if st.size > room {
		return 0, tooLarge
	}
	r, err := p.scan.open(name, st)
	if err != nil {
		return 0, err
	}
	defer r.Close()
	w, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	n, err = io.Copy(w, io.LimitReader(r, room+1))
	if err == nil && n > room {
		err = tooLarge
	}
	return n, err
}

// stage writes the copies to the object store, unfiltered, and puts what
// differs into the index, deletions first so that a folder may take the place
// of a file.
func (p *pickup) stage(ctx context.Context, index git) error {
	var copies, deleted, present bytes.Buffer
	for _, c := range p.changed {
		if c.mode != 0 {
			fmt.Fprintf(&copies, "%s\n", c.copy)
		}
	}
	out, err := index.feed(ctx, &copies, "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return err
	}
	ids := strings.Fields(string(out))
	for _, c := range p.changed {
		if c.mode == 0 {
			fmt.Fprintf(&deleted, "0 %s\t%s\x00", strings.Repeat("0", idLength(p.scan.format)), c.path)
			continue
		}
		if len(ids) == 0 {
			return errors.New("git hash-object answered for too few files")
		}
		fmt.Fprintf(&present, "%s %s\t%s\x00", c.mode, ids[0], c.path)
		ids = ids[1:]
	}
	_, err = index.feed(ctx, io.MultiReader(&deleted, &present), "update-index", "-z", "--index-info")
	return err
}

func (p *pickup) refusals() []Refusal {
	var refused []Refusal
	for name, reason := range p.refused {
		refused = append(refused, Refusal{Path: name, Reason: reason})
	}
	slices.SortFunc(refused, func(a, b Refusal) int { return strings.Compare(a.Path, b.Path) })
	return refused
}

// commitTree makes a commit with the identity of snodo itself.
func (r *Repository) commitTree(ctx context.Context, tree string, parent Commit, m Message) (Commit, error) {
	out, err := r.git.variables(identity(m.When)...).feed(ctx, strings.NewReader(m.String()),
		"commit-tree", "--no-gpg-sign", "-p", string(parent), tree)
	return Commit(strings.TrimSpace(string(out))), err
}

// identity is who makes the commits of a run.
func identity(when time.Time) []string {
	date := fmt.Sprintf("@%d +0000", when.Unix())
	return []string{
		"GIT_AUTHOR_NAME=snodo", "GIT_AUTHOR_EMAIL=snodo@localhost", "GIT_AUTHOR_DATE=" + date,
		"GIT_COMMITTER_NAME=snodo", "GIT_COMMITTER_EMAIL=snodo@localhost", "GIT_COMMITTER_DATE=" + date,
	}
}

// String is the text of the message with its trailers, each on one line.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(strings.TrimSpace(strings.ReplaceAll(m.Text, "\x00", "")))
	b.WriteString("\n")
	for i, t := range m.Trailers {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s: %s\n", t.Key, words(t.Value))
	}
	return b.String()
}
