package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// theLongWay proves a line by decoding it and writing it again.
func theLongWay(line []byte, n int, prev string) (Event, error) {
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return Event{}, &DamagedError{n, "it is no event"}
	}
	again, err := json.Marshal(e)
	if err != nil || !bytes.Equal(again, line) {
		return Event{}, &DamagedError{n, "it is not written as snodo writes it"}
	}
	if e.Seq != n {
		return Event{}, &DamagedError{n, fmt.Sprintf("its number is %d", e.Seq)}
	}
	if e.Prev != prev {
		return Event{}, &DamagedError{n, "it does not follow the line before"}
	}
	if hash, err := e.sum(); err != nil || hash != e.Hash {
		return Event{}, &DamagedError{n, "its hash does not fit it"}
	}
	if e.entry, err = decode(e); err != nil {
		return Event{}, &DamagedError{n, err.Error()}
	}
	return e, nil
}

// sameEitherWay holds the short way to the long one: the same event, or the
// same words about what is wrong with it.
func sameEitherWay(t *testing.T, line []byte, n int, prev string) {
	t.Helper()
	want, wantErr := theLongWay(line, n, prev)
	got, err := readLine(line).at(n, prev)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%s\nis judged %v, want %v", line, err, wantErr)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Event{})); diff != "" {
		t.Fatalf("%s (-want +got)\n%s", line, diff)
	}
}

// odd are texts that are written in several ways.
var odd = []string{"", "plain", "a\"b\\c/d", "<tag> & more", "line\nand\ttab", "\x00\x1b\x7f", "\u2028\u2029", "Grüße 語 😀", "\xff\xfe", "\ufffd"}

