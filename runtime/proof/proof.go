// Package proof keeps what is known of validators: how each ruled on cases
// whose verdict is known. What goes in is what trials came to; what comes out
// is whether a validator is proven, as it stands, with a model at an endpoint.
// The package judges nothing and runs nothing.
package proof

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// Schema names the format of a proof.
const Schema = "snodo.proof.v1"

// A Subject is what a proof is bound to. Of a check or a rule the model and
// the endpoint are empty.
type Subject struct {
	Validator string `json:"validator"` // by its name in the plan
	Kind      string `json:"kind"`      // plan.KindJudge, KindCheck or KindRule
	Digest    string `json:"digest"`    // of the validator, in the plan
	Model     string `json:"model"`
	Endpoint  string `json:"endpoint"` // its address; it holds no key
}

// A Proof is what became of the known cases of a validator.
type Proof struct {
	Schema string `json:"schema"`
	Subject
	// Replay says that the answers were those of a recording.
	Replay bool      `json:"replay"`
	Time   time.Time `json:"time"`
	Cases  []Case    `json:"cases"`
	// Proven is Holds as it was when the proof was written, for readers.
	Proven bool `json:"proven"`
}

// A Case is one known case, and what came of it each time.
type Case struct {
	Folder   string       `json:"folder"` // as it is written in the package
	Sum      string       `json:"sum"`    // SHA-256 of what is in the folder
	Expect   plan.Verdict `json:"expect"`
	Violates []string     `json:"violates"`
	Needs    string       `json:"needs"` // a kind of evidence, empty where the verdict is no unclear
	// Twin says that files were withheld from a case that can be decided, so
	// that it cannot be any more. Withheld are their paths.
	Twin     bool     `json:"twin"`
	Withheld []string `json:"withheld"`
	Runs     []Run    `json:"runs"`
}

// A Run is one answer to a case.
type Run struct {
	Verdict  *plan.Verdict     `json:"verdict"` // null where there was none
	Error    *verdict.Failure  `json:"error"`
	Findings []verdict.Finding `json:"findings"`
	// Wrong says what is wrong with the answer, empty where nothing is.
	Wrong string `json:"wrong"`
}

