package runtime

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/record"
	"github.com/snodo-lang/snodo/runtime/signature"
)

// A NotAcceptedError says why an answer or a ruling is not accepted. Nothing
// was recorded.
type NotAcceptedError struct{ Reason string }

func (e *NotAcceptedError) Error() string { return e.Reason }

func notAccepted(format string, args ...any) error {
	return &NotAcceptedError{fmt.Sprintf(format, args...)}
}

// A Signer signs a statement with the key that a role pins.
type Signer func(statement []byte, pinned string) (armoured string, err error)

// An Attachment is a file that answers a request.
type Attachment struct {
	Request string // its id
	Role    string // who answers; empty: whom the request is asked of
	Source  string // the name of the file, as it was given
	Content []byte
	Sign    Signer
}

// shownToJudge is how much of an attached file a judge is shown, in bytes, half
// of it from either end. All of it is kept.
const shownToJudge = 64 << 10

// Attach answers an open request of a run that waits. The error is a
// *NotAcceptedError where it cannot be answered so.
func Attach(log *record.Log, p *plan.Plan, redact func(string) string, a Attachment) (*record.Request, error) {
	state, err := record.Fold(log.Events())
	if err != nil {
		return nil, err
	}
	q, err := openRequest(state, a.Request)
	if err != nil {
		return q, err
	}
	role := a.Role
	if role == "" {
		role = q.Owner
	}
	switch {
	case q.Evidence == nil:
		return q, notAccepted("%s asks for a ruling, which no file gives: snodo authorize %s %s --rule pass|blocker --as %s --because TEXT", q.ID, state.Started.Run, q.Validator, q.Owner)
	case role != q.Owner:
		return q, notAccepted("%s is asked of %s, and not of %s", q.ID, q.Owner, role)
	case len(a.Content) == 0:
		return q, notAccepted("the file is empty, and shows nothing")
	}
	content := []byte(redact(string(a.Content)))
	sum := sha256.Sum256(content)
	digest := "sha256:" + hex.EncodeToString(sum[:])
	known, err := knownTo(log.Events(), q.Validator)
	if err != nil {
		return q, err
	}
	if slices.Contains(known, digest) {
		return q, notAccepted("judge %s was given these bytes already: they are no new evidence", q.Validator)
	}
	signed, err := sign(p, role, a.Sign, AttachStatement(state.Started.Run, *q, digest))
	if err != nil {
		return q, err
	}
	text := record.Text{}
	if over := len(content) - shownToJudge; over > 0 {
		text.Head, text.Tail = cutAt(content)
		text.Omitted = int64(len(content) - text.Head - text.Tail)
	}
	file, kept, err := log.Keep(record.Evidence, "attached-"+q.ID+".txt", content)
	if err != nil {
		return q, err
	}
	text.File, text.Digest = &file, &kept
	_, err = log.Append(record.Attached{
		Request: q.ID, Judge: q.Validator, Evidence: *q.Evidence, Args: q.Args, Commit: q.Commit, Source: a.Source, Text: text, Signed: signed,
	})
	return q, err
}

// cutAt returns how much is shown of either end, between whole characters.
func cutAt(content []byte) (head, tail int) {
	head, tail = shownToJudge/2, shownToJudge/2
	for head > 0 && !utf8.RuneStart(content[head]) {
		head--
	}
	for tail > 0 && !utf8.RuneStart(content[len(content)-tail]) {
		tail--
	}
	return head, tail
}

