package runtime

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/confine"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// A ward is what no child of a run may change, as it stands: the caller's
// repository and what the record keeps.
type ward struct {
	repository workspace.Fingerprint
	record     record.Fingerprint
}

// watched runs a child, confined and under guard.
func (r *run) watched(ctx context.Context, c child.Command) child.Result {
	return r.guard(ctx, c.Argv[len(c.Argv)-1], func() child.Result {
		confined, err := r.confined(c)
		if err != nil {
			return child.Result{Ending: child.NotStarted, Code: -1, Err: err}
		}
		return child.Run(ctx, confined)
	})
}

// guard notes what changes while a child runs of what is not its own. What it
// left is not believed then: the run ends as an environment error, whatever the
// child came to.
func (r *run) guard(ctx context.Context, command string, run func() child.Result) child.Result {
	before, err := r.ward(ctx)
	res := run()
	if err == nil && ctx.Err() == nil {
		var after ward
		if after, err = r.ward(ctx); err == nil {
			err = before.left(after, command)
		}
	}
	if err != nil && ctx.Err() == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.tampered = environment("guard the repository", err)
	}
	return res
}

// confined returns the command as the run's confinement has it. The command
// that prepares folders is not confined: it fills the caches of tools.
func (r *run) confined(c child.Command) (child.Command, error) {
	switch {
	case r.Writable != nil:
		// What could not be started must not look as if it had been.
		if _, err := exec.LookPath(c.Argv[0]); err != nil && !strings.Contains(c.Argv[0], "/") {
			return c, err
		}
		temp := r.temporary()
		if err := os.MkdirAll(temp, 0o700); err != nil {
			return c, err
		}
		var err error
		c.Argv, err = confine.Wrap(c.Argv, append([]string{c.Dir, temp}, r.Writable...))
		c.Env = append(slices.DeleteFunc(slices.Clone(c.Env), func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") }), "TMPDIR="+temp)
		return c, err
	case r.Within != nil:
		c.Argv = append(slices.Clone(r.Within), c.Argv...)
	}
	return c, nil
}

// temporary is where the children of the run keep temporary files, and where a
// task says that it is done.
func (r *run) temporary() string { return filepath.Join(r.dir, "tmp") }

func (r *run) ward(ctx context.Context) (ward, error) {
	repository, err := r.Repository.Fingerprint(ctx)
	if err != nil {
		return ward{}, err
	}
	kept, err := r.log.Fingerprint()
	return ward{repository, kept}, err
}

// left says what is no longer as it was. What the record has gained is its own.
func (w ward) left(now ward, command string) error {
	changed := w.repository.Differs(now.repository)
	for _, name := range w.record.Changed(now.record) {
		changed = append(changed, "the record's "+name)
	}
	if len(changed) == 0 {
		return nil
	}
	return fmt.Errorf("while `%s` ran, this changed, and no child of a run may change it: %s", command, strings.Join(changed, ", "))
}

// untouched says whether a child has changed what is not its own.
func (r *run) untouched() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tampered
}
