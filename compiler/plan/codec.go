package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"

	"github.com/gowebpki/jcs"
)

// Canonical returns the canonical JSON of v (RFC 8785): the bytes over which
// every digest in a plan and in a record is taken.
func Canonical(v any) ([]byte, error) {
	if canonical, ok := appendValue(nil, reflect.ValueOf(v)); ok {
		return canonical, nil
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical form: %w", err)
	}
	canonical, err := canonicalOf(plain)
	if err != nil {
		return nil, fmt.Errorf("canonical form: %w", err)
	}
	return canonical, nil
}

// canonicalOf returns the canonical form of a JSON value.
func canonicalOf(value []byte) ([]byte, error) {
	if canonical, ok := AppendCanonical(make([]byte, 0, len(value)), value); ok {
		return canonical, nil
	}
	return jcs.Transform(value)
}

// Digest returns "sha256:" and the hex SHA-256 of the canonical form of v.
func Digest(v any) (string, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	canonical, ok := appendValue((*buffer)[:0], reflect.ValueOf(v))
	if *buffer = canonical; ok {
		return hashOf(canonical), nil
	}
	canonical, err := Canonical(v)
	if err != nil {
		return "", err
	}
	return hashOf(canonical), nil
}

// buffers hold what is only written to be hashed.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

