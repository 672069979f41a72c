package runtime

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A piece is evidence that a judge is given, and the digest by which it is
// known what a judge was given already.
type piece struct {
	id string
	judge.Supplied
}

// pieceOf reads a piece from the record.
func (r *run) pieceOf(evidence string, args map[string]any, source string, text record.Text) (piece, error) {
	id, err := pieceID(evidence, args, *text.Digest)
	if err != nil {
		return piece{}, err
	}
	content, err := r.log.Read(*text.File, *text.Digest)
	if err != nil {
		return piece{}, err
	}
	s := judge.Supplied{Evidence: evidence, Args: args, Source: source, Head: string(content)}
	if text.Omitted > 0 {
		s.Head, s.Tail, s.Omitted = string(content[:text.Head]), string(content[len(content)-text.Tail:]), int(text.Omitted)
	}
	return piece{id, s}, nil
}

// pieceID tells evidence apart by what it is about and what it says.
func pieceID(evidence string, args map[string]any, digest string) (string, error) {
	return plan.Digest(struct {
		Evidence string         `json:"evidence"`
		Args     map[string]any `json:"args"`
		Digest   string         `json:"digest"`
	}{evidence, args, digest})
}

// supply gives evidence to a judge, and says whether it is new to it.
func (r *run) supply(name string, p piece) bool {
	if slices.ContainsFunc(r.supplied[name], func(have piece) bool { return have.id == p.id }) {
		return false
	}
	r.supplied[name] = append(r.supplied[name], p)
	return true
}

// suppliedTo is what a judge is given.
func (r *run) suppliedTo(name string) (ids []string, evidence []judge.Supplied) {
	ids = []string{}
	for _, p := range r.supplied[name] {
		ids = append(ids, p.id)
		evidence = append(evidence, p.Supplied)
	}
	return ids, evidence
}

// resupply gives a judge what it was given when it spoke last in this place,
// and what people have attached for it since. It says whether there is
// anything new.
func (r *run) resupply(where place, name string) (bool, error) {
	newest, spoke := r.recall.newest(where, name)
	if !spoke {
		return false, nil
	}
	r.supplied[name] = nil
	for _, g := range r.recall.gathered[place{"", where.attempt}] {
		if err := r.again(newest, name, g.Evidence, g.Args, gatheredBy(g), g.Text); err != nil {
			return false, err
		}
	}
	fresh := false
	for _, a := range r.recall.attached {
		if a.Judge != name || a.Commit != string(r.subjectOf(where)) {
			continue
		}
		p, err := r.pieceOf(a.Evidence, a.Args, attachedBy(a), a.Text)
		if err != nil {
			return false, err
		}
		fresh = r.supply(name, p) && !slices.Contains(newest.Supplied, p.id) || fresh
	}
	order := func(p piece) int {
		if i := slices.Index(newest.Supplied, p.id); i >= 0 {
			return i
		}
		return len(newest.Supplied)
	}
	slices.SortStableFunc(r.supplied[name], func(a, b piece) int { return order(a) - order(b) })
	return fresh, nil
}

// again gives a judge a piece that it was given before.
func (r *run) again(newest record.Judged, name, evidence string, args map[string]any, source string, text record.Text) error {
	if text.Digest == nil {
		return nil
	}
	id, err := pieceID(evidence, args, *text.Digest)
	if err != nil || !slices.Contains(newest.Supplied, id) {
		return err
	}
	p, err := r.pieceOf(evidence, args, source, text)
	if err != nil {
		return err
	}
	r.supply(name, p)
	return nil
}

func gatheredBy(g record.Gathered) string {
	return fmt.Sprintf("the command %q, which %s", g.Argv, g.Ending)
}

func attachedBy(a record.Attached) string {
	return fmt.Sprintf("%s, who attached %s", a.Role, a.Source)
}

// An order is a request for evidence that a command can obtain, and the judges
// that made it.
type order struct {
	key     string
	missing verdict.Missing
	judges  []string
}

