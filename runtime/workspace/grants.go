package workspace

import (
	"fmt"
	"slices"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/glob"
)

// OutsideGrants returns the paths of the changes that the writing grants do
// not cover, sorted: a new file needs write_file, a changed one edit_file or
// write_file, a vanished one delete_file, each inside the paths of its own
// grant. A link that leaves the tree, and a submodule that appears or moves,
// is never covered. The error names a malformed glob.
func OutsideGrants(s *ChangeSet, grants []plan.Grant) ([]string, error) {
	covers := map[string][]glob.Set{} // of a tool; an empty set is everywhere
	for _, g := range grants {
		in, err := glob.Compile(g.In)
		if err != nil {
			return nil, fmt.Errorf("grant %s: %w", g.Tool, err)
		}
		covers[g.Tool] = append(covers[g.Tool], in)
	}
	outside := slices.Clone(s.LeavingLinks)
	for _, c := range s.Changes {
		if c.Leaves || c.Submodule() || !covered(c, covers) {
			outside = append(outside, c.Path)
		}
	}
	slices.Sort(outside)
	return slices.Compact(outside), nil
}

func covered(c Change, covers map[string][]glob.Set) bool {
	for _, tool := range needed(c.Kind) {
		for _, in := range covers[tool] {
			if in.Empty() || in.Match(c.Path) {
				return true
			}
		}
	}
	return false
}

// needed returns the tools of which one is needed for a change.
func needed(k Kind) []string {
	switch k {
	case Added:
		return []string{"write_file"}
	case Deleted:
		return []string{"delete_file"}
	case Modified, ModeChanged, TypeChanged:
		return []string{"edit_file", "write_file"}
	}
	panic(fmt.Sprintf("workspace: no tool for kind %d", int(k)))
}

// Protected returns the changed paths that match a protecting glob or are one
// of sources, the protocol's own files; sorted. The error names a malformed
// glob.
func Protected(s *ChangeSet, globs, sources []string) ([]string, error) {
	protects, err := glob.Compile(globs)
	if err != nil {
		return nil, fmt.Errorf("protects: %w", err)
	}
	var found []string
	for _, c := range s.Changes {
		if protects.Match(c.Path) || slices.Contains(sources, c.Path) {
			found = append(found, c.Path)
		}
	}
	slices.Sort(found)
	return found, nil
}