// openRequest finds an open request, or says what became of it.
func openRequest(s record.State, id string) (*record.Request, error) {
	var ids []string
	for _, q := range s.Requests {
		if q.ID == id {
			switch q.State {
			case record.StateOpen:
				return &q, nil
			case record.StateAnswered:
				return &q, notAccepted("%s is answered already: snodo resume %s goes on", id, s.Started.Run)
			case record.StateRuled:
				return &q, notAccepted("%s is settled: a person ruled on the verdict", id)
			case record.StateSuperseded:
				return &q, notAccepted("%s is superseded: judge %s was asked again since", id, q.Validator)
			case record.StateOvertaken:
				return &q, notAccepted("%s is overtaken: the work has moved on since", id)
			}
			panic("runtime: no such state of a request: " + q.State)
		}
		if q.State == record.StateOpen {
			ids = append(ids, q.ID)
		}
	}
	if len(ids) == 0 {
		return nil, notAccepted("the run asks for nothing")
	}
	return nil, notAccepted("the run has no request %s; it asks for %s", id, strings.Join(ids, ", "))
}

// knownTo are the digests of what a judge was given.
func knownTo(events []record.Event, judge string) ([]string, error) {
	var out []string
	for _, e := range events {
		entry, err := e.Entry()
		if err != nil {
			return nil, err
		}
		switch e := entry.(type) {
		case record.Gathered:
			if e.Digest != nil && slices.Contains(e.Judges, judge) {
				out = append(out, *e.Digest)
			}
		case record.Attached:
			if e.Digest != nil && e.Judge == judge {
				out = append(out, *e.Digest)
			}
		}
	}
	return out, nil
}

// A Decision is a person's ruling on a verdict.
type Decision struct {
	Validator string
	Rule      plan.Verdict // pass or blocker
	Role      string
	Because   string
	Verdict   string // the hash of the verdict that was seen, or its beginning; empty: the newest
	Sign      Signer
}

// maxBecause is the longest reason of a ruling, in bytes.
const maxBecause = 4 << 10

// Authorize gives a ruling on a verdict that a run waits for. The error is a
// *NotAcceptedError where it cannot be given.
func Authorize(log *record.Log, p *plan.Plan, d Decision) error {
	state, err := record.Fold(log.Events())
	if err != nil {
		return err
	}
	if _, ok := p.Validators[d.Validator]; !ok {
		return notAccepted("the protocol has no validator %q", d.Validator)
	}
	res, ok := state.Newest(d.Validator)
	if !ok {
		return notAccepted("%s has given no verdict in this run", d.Validator)
	}
	if err := mayBeRuledOn(res); err != nil {
		return err
	}
	if !strings.HasPrefix(strings.TrimPrefix(res.Hash, "sha256:"), strings.TrimPrefix(d.Verdict, "sha256:")) {
		return notAccepted("the verdict of %s has changed since: it is %s now, %s", d.Validator, *res.Verdict, res.Hash)
	}
	role, commit, asked := state.AskedOf(d.Validator)
	switch {
	case !asked:
		return notAccepted("nobody is asked about the %s of %s: it does not stand in the way", *res.Verdict, d.Validator)
	case d.Role != role:
		return notAccepted("the protocol asks %s about %s, and a ruling of %s is none", role, d.Validator, d.Role)
	case strings.TrimSpace(d.Because) == "":
		return notAccepted("a ruling needs a reason")
	case len(d.Because) > maxBecause || !utf8.ValidString(d.Because):
		return notAccepted("the reason is no text of at most %d bytes", maxBecause)
	}
	ruled := record.Ruled{Validator: d.Validator, Hash: res.Hash, Commit: commit, Rule: d.Rule, Because: d.Because}
	if ruled.Signed, err = sign(p, d.Role, d.Sign, RuleStatement(state.Started.Run, ruled, d.Role)); err != nil {
		return err
	}
	_, err = log.Append(ruled)
	return err
}

// mayBeRuledOn says why nobody may rule on a result.
func mayBeRuledOn(res record.Result) error {
	switch {
	case res.Error != nil:
		return notAccepted("%s came to no verdict (%s), and nobody can rule on what was never weighed: snodo resume asks it again", res.Validator, res.Error.Class)
	case *res.Verdict == plan.Blocker:
		return notAccepted("%s found a blocker, and a blocker cannot be overruled: the work has to change", res.Validator)
	case *res.Verdict == plan.Pass:
		return notAccepted("%s passed: there is nothing to rule on", res.Validator)
	case res.Ruling != nil:
		return notAccepted("%s ruled %s on this verdict already", res.Ruling.Role, res.Ruling.Rule)
	}
	return nil
}