// gather carries out what unclear findings of the panel request and commands
// can obtain, and returns the judges that have something new.
func (r *run) gather(ctx context.Context, where place, results []record.Result) ([]string, error) {
	orders, err := r.orders(results)
	if err != nil {
		return nil, err
	}
	var again []string
	for _, o := range orders {
		got, known := r.recall.gathered[place{"", where.attempt}][o.key]
		if !known {
			if got, err = r.obtain(ctx, where, o); err != nil {
				return nil, err
			}
		}
		if got.File == nil {
			continue // it could not start: the request stays open
		}
		p, err := r.pieceOf(got.Evidence, got.Args, gatheredBy(got), got.Text)
		if err != nil {
			return nil, err
		}
		for _, name := range o.judges {
			// A judge that has it already has nothing new to go on.
			if r.supply(name, p) {
				again = appendNew(again, name)
			}
		}
	}
	return again, nil
}

func (r *run) orders(results []record.Result) ([]*order, error) {
	var orders []*order
	byKey := map[string]*order{}
	for _, res := range results {
		for _, f := range res.Findings {
			for _, m := range f.Missing {
				e := r.Plan.Evidence[m.Evidence]
				if e.Obtain == nil || m.Args == nil && len(e.Params) > 0 {
					continue
				}
				key, err := requestKey(m.Evidence, m.Args)
				if err != nil {
					return nil, err
				}
				if byKey[key] == nil {
					byKey[key] = &order{key: key, missing: m}
					orders = append(orders, byKey[key])
				}
				byKey[key].judges = appendNew(byKey[key].judges, res.Validator)
			}
		}
	}
	return orders, nil
}

func appendNew(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// obtain runs the command of an evidence in a fresh folder of the subject. Its
// output is evidence however it ended; there is none where it could not start.
func (r *run) obtain(ctx context.Context, where place, o *order) (record.Gathered, error) {
	command := r.Plan.Evidence[o.missing.Evidence].Obtain
	argv := make([]string, len(command.Argv))
	for i, arg := range command.Argv {
		argv[i] = fill(arg, o.missing.Args)
	}
	folder, _, err := r.makeFolder(ctx, "obtain", r.subjectOf(where))
	if err != nil {
		return record.Gathered{}, err
	}
	res := r.watched(ctx, child.Command{
		Argv: argv, Dir: folder.Dir(), Env: r.environment(), Timeout: time.Duration(command.TimeoutMS) * time.Millisecond,
		Line: func(line string) { r.Observer.Output(o.missing.Evidence, r.Redact(line)) },
	})
	if err := folder.Remove(); err != nil {
		return record.Gathered{}, environment("remove the folder of "+o.missing.Evidence, err)
	}
	if ctx.Err() != nil {
		// What was cut short shows nothing, and is obtained when the run goes on.
		return record.Gathered{}, environment("obtain "+o.missing.Evidence, ctx.Err())
	}
	if err := r.untouched(); err != nil {
		return record.Gathered{}, err
	}
	entry := record.Gathered{
		Step: where.step, Evidence: o.missing.Evidence, Args: o.missing.Args, Argv: argv, Judges: o.judges,
		Ending: res.String(), MS: res.Elapsed.Milliseconds(),
	}
	if res.Ending == child.NotStarted {
		return entry, r.append(entry)
	}
	if entry.Text, err = r.keep(res.Output); err != nil {
		return entry, err
	}
	return entry, r.append(entry)
}

// keep writes an output into the record, with what was left out of it said.
func (r *run) keep(out child.Output) (record.Text, error) {
	head, tail := r.Redact(out.Head), r.Redact(out.Tail)
	content := head + tail
	text := record.Text{}
	if out.Omitted > 0 {
		content = strings.Join([]string{head, fmt.Sprintf("[%d bytes left out here]", out.Omitted), tail}, "\n")
		text = record.Text{Head: len(head), Tail: len(tail), Omitted: out.Omitted}
	}
	name := fmt.Sprintf("gathered-%03d.txt", len(r.log.Events())+1)
	file, digest, err := r.log.Keep(record.Evidence, name, []byte(content))
	text.File, text.Digest = &file, &digest
	return text, err
}
