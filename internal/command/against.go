package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// A past is the state that check --against compares packages with. With an
// empty revision nothing is compared.
type past struct {
	rev    string
	report *reportFlags
	states []*state
	fresh  []string // folders of packages that were not there
}

// A state is a repository as it was at the revision.
type state struct {
	top  string
	repo *workspace.Repository
	tree *workspace.Tree
	met  []string // folders of packages that are there now, from the top
}

// at returns the state of the repository that holds a package.
func (p *past) at(ctx context.Context, in place) (*state, error) {
	for _, s := range p.states {
		if s.top == in.top {
			return s, nil
		}
	}
	repo, err := workspace.Open(ctx, in.top)
	if err != nil {
		return nil, fmt.Errorf("--against %s: %w", p.rev, err)
	}
	s := &state{top: in.top, repo: repo}
	p.states = append(p.states, s)
	commit, err := repo.Resolve(ctx, p.rev)
	if err != nil && repo.Shallow() {
		return nil, usagef("--against: %v; this clone is shallow, and may lack it: fetch more of the history", err)
	}
	if err != nil {
		return nil, usagef("--against: %v", err)
	}
	s.tree = repo.Tree(commit)
	return s, nil
}

// close gives the repositories back.
func (p *past) close() {
	for _, s := range p.states {
		s.repo.Close()
	}
}

// earlier returns a folder of the repository as it was.
func (s *state) earlier(ctx context.Context, now compiler.Source, dir string) compiler.Source {
	now.FS, now.Dir = s.tree.FS(ctx), dir
	return now
}

// compare reports what of a package is weaker than it was.
func (p *past) compare(ctx context.Context, dir string, in place) (diag.List, error) {
	if p.rev == "" {
		return nil, nil
	}
	s, err := p.at(ctx, in)
	if err != nil {
		return nil, err
	}
	s.met = append(s.met, in.source.Dir)
	found, err := p.against(dir, in.source, s.earlier(ctx, in.source, in.source.Dir))
	if errors.Is(err, compiler.ErrNothingEarlier) {
		p.fresh = append(p.fresh, dir)
		return nil, nil
	}
	return found, err
}

func (p *past) against(dir string, now, earlier compiler.Source) (diag.List, error) {
	report, err := compiler.Against(now, earlier)
	var broken *compiler.EarlierError
	var unread *compiler.ReadError
	switch {
	case err == nil:
		return report.Diagnostics, nil
	case errors.Is(err, compiler.ErrNothingEarlier):
		return nil, err
	case errors.As(err, &broken), errors.As(err, &unread):
		return nil, fmt.Errorf("the package in %s cannot be compared with what it was at %s: %w", dir, p.rev, err)
	}
	return nil, sourceError(dir, err)
}

// A scope is what an argument names: the package in a folder, or every package
// below it.
type scope struct {
	dir   string
	every bool
	none  error // that no package is there now, nil where one is
}

// scopes returns the folders of packages that the arguments name, as
// packageFolders does, and what each of them names. That an argument names no
// package now is no error before the revision has been asked.
func scopes(args []string) ([]string, []scope, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	var folders []string
	var asked []scope
	for _, arg := range args {
		one, found, err := scopeOf(arg)
		if err != nil {
			return nil, nil, err
		}
		folders = append(folders, found...)
		asked = append(asked, one)
	}
	return folders, asked, nil
}

// scopeOf reads an argument, and returns the folders of the packages that it
// names now.
func scopeOf(arg string) (scope, []string, error) {
	dir, every := everyBelow(arg)
	one := scope{dir: dir, every: every}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		one.none = missingFolder(dir, err)
		return one, nil, nil
	}
	if every {
		found, err := packagesBelow(dir)
		if err == nil && len(found) == 0 {
			one.none = noneBelow(arg)
		}
		return one, found, err
	}
	p, err := packageIn(dir)
	if err != nil {
		return scope{}, nil, err
	}
	defer p.close()
	holds, err := p.holdsSource()
	if err != nil {
		return scope{}, nil, err
	}
	if !holds {
		one.none = sourceError(dir, compiler.ErrNoSource)
		return one, nil, nil
	}
	return one, []string{dir}, nil
}

