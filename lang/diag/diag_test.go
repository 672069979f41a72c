package diag

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func in(file string, start, end int) Range {
	return Range{file, Position{1, start + 1, start}, Position{1, end + 1, end}}
}

func TestSortedOrdersByPlaceAndCodeAndDropsDoubles(t *testing.T) {
	b := Diagnostic{Code: SN101, Range: in("a", 5, 6), Message: "second"}
	l := List{
		{Code: SN101, Range: in("b", 0, 1), Message: "other file"},
		b,
		{Code: SN202, Range: in("a", 5, 6), Message: "greater code"},
		{Code: SN101, Range: in("a", 5, 9), Message: "longer"},
		{Code: SN101, Range: in("a", 1, 9), Message: "first"},
		b,
		{Code: SN101, Range: in("a", 5, 6), Message: "another of the same place"},
	}
	given := slices.Clone(l)
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Message)
	}
	want := []string{"first", "another of the same place", "second", "greater code", "longer", "other file"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(given, l); diff != "" {
		t.Errorf("the list itself changed: %s", diff)
	}
}

func TestSortedDoesNotDependOnTheOrderOfFinding(t *testing.T) {
	l := List{
		{Code: SN101, Range: in("a", 5, 6), Message: "x"},
		{Code: SN101, Range: in("a", 5, 6), Message: "y"},
		{Code: SN101, Range: in("a", 5, 6), Message: "x"},
	}
	forward := l.Sorted()
	slices.Reverse(l)
	if diff := cmp.Diff(forward, l.Sorted()); diff != "" {
		t.Error(diff)
	}
	if len(forward) != 2 {
		t.Errorf("got %d diagnostics, want 2", len(forward))
	}
}

func TestStrictMakesWarningsErrorsAndNothingElse(t *testing.T) {
	var l List
	l.Add(Diagnostic{Code: SN101})
	l.Add(Diagnostic{Code: SN706})
	l.Add(Diagnostic{Code: SN704})
	s := l.Strict()
	if s.Count(Error) != 2 || s.Count(Warning) != 0 || s.Count(Note) != 1 {
		t.Errorf("got %v", s)
	}
	if l.Count(Warning) != 1 {
		t.Error("the list itself changed")
	}
}

func TestAddGivesTheRegisteredSeverity(t *testing.T) {
	var l List
	l.Add(Diagnostic{Code: SN210, Severity: Error})
	if l[0].Severity != Warning {
		t.Errorf("got %v", l[0].Severity)
	}
}

func TestEveryCodeIsWellFormed(t *testing.T) {
	form := regexp.MustCompile(`^SN[1-9]\d\d$`)
	titles := map[string]Code{}
	for _, c := range Codes() {
		if !form.MatchString(string(c)) {
			t.Errorf("%s is no code", c)
		}
		title := c.Title()
		if title == "" || strings.HasSuffix(title, ".") || strings.ContainsAny(title, "\n") || len(title) > 70 {
			t.Errorf("%s has the title %q", c, title)
		}
		if other, taken := titles[title]; taken {
			t.Errorf("%s and %s share a title", c, other)
		}
		titles[title] = c
	}
	if !slices.IsSorted(Codes()) || len(Codes()) != len(registry) {
		t.Errorf("Codes() = %v", Codes())
	}
}

func TestSeveritiesAreThoseOfTheDesign(t *testing.T) {
	warnings := []Code{SN210, SN408, SN413, SN414, SN514, SN604, SN702, SN706}
	notes := []Code{SN520, SN521, SN704}
	for _, c := range Codes() {
		want := Error
		switch {
		case slices.Contains(warnings, c):
			want = Warning
		case slices.Contains(notes, c):
			want = Note
		}
		if c.Severity() != want {
			t.Errorf("%s is a %v, want a %v", c, c.Severity(), want)
		}
	}
}

func TestAnUnregisteredCodeCannotBeUsed(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	var l List
	l.Add(Diagnostic{Code: "SN999"})
}