// What becomes of a signature.
const (
	signedPinned   = "pinned"
	signedUnpinned = "unpinned"
)

// sign has a statement signed where the role pins a key.
func sign(p *plan.Plan, role string, signer Signer, statement []byte) (record.Signed, error) {
	r, ok := p.Roles[role]
	if !ok {
		return record.Signed{}, notAccepted("the protocol has no role %q", role)
	}
	if r.Key == nil {
		return record.Signed{Role: role, Signature: signedUnpinned}, nil
	}
	armoured, err := signer(statement, *r.Key)
	if err != nil {
		return record.Signed{}, notAccepted("%s pins a key, and this is not signed with it: %v", role, err)
	}
	if err := CheckSigned(statement, armoured, *r.Key); err != nil {
		return record.Signed{}, notAccepted("%s pins a key, and this is not signed with it: %v", role, err)
	}
	return record.Signed{Role: role, Signature: signedPinned, SSH: &armoured}, nil
}

// CheckSigned says whether a signature is the pinned key's, and of the
// statement.
func CheckSigned(statement []byte, armoured, key string) error {
	pinned, err := signature.Pinned(key)
	if err != nil {
		return err
	}
	return signature.Check(statement, armoured, pinned)
}

// CheckStatements says whether every answer and ruling of a record is signed as
// its role's key demands: with it, and over what stands in the event.
func CheckStatements(events []record.Event, p *plan.Plan) error {
	var errs []error
	run := ""
	state := map[string]record.Request{}
	for _, e := range events {
		entry, err := e.Entry()
		if err != nil {
			return err
		}
		var statement []byte
		var signed record.Signed
		switch e := entry.(type) {
		case record.Started:
			run = e.Run
		case record.Asked:
			for _, q := range e.Requests {
				q.Commit = e.Commit
				state[q.ID] = q
			}
		case record.Attached:
			signed, statement = e.Signed, AttachStatement(run, state[e.Request], or(e.Digest))
		case record.Ruled:
			signed, statement = e.Signed, RuleStatement(run, e, e.Role)
		}
		if statement == nil {
			continue
		}
		if err := checkSigned(p, signed, statement); err != nil {
			errs = append(errs, fmt.Errorf("event %d: %w", e.Seq, err))
		}
	}
	return errors.Join(errs...)
}

func checkSigned(p *plan.Plan, s record.Signed, statement []byte) error {
	key := p.Roles[s.Role].Key
	switch {
	case key == nil && s.Signature == signedUnpinned && s.SSH == nil:
		return nil
	case key == nil || s.Signature != signedPinned || s.SSH == nil:
		return fmt.Errorf("it is %s for %s, which does not fit the role's key", s.Signature, s.Role)
	}
	if err := CheckSigned(statement, *s.SSH, *key); err != nil {
		return fmt.Errorf("the signature of %s: %w", s.Role, err)
	}
	return nil
}

// AttachStatement is what is signed of an answer: the request, as it was asked,
// and the bytes that answer it.
func AttachStatement(run string, q record.Request, digest string) []byte {
	return statement(map[string]any{
		"statement": "snodo.evidence.v1", "run": run, "request": q.ID, "judge": q.Validator, "evidence": q.Evidence,
		"args": q.Args, "commit": q.Commit, "digest": digest,
	})
}

// RuleStatement is what is signed of a ruling.
func RuleStatement(run string, r record.Ruled, role string) []byte {
	return statement(map[string]any{
		"statement": "snodo.ruling.v1", "run": run, "validator": r.Validator, "verdict_hash": r.Hash, "commit": r.Commit,
		"rule": r.Rule, "role": role, "because": r.Because,
	})
}

func statement(members map[string]any) []byte {
	out, err := plan.Canonical(members)
	if err != nil {
		panic("runtime: a statement is no JSON: " + err.Error())
	}
	return out
}