func hashOf(canonical []byte) string {
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Seal computes the revision of the wording, the digest of every validator
// and the digest of the plan, and writes them into p. A plan that is changed
// afterwards no longer fits its digests and will not be read.
func Seal(p *Plan) error {
	s, err := sums(p)
	if err != nil {
		return fmt.Errorf("seal plan: %w", err)
	}
	p.Wording.Revision = s.wording
	for name, v := range p.Validators {
		switch v := v.(type) {
		case *Judge:
			v.Digest = s.validators[name]
		case *Check:
			v.Digest = s.validators[name]
		case *Rule:
			v.Digest = s.validators[name]
		default:
			panic(fmt.Sprintf("plan: no such validator: %T", v))
		}
	}
	p.Digest = ""
	if p.Digest, err = whole(p); err != nil {
		return fmt.Errorf("seal plan: %w", err)
	}
	return nil
}

// digests are those of the parts of a plan.
type digests struct {
	wording    string
	validators map[string]string
}

// sums computes the digests of the parts of p from their contents alone.
func sums(p *Plan) (digests, error) {
	out := digests{validators: make(map[string]string, len(p.Validators))}
	w := p.Wording
	w.Revision = ""
	var err error
	if out.wording, err = Digest(w); err != nil {
		return out, err
	}
	names := sorted(p.Validators)
	hashes := make([]string, len(names))
	errs := make([]error, len(names))
	sideBySide(len(names), func(i int) {
		// What decides a verdict is the validator and the wording it is
		// spoken to with; its name and its gate do not.
		hashes[i], errs[i] = Digest(struct {
			Validator Validator `json:"validator"`
			Wording   string    `json:"wording"`
		}{unsealed(p.Validators[names[i]]), out.wording})
	})
	if err := errors.Join(errs...); err != nil {
		return out, err
	}
	for i, name := range names {
		out.validators[name] = hashes[i]
	}
	return out, nil
}

// unsealed returns a copy of v without its digest.
func unsealed(v Validator) Validator {
	switch v := v.(type) {
	case *Judge:
		c := *v
		c.Digest = ""
		return &c
	case *Check:
		c := *v
		c.Digest = ""
		return &c
	case *Rule:
		c := *v
		c.Digest = ""
		return &c
	}
	panic(fmt.Sprintf("plan: no such validator: %T", v))
}

// whole returns the digest of p without its own member of that name.
func whole(p *Plan) (string, error) {
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	canonical, ok := appendStruct((*buffer)[:0], reflect.ValueOf(*p), "digest")
	if *buffer = canonical; ok {
		return hashOf(canonical), nil
	}
	canonical, err := Canonical(p)
	if err != nil {
		return "", err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(canonical, &members); err != nil {
		return "", fmt.Errorf("canonical form: %w", err)
	}
	delete(members, "digest")
	return Digest(members)
}

// Encode returns the canonical form of a sealed plan and a final newline.
func Encode(p *Plan) ([]byte, error) {
	canonical, err := Canonical(p)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	return append(canonical, '\n'), nil
}

// Pretty returns the canonical form indented for people. It reads back as
// the same plan.
func Pretty(p *Plan) ([]byte, error) {
	canonical, err := Canonical(p)
	if err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, canonical, "", "  "); err != nil {
		return nil, fmt.Errorf("encode plan: %w", err)
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// An InvalidError says why bytes are not a plan that can be run.
type InvalidError struct{ Reason string }

func (e *InvalidError) Error() string { return "the plan is not valid: " + e.Reason }

func invalid(format string, args ...any) error {
	return &InvalidError{Reason: fmt.Sprintf(format, args...)}
}

// MaxSize is the most bytes that Read takes.
const MaxSize = 256 << 20

// Read decodes a plan and proves it again: closed, its digests fitting, and
// total. Every error is an *InvalidError.
func Read(data []byte) (*Plan, error) {
	if len(data) > MaxSize {
		return nil, invalid("it is larger than %d MiB", MaxSize>>20)
	}
	var head struct {
		Schema  *string `json:"schema"`
		Edition *int    `json:"edition"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, invalid("it is not JSON of the right shape")
	}
	if head.Schema == nil || *head.Schema != Schema {
		return nil, invalid("its schema is %s, and this program reads %s", shown(head.Schema), Schema)
	}
	if head.Edition == nil || *head.Edition != Edition {
		return nil, invalid("its edition is not %d, the only one this program knows", Edition)
	}
	// What is decoded is the canonical form, so that a plan indented for
	// reading gives the same bytes to a judge as the plan it was made of.
	canonical, err := canonicalOf(data)
	if err != nil {
		return nil, invalid("it has no canonical form: %v", err)
	}
	var p Plan
	if err := strict(canonical, &p); err != nil {
		return nil, invalid("%s", decoding(err))
	}
	if err := roundTrip(canonical, &p); err != nil {
		return nil, err
	}
	if err := Verify(&p); err != nil {
		return nil, err
	}
	return &p, nil
}

func shown(s *string) string {
	if s == nil {
		return "missing"
	}
	return fmt.Sprintf("%q", *s)
}

// decoding words an error of the decoder without its types of Go.
func decoding(err error) string {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		return fmt.Sprintf("member %s is of the wrong kind: %s", kind.Field, kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// roundTrip refuses what a lenient decoder lets through: members given twice,
// in another case, or left out. Whatever was read must be what is written.
func roundTrip(given []byte, p *Plan) error {
	ours, err := Canonical(p)
	if err != nil {
		return invalid("%v", err)
	}
	if !bytes.Equal(given, ours) {
		return invalid("a member is missing, given twice or misspelt (%s)", firstDifference(given, ours))
	}
	return nil
}

// firstDifference shows the place where two canonical forms part.
func firstDifference(a, b []byte) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-20)
	return fmt.Sprintf("at byte %d of the canonical form, near %q", i, a[from:min(len(a), i+40)])
}

// strict decodes one JSON value into v and refuses unknown members and
// trailing bytes.
func strict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the plan")
	}
	return nil
}

// UnmarshalJSON decodes each validator by its kind.
func (vs *Validators) UnmarshalJSON(data []byte) error {
	var err error
	*vs, err = decodeEach(data, "validator", "kind", func(kind string) Validator {
		switch kind {
		case KindJudge:
			return new(Judge)
		case KindCheck:
			return new(Check)
		case KindRule:
			return new(Rule)
		}
		return nil
	})
	return err
}

// UnmarshalJSON decodes each step by its op.
func (s *Steps) UnmarshalJSON(data []byte) error {
	var err error
	*s, err = decodeEach(data, "step", "op", func(op string) Step {
		switch op {
		case OpExecute:
			return new(Execute)
		case OpGate:
			return new(Gate)
		case OpKeep:
			return new(Keep)
		case OpComplete:
			return new(Complete)
		}
		return nil
	})
	return err
}

// decodeEach decodes an object whose members are of the kind that their own
// tag member names.
func decodeEach[T any](data []byte, what, tag string, blank func(kind string) T) (map[string]T, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	out := make(map[string]T, len(raw))
	for name, member := range raw {
		var tags map[string]json.RawMessage
		if err := json.Unmarshal(member, &tags); err != nil {
			return nil, fmt.Errorf("%s %q: %w", what, name, err)
		}
		var kind string
		if err := json.Unmarshal(tags[tag], &kind); err != nil {
			return nil, fmt.Errorf("%s %q has no %s", what, name, tag)
		}
		v := blank(kind)
		if any(v) == nil {
			return nil, fmt.Errorf("%s %q: there is no %s %q", what, name, tag, kind)
		}
		if err := strict(member, v); err != nil {
			return nil, fmt.Errorf("%s %q: %w", what, name, err)
		}
		out[name] = v
	}
	return out, nil
}
