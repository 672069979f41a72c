package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/stdlib"
)

// plan reads or compiles the plan of the run, and names the files of the
// repository that made it: they are not a coder's to change.
func (f *runFlags) plan(ctx context.Context, s streams, q *runtime.Request, where string, info os.FileInfo) error {
	if !info.IsDir() {
		content, inside, err := planBytes(ctx, q, where)
		if err != nil {
			return err
		}
		if q.Plan, err = plan.Read(content); err != nil {
			return &exitError{exitInvalid, fmt.Errorf("read plan %s: %w", where, err)}
		}
		if inside != "" {
			q.Guarded = append(q.Guarded, inside)
		}
		q.Guarded = append(q.Guarded, sourcesOf(q.Plan)...)
		return nil
	}
	inside, err := insideOf(q.Repository.Worktree(), where)
	if err != nil {
		return err
	}
	p, err := f.packageToRun(ctx, q, where, inside)
	if err != nil {
		return err
	}
	defer p.close()
	compiled, report, err := compiler.Compile(p.source)
	if err != nil {
		return notCompiled(where, inside, q, err)
	}
	if err := writeConcerns(s.err, report, f.color); err != nil {
		return err
	}
	if compiled == nil {
		at := ""
		if q.Work != nil && inside != "" {
			at = fmt.Sprintf(" at the base %.12s", q.Base)
		}
		return &exitError{exitInvalid, fmt.Errorf("the protocol in %s%s does not check", where, at)}
	}
	q.Plan = compiled
	if inside != "" {
		q.Guarded = sourcesOf(compiled)
	}
	return nil
}

// concerns leaves out what is no concern of a run: notes, but for those on
// what does not gate, which are said wherever it matters.
func concerns(l diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(l), func(d diag.Diagnostic) bool {
		return d.Severity == diag.Note && d.Code != diag.SN520 && d.Code != diag.SN521
	})
}

// packageToRun returns the package as it is read: from the base commit where
// the work exists already and the package is part of the repository.
func (f *runFlags) packageToRun(ctx context.Context, q *runtime.Request, where, inside string) (place, error) {
	if q.Work == nil || inside == "" {
		return packageIn(where)
	}
	base := q.Repository.Tree(q.Base).FS(ctx)
	src := compiler.Source{FS: base, Dir: path.Clean(inside), Library: stdlib.FS, Display: func(name string) string { return fmt.Sprintf("%.12s:%s", q.Base, name) }}
	return place{src, q.Repository.Worktree(), func() error { return nil }}, nil
}

// notCompiled words what kept a package from being read.
func notCompiled(where, inside string, q *runtime.Request, err error) error {
	if errors.Is(err, compiler.ErrNoSource) {
		if q.Work != nil && inside != "" {
			return &exitError{exitInvalid, fmt.Errorf("there is no .snodo file in %s at the base %.12s: a work is judged by the protocol of its base", where, q.Base)}
		}
		return usagef("there is no .snodo file in %s", where)
	}
	var read *compiler.ReadError
	if errors.As(err, &read) {
		return usagef("%v", err)
	}
	return &exitError{runtime.ExitCode(runtime.InternalError), err}
}

// sourcesOf returns the sources of a plan that are files of the repository.
func sourcesOf(p *plan.Plan) []string {
	var out []string
	for _, s := range p.Sources {
		if !strings.HasPrefix(s.Path, "std/") {
			out = append(out, s.Path)
		}
	}
	return out
}