// logged returns the lines of a log with an entry of each kind, with odd texts
// in some.
func logged(t testing.TB) [][]byte {
	_, dir, err := Claim(t.TempDir(), clock()(), strings.NewReader("12345"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := Create(dir, []byte("{}\n"), "do it", clock(), unchanged)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	all := entries
	for _, text := range odd {
		all = append(all, Ended{Reason: text}, Gathered{Evidence: text, Args: map[string]any{"target": text, "é" + text: 1.5, "line": 41}})
	}
	for _, e := range all {
		if _, err := l.Append(e); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(filepath.Join(dir, eventsFile))
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(log, []byte("\n"))
	return lines[:len(lines)-1]
}

func TestALineIsProvedTheSameEitherWay(t *testing.T) {
	prev, short := "", 0
	for i, line := range logged(t) {
		line = bytes.TrimSuffix(line, []byte("\n"))
		if p, ok := plainLine(line); ok {
			if _, ok := plainEntry(p.event.Kind, p.event.Data); ok {
				short++
			}
		}
		sameEitherWay(t, line, i+1, prev)
		sameEitherWay(t, line, i+2, prev)
		sameEitherWay(t, line, i+1, "sha256:another")
		e, err := theLongWay(line, i+1, prev)
		if err != nil {
			t.Fatal(err)
		}
		prev = e.Hash
	}
	if short < len(entryTypes) {
		t.Errorf("%d lines took the short way, and it is made for %d kinds", short, len(entryTypes))
	}
}

// written is a line as Append writes it but for what is changed in it, with
// the hash that belongs to it.
func written(line string) string {
	before, _, _ := strings.Cut(line, `,"hash":`)
	var e Event
	if json.Unmarshal([]byte(before+"}"), &e) != nil {
		return line
	}
	hash, err := plan.Digest(e)
	if err != nil {
		return line
	}
	return before + `,"hash":"` + hash + `"}`
}

func TestALineThatIsWrittenOtherwiseIsJudgedTheSameEitherWay(t *testing.T) {
	const line = `{"seq":1,"time":"t","kind":"folder.prepared","data":{"folder":"f","ms":1},"prev":"","hash":"h"}`
	for _, change := range [][2]string{
		{"", ""}, {`"seq":1`, `"seq":01`}, {`"seq":1`, `"seq":+1`}, {`"seq":1`, `"seq":1.0`}, {`"seq":1`, `"seq":0`}, {`"seq":1`, `"seq":-1`},
		{`"seq":1`, `"seq":99999999999999999999`}, {`"seq":1,`, `"seq":1, `}, {`"seq":1`, `"Seq":1`}, {`"seq":1`, `"seq":1,"seq":1`},
		{`"t"`, `"\u0074"`}, {`"t"`, `"<"`}, {`"t"`, `"\u003c"`}, {`"t"`, `"é"`}, {`"t"`, "\"\xff\""}, {`"t"`, "\"\x7f\""}, {`"t"`, `null`},
		{`folder.prepared`, `folder.unknown`}, {`folder.prepared`, ``},
		{`{"folder":"f","ms":1}`, `null`}, {`{"folder":"f","ms":1}`, `{}`}, {`{"folder":"f","ms":1}`, `[]`}, {`{"folder":"f","ms":1}`, ``},
		{`{"folder":"f","ms":1}`, `{},"x":1`}, {`{"folder":"f","ms":1}`, `{"ms":1,"ms":2}`}, {`{"folder":"f","ms":1}`, `{"more":1}`},
		{`{"folder":"f","ms":1}`, `{"FOLDER":"f"}`}, {`{"folder":"f","ms":1}`, `{"ms":1} `}, {`{"folder":"f","ms":1}`, `{"ms":1}{}`},
		{`"ms":1`, `"ms":1e0`}, {`"ms":1`, `"ms":1.0`}, {`"ms":1`, `"ms":-0`}, {`"ms":1`, `"ms":01`}, {`"ms":1`, `"ms":9007199254740993`}, {`"ms":1`, `"ms":"1"`},
		{`"f"`, `"<"`}, {`"f"`, `"&"`}, {`"f"`, "\"\u2028\""}, {`"f"`, `"\u2028"`}, {`"f"`, `"\/"`}, {`"f"`, `"\u00e9"`}, {`"f"`, `"\ud83d\ude00"`},
		{`"f"`, `"\ud83d"`}, {`"f"`, "\"\xff\""}, {`"f"`, "\"\t\""}, {`"f"`, `"\x"`}, {`"f"`, `"\",\"prev\":\""`}, {`"f"`, `"","x":{"prev":"","hash":""}`},
		{`"prev":""`, `"prev":null`}, {`"prev":"",`, ``}, {`"prev":""`, `"prev":"","prev":""`}, {`"hash":"h"`, `"hash":""`}, {`,"hash":"h"`, ``}, {`"h"}`, `"h","x":1}`},
		{`"h"}`, `"h"}}`}, {`"h"}`, `"h"} `}, {`"h"}`, `"h"`}, {line, ``}, {line, `null`}, {line, `[]`},
	} {
		changed := strings.Replace(line, change[0], change[1], 1)
		for _, text := range []string{changed, written(changed)} {
			sameEitherWay(t, []byte(text), 1, "")
		}
	}
}

func FuzzALineIsProvedTheSameEitherWay(f *testing.F) {
	for _, line := range logged(f) {
		f.Add(string(bytes.TrimSuffix(line, []byte("\n"))))
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, text := range []string{line, written(line)} {
			var e Event
			_ = json.Unmarshal([]byte(text), &e) // so that it stands where it says
			sameEitherWay(t, []byte(text), e.Seq, e.Prev)
		}
	})
}

// Many lines are proved side by side, and what is wrong first is what is said.
func TestALongLogIsProvedInItsOrder(t *testing.T) {
	line := func(n int, prev string) (string, string) {
		e := Event{Seq: n, Time: "t", Kind: KindPrepared, Data: json.RawMessage(`{"folder":"f","ms":1}`), Prev: prev}
		hash, err := e.sum()
		if err != nil {
			t.Fatal(err)
		}
		e.Hash = hash
		out, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(out) + "\n", hash
	}
	const n = 5 * linesAtOnce
	var lines []string
	prev := ""
	for i := range n {
		var one string
		one, prev = line(i+1, prev)
		lines = append(lines, one)
	}
	events, torn, err := read([]byte(strings.Join(lines, "") + "{"))
	if err != nil || !torn || len(events) != n || events[n-1].Hash != prev {
		t.Fatalf("%d events, torn %v, %v", len(events), torn, err)
	}
	lines[3*linesAtOnce] = strings.Replace(lines[3*linesAtOnce], `"f"`, `"g"`, 1)
	lines[4*linesAtOnce] = "{}\n"
	if _, _, err := read([]byte(strings.Join(lines, ""))); err == nil || err.Error() != (&DamagedError{3*linesAtOnce + 1, "its hash does not fit it"}).Error() {
		t.Errorf("got %v", err)
	}
}
