package record

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// plainEntry decodes what an event holds, from JSON that is known to be written
// plainly: without space, repeated members or what is no UTF-8. It comes to what
// decode comes to at a fraction of the cost, and leaves to that one whatever is
// unusual and all that is wrong.
func plainEntry(kind Kind, data []byte) (Entry, bool) {
	t, ok := entryTypes[kind]
	if !ok {
		return nil, false
	}
	v := reflect.New(t).Elem()
	r := plainReader{in: data}
	if !r.into(v) || r.at != len(data) {
		return nil, false
	}
	return v.Interface().(Entry), true
}

// entryTypes are the types of entries that have no embedded parts.
var entryTypes = func() map[Kind]reflect.Type {
	types := map[Kind]reflect.Type{}
	for _, e := range []Entry{
		Started{}, Prepared{}, Dispatched{}, Replied{}, Checked{}, Returned{}, Taken{}, Refused{}, Judged{}, Decided{},
		Recovering{}, Asked{}, Intended{}, Exercised{}, Rowed{}, Resumed{}, Ended{},
	} {
		types[e.kind()] = reflect.TypeOf(e)
	}
	return types
}()

// A plainReader goes over JSON once. Its methods are false where they meet
// something that they leave to the library.
type plainReader struct {
	in []byte
	at int
}

func (r *plainReader) takes(c byte) bool {
	if r.at == len(r.in) || r.in[r.at] != c {
		return false
	}
	r.at++
	return true
}

func (r *plainReader) word(w string) bool {
	if !bytes.HasPrefix(r.in[r.at:], []byte(w)) {
		return false
	}
	r.at += len(w)
	return true
}

// into decodes one value.
func (r *plainReader) into(v reflect.Value) bool {
	if r.word("null") {
		return true // what it is decoded into stays as it is: empty
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return r.into(v.Elem())
	case reflect.String:
		s, ok := r.text()
		v.SetString(s)
		return ok
	case reflect.Bool:
		switch {
		case r.word("true"):
			v.SetBool(true)
			return true
		case r.word("false"):
			return true
		}
	case reflect.Int, reflect.Int64:
		n, ok := r.number()
		v.SetInt(n)
		return ok
	case reflect.Slice:
		return r.list(v)
	case reflect.Struct:
		return r.object(v)
	case reflect.Map:
		return r.open(v)
	}
	return false
}

func (r *plainReader) number() (int64, bool) {
	start := r.at
	for r.at < len(r.in) && (r.in[r.at] == '-' || '0' <= r.in[r.at] && r.in[r.at] <= '9') {
		r.at++
	}
	n, err := strconv.ParseInt(string(r.in[start:r.at]), 10, 64)
	return n, err == nil
}

// text decodes a text. Halves of surrogate pairs are left to the library.
func (r *plainReader) text() (string, bool) {
	if !r.takes('"') {
		return "", false
	}
	end := bytes.IndexByte(r.in[r.at:], '"')
	if end < 0 {
		return "", false
	}
	if plain := r.in[r.at : r.at+end]; bytes.IndexByte(plain, '\\') < 0 {
		r.at += end + 1
		return string(plain), true
	}
	var out strings.Builder
	for r.at < len(r.in) {
		c := r.in[r.at]
		r.at++
		switch c {
		case '"':
			return out.String(), true
		case '\\':
			if !r.escape(&out) {
				return "", false
			}
		default:
			out.WriteByte(c)
		}
	}
	return "", false
}

func (r *plainReader) escape(out *strings.Builder) bool {
	const length = len(`u0000`)
	if r.at == len(r.in) {
		return false
	}
	c := r.in[r.at]
	r.at++
	if short := strings.IndexByte(`"\/bfnrt`, c); short >= 0 {
		out.WriteByte("\"\\/\b\f\n\r\t"[short])
		return true
	}
	if c != 'u' || r.at+length-1 > len(r.in) {
		return false
	}
	code, err := strconv.ParseUint(string(r.in[r.at:r.at+length-1]), 16, 16)
	if err != nil || !utf8.ValidRune(rune(code)) {
		return false
	}
	r.at += length - 1
	out.WriteRune(rune(code))
	return true
}

func (r *plainReader) list(v reflect.Value) bool {
	if !r.takes('[') || decodesItself(v.Type().Elem()) {
		return false
	}
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	if r.takes(']') {
		return true
	}
	for {
		v.Grow(1)
		v.SetLen(v.Len() + 1)
		if !r.into(v.Index(v.Len() - 1)) {
			return false
		}
		if r.takes(']') {
			return true
		}
		if !r.takes(',') {
			return false
		}
	}
}

func (r *plainReader) object(v reflect.Value) bool {
	fields, known := fieldsOf(v.Type())
	if !known || !r.takes('{') {
		return false
	}
	if r.takes('}') {
		return true
	}
	for {
		if !r.takes('"') {
			return false
		}
		end := bytes.IndexByte(r.in[r.at:], '"')
		if end < 0 {
			return false
		}
		i, ok := fields[string(r.in[r.at:r.at+end])]
		r.at += end + 1
		if !ok || !r.takes(':') || !r.into(v.Field(i)) {
			return false
		}
		if r.takes('}') {
			return true
		}
		if !r.takes(',') {
			return false
		}
	}
}

// open decodes an object of any members, such as the arguments of evidence, by
// the library: there are few.
func (r *plainReader) open(v reflect.Value) bool {
	if r.at == len(r.in) || r.in[r.at] != '{' || v.Type() != reflect.TypeFor[map[string]any]() {
		return false
	}
	d := json.NewDecoder(bytes.NewReader(r.in[r.at:]))
	d.UseNumber()
	if d.Decode(v.Addr().Interface()) != nil {
		return false
	}
	r.at += int(d.InputOffset())
	return true
}

// fieldsOf returns the fields of a struct by the names of their members. It is
// false for a struct that is left to the library.
func fieldsOf(t reflect.Type) (map[string]int, bool) {
	if known, ok := fieldsByType.Load(t); ok {
		fields := known.(map[string]int)
		return fields, fields != nil
	}
	fields := map[string]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if f.Anonymous || !f.IsExported() || name == "" || option != "" && option != "omitempty" || decodesItself(f.Type) {
			fields = nil
			break
		}
		fields[name] = i
	}
	fieldsByType.Store(t, fields)
	return fields, fields != nil
}

var fieldsByType sync.Map // map[string]int by type, nil where it is left to the library

// decodesItself says whether the library asks a type, or what it points to,
// how it is decoded.
func decodesItself(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
