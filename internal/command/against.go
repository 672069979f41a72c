package command

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	switch {
	case err == nil:
		return report.Diagnostics, nil
	case errors.Is(err, compiler.ErrNothingEarlier):
		return nil, err
	case errors.As(err, &broken):
		return nil, fmt.Errorf("the package in %s cannot be compared with what it was at %s: %w", dir, p.rev, err)
	}
	return nil, sourceError(dir, err)
}

// A vanished is a package with a protocol that was below a folder, and is not
// there now.
type vanished struct {
	state          *state
	dir            string // from the top
	protocol, file string
}

// settle decides about packages that are on one side only: those below the
// given folders that are gone, and those that are new. A new one whose
// protocol has the name of one that is gone is that, moved.
func (p *past) settle(ctx context.Context, w io.Writer, below []string) (diag.List, error) {
	var found diag.List
	gone, err := p.gone(ctx, below)
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

// gone finds the packages with a protocol that were below folders.
func (p *past) gone(ctx context.Context, below []string) ([]vanished, error) {
	var out []vanished
	if p.rev == "" {
		return nil, nil
	}
	for _, dir := range below {
		in, err := packageIn(dir)
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
		for _, f := range files {
			folder := path.Dir(f.Path)
			if !f.Mode.IsFile() || path.Ext(f.Path) != ".snodo" || slices.Contains(s.met, folder) || !lookedInto(in.source.Dir, folder) {
				continue
			}
			s.met = append(s.met, folder)
			name, file, err := compiler.ProtocolOf(s.earlier(ctx, in.source, folder))
			if err != nil {
				return nil, sourceError(folder, err)
			}
			if name != "" {
				out = append(out, vanished{s, folder, name, file})
			}
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

// wholes returns the folders of the arguments that mean every package below
// one.
func wholes(args []string) []string {
	var out []string
	for _, arg := range args {
		below, every := strings.CutSuffix(filepath.ToSlash(arg), "...")
		if !every {
			continue
		}
		if below = strings.TrimSuffix(below, "/"); below == "" {
			below = "."
		}
		out = append(out, filepath.FromSlash(below))
	}
	return out
}
