package command

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/snodo-lang/snodo/docs/schema"
	"github.com/snodo-lang/snodo/internal/schemas"
	"github.com/snodo-lang/snodo/runtime/record"
)

// schemasKey is where a script keeps the schemas that its output is held to.
type schemasKey struct{}

// heldToSchemas holds all that scenarios print and record to the schemas that
// are published for it.
type heldToSchemas struct {
	set *schemas.Set

	mu      sync.Mutex
	scripts int // that have ended
}

// publishedSchemas loads the schemas. When every scenario has ended it wants
// every member of every schema to have been in a document, but for those that
// are excused.
func publishedSchemas(t *testing.T) *heldToSchemas {
	t.Helper()
	set, err := schemas.Load()
	if err != nil {
		t.Fatal(err)
	}
	held := &heldToSchemas{set: set}
	t.Cleanup(func() {
		all, err := filepath.Glob("../../testdata/script/*.txtar")
		if err != nil || held.scripts < len(all) || t.Failed() {
			return // some were not asked for, or did not get to their end
		}
		unseen := set.Unseen()
		for _, member := range unseen {
			if unexercised[member] == "" {
				t.Errorf("no scenario makes a document that has %s", member)
			}
		}
		for member := range unexercised {
			if !slices.Contains(unseen, member) {
				t.Errorf("%s is excused, and a scenario makes a document that has it", member)
			}
		}
	})
	return held
}

// unexercised are the members that no scenario can make a document have, each
// with the reason.
var unexercised = map[string]string{
	"snodo.events.v1 result.ruling":    noRuling,
	"snodo.events.v1 ruling.because":   noRuling,
	"snodo.events.v1 ruling.role":      noRuling,
	"snodo.events.v1 ruling.rule":      noRuling,
	"snodo.events.v1 ruling.signature": noRuling,
	"snodo.events.v1 usage.cached":     noCache,
	"snodo.run.v1 usage.cached":        noCache,
	"snodo.stats.v1 sign.judge":        manyVerdicts,
	"snodo.stats.v1 sign.protocol":     manyVerdicts,
	"snodo.stats.v1 sign.sign":         manyVerdicts,
	"snodo.stats.v1 sign.unclear":      manyVerdicts,
	"snodo.stats.v1 sign.verdicts":     manyVerdicts,
}

const (
	noRuling     = "a ruling is an event of its own, and comes beside its verdict in the fold"
	noCache      = "the scripted endpoint reports no cache"
	manyVerdicts = "a sign needs more verdicts of one judge than a scenario should ask for"
)

// printed holds what a program printed to the schema that it names.
func (h *heldToSchemas) printed(ts *testscript.TestScript, args []string) {
	out := []byte(ts.ReadFile("stdout"))
	id := schemas.IDOf(out)
	if !slices.Contains(schema.IDs(), id) {
		return
	}
	if err := h.set.Validate(id, out); err != nil {
		ts.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
}

// records holds the records below a folder to the schemas. One that a scenario
// has damaged does not load, and is passed over.
func (h *heldToSchemas) records(t failing, dir string) {
	t.Helper()
	h.mu.Lock()
	h.scripts++
	h.mu.Unlock()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // what a scenario has closed to readers
		}
		if e.Name() != "events.jsonl" || e.IsDir() {
			return nil
		}
		folder := filepath.Dir(path)
		if _, _, err := record.Load(folder); err != nil {
			return nil
		}
		return h.record(folder)
	})
	if err != nil {
		t.Errorf("%v", err)
	}
}

// record holds one record to the schemas.
func (h *heldToSchemas) record(folder string) error {
	events, err := os.ReadFile(filepath.Join(folder, "events.jsonl"))
	if err != nil {
		return err
	}
	events = events[:bytes.LastIndexByte(events, '\n')+1]
	for line := range bytes.Lines(events) {
		if err := h.set.Validate(record.Schema, line); err != nil {
			return err
		}
	}
	for name, id := range map[string]string{"plan.json": "snodo.plan.v1", "run.json": record.PayloadSchema} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the run has no outcome yet
		}
		if err != nil {
			return err
		}
		if err := h.set.Validate(id, text); err != nil {
			return err
		}
	}
	return nil
}
