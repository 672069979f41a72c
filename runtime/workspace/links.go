package workspace

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// maxHops is how many links are followed one after another, as systems do.
const maxHops = 40

// findLeavingLinks marks the links that lead out of the tree. Only where a
// link appears or changes can one begin to.
func (s *ChangeSet) findLeavingLinks(ctx context.Context) error {
	if !slices.ContainsFunc(s.Changes, func(c Change) bool { return c.New.Mode == Symlink }) {
		return nil
	}
	now, err := s.repo.leaving(ctx, s.Head)
	if err != nil {
		return err
	}
	before, err := s.repo.leaving(ctx, s.Base)
	if err != nil {
		return err
	}
	for i, c := range s.Changes {
		s.Changes[i].Leaves = now[c.Path]
	}
	for link := range now {
		if c, changed := s.Find(link); changed && c.Leaves || !before[link] {
			s.LeavingLinks = append(s.LeavingLinks, link)
		}
	}
	slices.Sort(s.LeavingLinks)
	return nil
}

// leaving returns the links of a commit that lead out of its tree.
func (r *Repository) leaving(ctx context.Context, c Commit) (map[string]bool, error) {
	files, err := r.Tree(c).Files(ctx)
	if err != nil {
		return nil, err
	}
	targets := map[string]string{}
	for _, e := range files {
		if e.Mode != Symlink {
			continue
		}
		target, _, err := r.objects.read(ctx, e.ID, 64<<10)
		if err != nil {
			return nil, fmt.Errorf("read link %q: %w", e.Path, err)
		}
		targets[e.Path] = string(target)
	}
	out := map[string]bool{}
	for link := range targets {
		if leaves(link, targets) {
			out[link] = true
		}
	}
	return out, nil
}

// leaves reports whether a link leads out of the tree, on its own or through
// others: by an absolute target, by `..` above the root at any point of the
// way, or into a git directory. A link that goes round in circles leads
// nowhere.
func leaves(link string, targets map[string]string) bool {
	at := "." // the folder reached so far
	rest := strings.Split(link, "/")
	hops := 0
	for len(rest) > 0 {
		element := rest[0]
		rest = rest[1:]
		switch {
		case element == "" || element == ".":
			continue
		case element == "..":
			if at == "." {
				return true
			}
			at = path.Dir(at)
			continue
		case isGitDir(element):
			return true
		}
		here := path.Join(at, element)
		target, isLink := targets[here]
		if !isLink {
			at = here
			continue
		}
		if path.IsAbs(target) {
			return true
		}
		if hops++; hops > maxHops {
			return false
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return false
}
