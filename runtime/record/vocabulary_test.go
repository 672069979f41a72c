package record

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entries are one of each kind.
var entries = []Entry{
	Started{}, Prepared{}, Dispatched{}, Replied{}, Checked{}, Returned{}, Taken{}, Refused{}, Judged{}, Decided{}, Recovering{}, Gathered{}, Asked{}, Intended{}, Exercised{}, Attached{}, Ruled{}, Rowed{}, Resumed{}, Ended{},
}

func TestTheVocabularyIsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/runtime.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+\\.[a-z]+)` \\|[^|]*\\|(.*)\\|$").FindAllStringSubmatch(string(page), -1) {
		for _, member := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(row[2], -1) {
			documented[row[1]] = append(documented[row[1]], member[1])
		}
	}
	if len(documented) != len(entries) {
		t.Errorf("%d kinds are documented, and there are %d", len(documented), len(entries))
	}
	for _, e := range entries {
		var members []string
		for _, field := range reflect.VisibleFields(reflect.TypeOf(e)) {
			if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); !field.Anonymous {
				members = append(members, name)
			}
		}
		if got := documented[string(e.kind())]; !slices.Equal(got, members) {
			t.Errorf("%s is documented with %v and holds %v", e.kind(), got, members)
		}
	}
}

func TestEveryKindIsReadBack(t *testing.T) {
	for _, e := range entries {
		l := create(t)
		written, err := l.Append(e)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(written)
		if err != nil || reflect.TypeOf(got) != reflect.TypeOf(e) {
			t.Errorf("%s comes back as %T, %v", e.kind(), got, err)
		}
	}
}

// Verifying a record looks for every file that an event can name.
func TestEveryFileThatAnEventNamesIsHeldToIt(t *testing.T) {
	for _, members := range [][2]string{{"Transcript", "TranscriptDigest"}, {"File", "Digest"}} {
		for _, e := range entries {
			v := reflect.New(reflect.TypeOf(e)).Elem()
			file, digest := v.FieldByName(members[0]), v.FieldByName(members[1])
			if !file.IsValid() {
				continue
			}
			file.Set(reflect.ValueOf(ptr("evidence/x")))
			digest.Set(reflect.ValueOf(ptr("sha256:y")))
			if name, of := namedFile(v.Interface().(Entry)); name != "evidence/x" || of != "sha256:y" {
				t.Errorf("the %s of %s is not looked at", members[0], e.kind())
			}
		}
	}
}
