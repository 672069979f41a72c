package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"testing/quick"
	"time"

	"github.com/gowebpki/jcs"
)

// theLongWay is the canonical form as the libraries make it.
func theLongWay(v any) ([]byte, error) {
	encoded, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jcs.Transform(encoded)
}

func sameEitherWay(t *testing.T, v any) {
	t.Helper()
	want, wantErr := theLongWay(v)
	got, err := Canonical(v)
	if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) {
		t.Errorf("%#v comes out as\n%s, %v, want\n%s, %v", v, got, err, want, wantErr)
	}
}

type (
	named     string
	oddNames  struct{ É, A int }
	upper     struct{}
	ofPointer struct{ N int }
	inside    struct{ B, A int }
	outside   struct {
		inside
		A string
	}
)

func (upper) MarshalJSON() ([]byte, error)      { return []byte(`"UPPER"`), nil }
func (*ofPointer) MarshalText() ([]byte, error) { return []byte("pointed at"), nil }

func TestValuesComeOutAsTheLibrariesHaveThem(t *testing.T) {
	var nothing *int
	one := 1
	for _, v := range []any{
		nil, true, 0, -7, int64(math.MaxInt64), int64(999_999_999_999_999), int64(math.MinInt64), uint(7), 1.5, float32(2), math.NaN(),
		"", "a\"b\\c\b\f\n\r\t\x00\x1f\x7f", "<&>\u2028\u2029", "Grüße 語 😀", "\xff a \xc3", named("n"), json.Number("1.0"), json.Number("x"),
		nothing, &one, []int(nil), []int{}, []int{3, 1}, []byte("bytes"), []any{nil, "x", 1.0, []string{}}, [2]bool{true, false},
		map[string]int(nil), map[string]int{}, map[string]int{"b": 1, "a": 2, "": 3}, map[string]int{"é": 1, "z": 2, "\U0001F600": 3, "\uFB33": 4},
		map[named]any{"x": map[string]any{"d": nil, "c": json.RawMessage(`{"b":1,"a":[1.50]}`)}}, map[string]int{"a\"b": 1, "\xff": 2}, map[int]int{2: 1, 10: 2},
		json.RawMessage(nil), json.RawMessage(``), json.RawMessage(`{"b":"\u003c","a":1e2}`), json.RawMessage(`{"a":1,"a":2}`), json.RawMessage(`{ "b" : 1 }`), json.RawMessage(`nope`),
		struct {
			B     int    `json:"b"`
			A     string `json:"a,omitempty"`
			Skip  int    `json:"-"`
			Plain bool
			quiet int
		}{1, "", 2, true, 3},
		struct {
			A *int           `json:"a,omitempty"`
			B []int          `json:"b,omitempty"`
			C map[string]int `json:"c,omitempty"`
			D any            `json:"d,omitempty"`
			E struct{}       `json:"e,omitempty"`
			F int            `json:"f,string"`
			G time.Time      `json:"g,omitzero"`
		}{F: 1},
		oddNames{1, 2}, upper{}, []upper{{}}, ofPointer{1}, &ofPointer{1}, []ofPointer{{1}}, outside{inside{1, 2}, "a"},
		time.Unix(0, 0).UTC(), func() {}, make(chan int), errors.New("x"),
	} {
		sameEitherWay(t, v)
	}
}

func TestPartsOfAPlanComeOutAsTheLibrariesHaveThem(t *testing.T) {
	for _, check := range []any{
		func(v Check) bool { sameEitherWay(t, v); return !t.Failed() },
		func(v Rule) bool { sameEitherWay(t, &v); return !t.Failed() },
		func(v Evidence) bool { sameEitherWay(t, v); return !t.Failed() },
		func(v map[string]Role) bool { sameEitherWay(t, v); return !t.Failed() },
		func(v []Source) bool { sameEitherWay(t, v); return !t.Failed() },
		func(v Wording) bool { sameEitherWay(t, v); return !t.Failed() },
		func(v Budget, g []Grant, text string) bool {
			schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"additionalProperties":false}`)
			sameEitherWay(t, map[string]Validator{"j": &Judge{Budget: v, Grants: g, Prompt: text, Tools: []Tool{{Name: text, Parameters: schema}}}})
			return !t.Failed()
		},
	} {
		if err := quick.Check(check, nil); err != nil {
			t.Error(err)
		}
	}
}

// What is sealed again and again does not go by way of the libraries.
func TestAPlanTakesTheShortWay(t *testing.T) {
	p := sample(t)
	for _, v := range []any{*p, p, p.Wording, p.Validators} {
		got, ok := appendValue(nil, reflect.ValueOf(v))
		want, err := theLongWay(v)
		if err != nil || !ok || !bytes.Equal(got, want) {
			t.Errorf("%T: %v, %v", v, ok, err)
		}
	}
}

// The digest of a plan is that of its canonical form without that member.
func TestTheDigestCoversAllButItself(t *testing.T) {
	p := sample(t)
	encoded, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]any
	if err := json.Unmarshal(encoded, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "digest")
	canonical, err := theLongWay(members)
	if err != nil {
		t.Fatal(err)
	}
	if want := hashOf(canonical); p.Digest != want {
		t.Errorf("the digest is %s, want %s", p.Digest, want)
	}
}
