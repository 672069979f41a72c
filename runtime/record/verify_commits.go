package record

import (
	"maps"
	"slices"
	"strings"
)

// commits holds the commits of the run to its events. Each carries the hash
// of the event before the one that took it, so whoever rewrites events before
// it has to make another commit.
func (v *verifier) commits() error {
	if v.started == nil {
		return nil
	}
	if _, ok, err := v.held("the base "+short(v.started.Base), v.started.Base); err != nil || !ok {
		return err
	}
	parent := v.started.Base
	taken := map[int]string{}
	for i, entry := range v.entries {
		t, ok := entry.(Taken)
		if !ok {
			continue
		}
		where := "the commit " + short(t.Commit)
		c, ok, err := v.held(where, t.Commit)
		if err != nil {
			return err
		}
		if ok && v.fits(where, v.events[i], t, c, parent) {
			v.report.Commits++
		}
		parent = t.Commit
		if t.Ref != "" {
			taken[t.Attempt] = t.Commit
		}
	}
	return v.refs(taken)
}

func (v *verifier) held(where, id string) (HeldCommit, bool, error) {
	c, ok, err := v.repo.Held(v.ctx, id)
	if err == nil && !ok {
		v.find(where, "is not in the repository, so nothing can be held to it")
	}
	return c, ok, err
}

// fits holds one commit to the event that took it.
func (v *verifier) fits(where string, e Event, t Taken, c HeldCommit, parent string) bool {
	before := len(v.report.Findings)
	if c.Tree != t.Tree {
		v.find(where, "has the tree %s, and event %d took %s", short(c.Tree), e.Seq, short(t.Tree))
	}
	if t.Ref == "" {
		return len(v.report.Findings) == before // a work that existed already
	}
	if !slices.Equal(c.Parents, []string{parent}) {
		v.find(where, "does not stand on %s, as attempt %d did", short(parent), t.Attempt)
	}
	for _, want := range []struct{ trailer, value, what string }{
		{"Snodo-Run", v.started.Run, "the run"},
		{"Snodo-Plan", v.started.Plan, "the plan"},
		{"Snodo-Record", e.Prev, "the event before the one that took it"},
	} {
		if got := c.Trailers[want.trailer]; !slices.Equal(got, []string{want.value}) {
			v.find(where, "names %q as %s, and the record has %s there: one of them was rewritten", strings.Join(got, ", "), want.what, want.value)
		}
	}
	return len(v.report.Findings) == before
}

// refs looks for commits that are kept for the run and that no event took. A
// ref that is gone is none: finished runs may be pruned.
func (v *verifier) refs(taken map[int]string) error {
	kept, err := v.repo.Kept(v.ctx, v.started.Run)
	if err != nil {
		return err
	}
	for _, attempt := range slices.Sorted(maps.Keys(kept)) {
		if kept[attempt] != taken[attempt] {
			v.find("the commit "+short(kept[attempt]), "is kept for attempt %d, and no event took it", attempt)
		}
	}
	return nil
}
