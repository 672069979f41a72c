package plan

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// appendValue appends to dst the canonical form of what encoding/json makes of
// v, without making that first. It is false for everything that it does not
// know: whatever encodes itself, embedded structs, floats, bytes, large
// numbers, and members whose names are not plain.
func appendValue(dst []byte, v reflect.Value) ([]byte, bool) {
	if !v.IsValid() {
		return append(dst, "null"...), true
	}
	if v.Type() == rawType {
		if raw := v.Bytes(); raw != nil {
			return AppendCanonical(dst, raw)
		}
		return append(dst, "null"...), true
	}
	if encodesItself(v.Type()) {
		return dst, false
	}
	return appendKind(dst, v)
}

// appendKind appends a value of a type that leaves it to its kind how it is
// encoded.
func appendKind(dst []byte, v reflect.Value) ([]byte, bool) {
	switch v.Kind() {
	case reflect.String:
		return appendText(dst, v.String()), true
	case reflect.Bool:
		return strconv.AppendBool(dst, v.Bool()), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		const most = 1e15 // a float64 holds it
		if n := v.Int(); n > -most && n < most {
			return strconv.AppendInt(dst, n, 10), true
		}
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return append(dst, "null"...), true
		}
		return appendValue(dst, v.Elem())
	case reflect.Slice:
		return appendSlice(dst, v)
	case reflect.Map:
		return appendMap(dst, v)
	case reflect.Struct:
		return appendStruct(dst, v, "")
	}
	return dst, false
}

var rawType = reflect.TypeFor[json.RawMessage]()

// encodesItself says whether the encoder asks a type for its form. What only
// a pointer to it says does not count unless it is asked by that pointer,
// which is not known here; so it counts.
func encodesItself(t reflect.Type) bool {
	known, ok := selfEncoded.Load(t)
	if !ok {
		known = slices.ContainsFunc([]reflect.Type{t, reflect.PointerTo(t)}, func(t reflect.Type) bool {
			return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
		}) || t == reflect.TypeFor[json.Number]()
		selfEncoded.Store(t, known)
	}
	return known.(bool)
}

var selfEncoded sync.Map // bool by type

// encoderOf returns what encodes the values of a type, which is asked once for
// many of them.
func encoderOf(t reflect.Type) func(dst []byte, v reflect.Value) ([]byte, bool) {
	if t == rawType || encodesItself(t) {
		return appendValue
	}
	return appendKind
}

func appendSlice(dst []byte, v reflect.Value) (out []byte, ok bool) {
	if v.IsNil() {
		return append(dst, "null"...), true
	}
	if v.Type().Elem().Kind() == reflect.Uint8 {
		return dst, false
	}
	encode := encoderOf(v.Type().Elem())
	dst = append(dst, '[')
	for i := range v.Len() {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, ok = encode(dst, v.Index(i)); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
}

func appendMap(dst []byte, v reflect.Value) (out []byte, ok bool) {
	if v.IsNil() {
		return append(dst, "null"...), true
	}
	if v.Type().Key().Kind() != reflect.String || encodesItself(v.Type().Key()) {
		return dst, false
	}
	keys := v.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	dst = append(dst, '{')
	const atOnce = 32
	if len(keys) < 2*atOnce {
		dst, ok = appendMembers(dst, v, keys)
		return append(dst, '}'), ok
	}
	type part struct {
		buffer *[]byte
		known  bool
	}
	parts := make([]part, (len(keys)+atOnce-1)/atOnce)
	sideBySide(len(parts), func(i int) {
		b := buffers.Get().(*[]byte)
		parts[i].buffer = b
		*b, parts[i].known = appendMembers((*b)[:0], v, keys[i*atOnce:min((i+1)*atOnce, len(keys))])
	})
	ok, size := true, len(parts)+1
	for _, p := range parts {
		ok, size = ok && p.known, size+len(*p.buffer)
	}
	dst = slices.Grow(dst, size)
	for i, p := range parts {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, *p.buffer...)
		buffers.Put(p.buffer)
	}
	return append(dst, '}'), ok
}

func appendMembers(dst []byte, of reflect.Value, keys []reflect.Value) (out []byte, ok bool) {
	for i, key := range keys {
		if !plainName(key.String()) {
			return dst, false
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendText(dst, key.String()), ':')
		if dst, ok = appendValue(dst, of.MapIndex(key)); !ok {
			return dst, false
		}
	}
	return dst, true
}

// appendStruct appends the members of a struct in canonical order, but for the
// one that is left out.
func appendStruct(dst []byte, v reflect.Value, leftOut string) (out []byte, ok bool) {
	fields, known := fieldsOf(v.Type())
	if !known {
		return dst, false
	}
	dst = append(dst, '{')
	first := len(dst)
	for _, f := range fields {
		member := v.Field(f.index)
		if f.name == leftOut || f.omitEmpty && empty(member) {
			continue
		}
		if len(dst) > first {
			dst = append(dst, ',')
		}
		dst = append(dst, f.quoted...)
		if dst, ok = f.encode(dst, member); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// A structField is a field that becomes a member.
type structField struct {
	index     int
	name      string
	quoted    string // the name in quotes, and a colon
	omitEmpty bool
	encode    func(dst []byte, v reflect.Value) ([]byte, bool)
}

// fieldsOf returns the fields of a struct in the order of their names. It is
// false for a struct that it does not know how to encode.
func fieldsOf(t reflect.Type) ([]structField, bool) {
	if known, ok := structFields.Load(t); ok {
		fields := known.([]structField)
		return fields, fields != nil
	}
	fields := []structField{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if f.Anonymous {
			fields = nil
			break
		}
		if !f.IsExported() || tag == "-" {
			continue
		}
		name, option, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		twice := slices.ContainsFunc(fields, func(other structField) bool { return other.name == name })
		if option != "" && option != "omitempty" || !plainName(name) || twice {
			fields = nil
			break
		}
		fields = append(fields, structField{i, name, fmt.Sprintf("%q:", name), option != "", encoderOf(f.Type)})
	}
	slices.SortFunc(fields, func(a, b structField) int { return strings.Compare(a.name, b.name) })
	structFields.Store(t, fields)
	return fields, fields != nil
}

var structFields sync.Map // []structField by type, nil where it is not known

// empty says whether omitempty leaves a value out.
func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// plainName says whether a text is ordered by its bytes and stands in quotes as
// it is.
func plainName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// appendText appends a text in quotes. What is no UTF-8 in it becomes U+FFFD,
// as encoding/json has it.
func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c < ' ' || c == '"' || c == '\\' {
				dst = appendEscaped(append(dst, s[start:i]...), rune(c))
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			dst = utf8.AppendRune(append(dst, s[start:i]...), r)
			start = i + 1
		}
		i += size
	}
	return append(append(dst, s[start:]...), '"')
}
