package runtime

import (
	"context"
	"fmt"
	"strings"

	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// A ward is what no child of a run may change, as it stands: the caller's
// repository and what the record keeps.
type ward struct {
	repository workspace.Fingerprint
	record     record.Fingerprint
}

// watched runs a child, and notes what changed meanwhile of what is not its
// own. What it left is not believed then: the run ends as an environment error,
// whatever the child came to.
func (r *run) watched(ctx context.Context, c child.Command) child.Result {
	before, err := r.ward(ctx)
	res := child.Run(ctx, c)
	if err == nil && ctx.Err() == nil {
		var after ward
		if after, err = r.ward(ctx); err == nil {
			err = before.left(after, c)
		}
	}
	if err != nil && ctx.Err() == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tampered = environment("guard the repository", err)
	}
	return res
}

func (r *run) ward(ctx context.Context) (ward, error) {
	repository, err := r.Repository.Fingerprint(ctx)
	if err != nil {
		return ward{}, err
	}
	kept, err := r.log.Fingerprint()
	return ward{repository, kept}, err
}

// left says what is no longer as it was. What the record has gained is its own.
func (w ward) left(now ward, c child.Command) error {
	changed := w.repository.Differs(now.repository)
	for _, name := range w.record.Changed(now.record) {
		changed = append(changed, "the record's "+name)
	}
	if len(changed) == 0 {
		return nil
	}
	return fmt.Errorf("while `%s` ran, this changed, and no child of a run may change it: %s", strings.Join(c.Argv[max(0, len(c.Argv)-1):], " "), strings.Join(changed, ", "))
}

// untouched says whether a child has changed what is not its own.
func (r *run) untouched() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tampered
}