// Named returns the criteria whose findings are blockers, sorted.
func (r Run) Named() []string {
	var out []string
	for _, f := range r.Findings {
		if f.Verdict == plan.Blocker {
			out = append(out, f.Criterion)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Requested returns the kinds of evidence that were asked for, sorted.
func (r Run) Requested() []string {
	var out []string
	for _, f := range r.Findings {
		for _, m := range f.Missing {
			out = append(out, m.Evidence)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Judge says what is wrong with an answer to the case, empty where nothing is.
// An answer without a verdict is always wrong.
func (c Case) Judge(r Run) string {
	switch {
	case r.Error != nil:
		return fmt.Sprintf("no verdict: %s: %s", r.Error.Class, r.Error.Message)
	case r.Verdict == nil:
		return "no verdict"
	case *r.Verdict != c.Expect:
		return fmt.Sprintf("%s instead of %s", *r.Verdict, c.Expect)
	case c.Expect == plan.Blocker && len(c.Violates) > 0 && !slices.Equal(r.Named(), slices.Compact(slices.Sorted(slices.Values(c.Violates)))):
		return fmt.Sprintf("it was %s that was found broken instead of %s", strings.Join(r.Named(), ", "), strings.Join(c.Violates, ", "))
	case c.Expect == plan.Unclear && c.Needs != "" && !slices.Contains(r.Requested(), c.Needs):
		return fmt.Sprintf("it asked for %s instead of %s", strings.Join(r.Requested(), ", "), c.Needs)
	}
	return ""
}

// Flips is how many answers to the case are others than the most frequent.
func (c Case) Flips() int {
	count := map[plan.Verdict]int{}
	most := 0
	for _, r := range c.Runs {
		word := plan.Verdict("error")
		if r.Verdict != nil {
			word = *r.Verdict
		}
		count[word]++
		most = max(most, count[word])
	}
	return len(c.Runs) - most
}

// Holds returns what keeps the proof from being one, empty where nothing does:
// a case that must pass and one that must not were put, and every answer to
// every case was right.
func (p Proof) Holds() string {
	answered := map[plan.Verdict]bool{}
	for _, c := range p.Cases {
		if len(c.Runs) == 0 {
			return fmt.Sprintf("the case %s was not run", c.Folder)
		}
		for _, r := range c.Runs {
			if wrong := c.Judge(r); wrong != "" {
				return fmt.Sprintf("%s: %s", c.called(), wrong)
			}
		}
		if !c.Twin {
			answered[c.Expect] = true
		}
	}
	switch {
	case !answered[plan.Pass]:
		return "it has no good case"
	case !answered[plan.Blocker]:
		return "it has no bad case: nothing shows that it can fail"
	}
	return ""
}

func (c Case) called() string {
	if c.Twin {
		return fmt.Sprintf("%s without %s", c.Folder, strings.Join(c.Withheld, ", "))
	}
	return c.Folder
}

// dir is where the proofs of a repository are kept.
func dir(mainWorktree string) string { return filepath.Join(mainWorktree, ".snodo", "proofs") }

// Path is where the proof of a subject is kept. One that was made from a
// recording stands beside the one that was not.
func Path(mainWorktree string, s Subject, replay bool) string {
	word := "live"
	if replay {
		word = "replay"
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %s", s.Validator, s.Digest, s.Model, s.Endpoint, word))
	return filepath.Join(dir(mainWorktree), fmt.Sprintf("%s%x.json", prefix(s.Validator), sum[:8]))
}

// prefix begins the names of the files of all proofs of a validator.
func prefix(validator string) string { return record.FileWord(validator) + "-" }

// Write keeps a proof in the place of an earlier one of the same subject,
// whether or not it holds: what is known last is what is known. It returns the
// proof as it is kept.
func Write(mainWorktree string, p Proof) (Proof, error) {
	p.Schema, p.Proven = Schema, p.Holds() == ""
	content, err := json.MarshalIndent(p, "", "  ")
	if err == nil {
		err = record.MakeKept(mainWorktree, dir(mainWorktree))
	}
	if err == nil {
		err = renameio.WriteFile(Path(mainWorktree, p.Subject, p.Replay), append(content, '\n'), 0o644)
	}
	if err != nil {
		return Proof{}, fmt.Errorf("write the proof of %s: %w", p.Validator, err)
	}
	return p, nil
}

// maxProof is the most bytes of a proof that is read.
const maxProof = 16 << 20

// Read reads one proof. Nothing of a file is believed that is not a proof
// from its first byte to its last.
func Read(path string) (Proof, error) {
	f, err := os.Open(path)
	if err != nil {
		return Proof{}, fmt.Errorf("read proof: %w", err)
	}
	defer f.Close()
	d := json.NewDecoder(io.LimitReader(f, maxProof))
	d.DisallowUnknownFields()
	var p Proof
	if err := d.Decode(&p); err != nil {
		return Proof{}, fmt.Errorf("read proof %s: %w", path, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Proof{}, fmt.Errorf("read proof %s: something stands behind it", path)
	}
	if p.Schema != Schema {
		return Proof{}, fmt.Errorf("read proof %s: its schema is %q and not %q", path, p.Schema, Schema)
	}
	return p, nil
}

// Proven says whether a subject has a proof that holds and was not made from
// a recording. One that cannot be read is none.
func Proven(mainWorktree string, s Subject) bool {
	p, err := Read(Path(mainWorktree, s, false))
	return err == nil && p.Subject == s && !p.Replay && p.Holds() == ""
}

// Of returns the proofs of a validator as it stands, whatever the model and
// the endpoint. Those that cannot be read are left out.
func Of(mainWorktree, validator, digest string) ([]Proof, error) {
	entries, err := os.ReadDir(dir(mainWorktree))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list proofs: %w", err)
	}
	var out []Proof
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix(validator)) {
			continue
		}
		if p, err := Read(filepath.Join(dir(mainWorktree), e.Name())); err == nil && p.Validator == validator && p.Digest == digest {
			out = append(out, p)
		}
	}
	return out, nil
}