// names reports whether a scope, which stands in base, names a folder.
func (s scope) names(base, folder string) bool {
	if s.every {
		return lookedInto(base, folder)
	}
	return folder == base
}

// A vanished is a package with a protocol that was in a folder, and is not
// there now.
type vanished struct {
	state          *state
	dir            string // from the top
	protocol, file string
}

// settle decides about packages that are on one side only: those that the
// arguments named and that are gone, and those that are new. A new one whose
// protocol has the name of one that is gone is that, moved.
func (p *past) settle(ctx context.Context, w io.Writer, asked []scope) (diag.List, error) {
	var found diag.List
	gone, err := p.gone(ctx, asked)
	if err != nil {
		return nil, err
	}
	for _, dir := range p.fresh {
		now, err := packageIn(dir)
		if err != nil {
			return nil, err
		}
		defer now.close()
		p.report.naming(&now)
		name, _, err := compiler.ProtocolOf(now.source)
		if err != nil {
			return nil, sourceError(dir, err)
		}
		at := slices.IndexFunc(gone, func(v vanished) bool { return v.state.top == now.top && v.protocol == name })
		if at < 0 {
			fmt.Fprintf(w, "note: there was no protocol in %s at %s: nothing to compare with\n", dir, p.rev)
			continue
		}
		moved, err := p.against(dir, now.source, gone[at].state.earlier(ctx, now.source, gone[at].dir))
		if err != nil {
			return nil, err
		}
		found = append(found, moved...)
		gone = slices.Delete(gone, at, at+1)
	}
	for _, v := range gone {
		found = append(found, compiler.Vanished(v.protocol, v.file))
	}
	return found, nil
}

// gone finds the packages with a protocol that the arguments named at the
// revision. An argument that named none, and names none now, is the error that
// it is without a revision.
func (p *past) gone(ctx context.Context, asked []scope) ([]vanished, error) {
	var out []vanished
	for _, one := range asked {
		found, err := p.goneFrom(ctx, one)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 && one.none != nil {
			return nil, one.none
		}
		for _, v := range found {
			if !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out, nil
}

func (p *past) goneFrom(ctx context.Context, one scope) ([]vanished, error) {
	in, err := placeOfFormer(one.dir)
	if err != nil {
		return nil, err
	}
	defer in.close()
	p.report.naming(&in)
	s, err := p.at(ctx, in)
	if err != nil {
		return nil, err
	}
	files, err := s.tree.Files(ctx)
	if err != nil {
		return nil, fmt.Errorf("--against %s: %w", p.rev, err)
	}
	var out []vanished
	seen := slices.Clone(s.met)
	for _, f := range files {
		folder := path.Dir(f.Path)
		source := path.Ext(f.Path) == ".snodo" && (f.Mode.IsFile() || f.Mode == workspace.Symlink)
		if !source || slices.Contains(seen, folder) || !one.names(in.source.Dir, folder) {
			continue
		}
		seen = append(seen, folder)
		name, file, err := compiler.ProtocolOf(s.earlier(ctx, in.source, folder))
		var unread *compiler.ReadError
		if errors.As(err, &unread) {
			return nil, fmt.Errorf("it cannot be said what is gone from %s since %s: %w", in.source.Display(folder), p.rev, err)
		}
		if err != nil {
			return nil, sourceError(folder, err)
		}
		if name != "" {
			out = append(out, vanished{s, folder, name, file})
		}
	}
	return out, nil
}

// lookedInto reports whether DIR/... looks into a folder.
func lookedInto(dir, folder string) bool {
	rel, err := filepath.Rel(filepath.FromSlash(dir), filepath.FromSlash(folder))
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	return !slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), func(element string) bool { return slices.Contains(skipped, element) })
}
