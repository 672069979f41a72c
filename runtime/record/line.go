package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/internal/abreast"
)

// read proves the lines of a log. They are proved side by side, since each
// says of itself all but its place.
func read(content []byte) (events []Event, torn bool, err error) {
	whole := content[:bytes.LastIndexByte(content, '\n')+1]
	lines := bytes.SplitAfter(whole, []byte("\n"))
	lines = lines[:len(lines)-1]
	read := make([]lineRead, len(lines))
	abreast.Each(len(lines), linesAtOnce, func(i int) { read[i] = readLine(bytes.TrimSuffix(lines[i], []byte("\n"))) })
	prev := ""
	for i, r := range read {
		e, err := r.at(i+1, prev)
		if err != nil {
			return nil, false, err
		}
		events = append(events, e)
		prev = e.Hash
	}
	return events, len(content) > len(whole), nil
}

const linesAtOnce = 64

// A lineRead is what a line of a log says, and what is to be said of it wherever
// it stands.
type lineRead struct {
	event   Event
	hash    string // that belongs to the event, empty where there can be none
	form    string // what is wrong with its form, as the rest of a sentence
	content error  // what is wrong with what it holds
}

// readLine reads a line. It is to be written as Append writes it.
func readLine(line []byte) lineRead {
	r, ok := plainLine(line)
	if ok {
		if r.event.entry, ok = plainEntry(r.event.Kind, r.event.Data); ok {
			return r
		}
	} else {
		r = anyLine(line)
	}
	if r.form == "" {
		r.event.entry, r.content = decode(r.event)
	}
	return r
}

// at returns the event if the line is the n-th, stands behind one with the
// hash prev, and has the hash that belongs to it. The error is a
// *DamagedError.
func (r lineRead) at(n int, prev string) (Event, error) {
	switch {
	case r.form != "":
		return Event{}, &DamagedError{n, r.form}
	case r.event.Seq != n:
		return Event{}, &DamagedError{n, fmt.Sprintf("its number is %d", r.event.Seq)}
	case r.event.Prev != prev:
		return Event{}, &DamagedError{n, "it does not follow the line before"}
	case r.hash == "" || r.hash != r.event.Hash:
		return Event{}, &DamagedError{n, "its hash does not fit it"}
	case r.content != nil:
		return Event{}, &DamagedError{n, r.content.Error()}
	}
	return r.event, nil
}

// anyLine reads a line whatever it is.
func anyLine(line []byte) lineRead {
	var e Event
	if err := json.Unmarshal(line, &e); err != nil {
		return lineRead{form: "it is no event"}
	}
	again, err := json.Marshal(e)
	if err != nil || !bytes.Equal(again, line) {
		return lineRead{form: "it is not written as snodo writes it"}
	}
	hash, err := e.sum()
	if err != nil {
		hash = ""
	}
	return lineRead{event: e, hash: hash}
}

// plainLine reads a line that is written the way nearly every line is, at a
// fraction of the cost of anyLine and to the same end. It leaves to that one
// whatever it does not know for certain.
func plainLine(line []byte) (lineRead, bool) {
	rest, begins := bytes.CutPrefix(line, []byte(`{"seq":`))
	seq, rest, hasSeq := bytes.Cut(rest, []byte(`,"time":"`))
	at, rest, hasTime := bytes.Cut(rest, []byte(`","kind":"`))
	kind, rest, hasKind := bytes.Cut(rest, []byte(`","data":`))
	rest, ends := bytes.CutSuffix(rest, []byte(`"}`))
	rest, hash, hasHash := cutLast(rest, []byte(`","hash":"`))
	data, prev, hasPrev := cutLast(rest, []byte(`,"prev":"`))
	if !begins || !hasSeq || !hasTime || !hasKind || !ends || !hasHash || !hasPrev {
		return lineRead{}, false
	}
	const digits = 15 // a float64 holds them
	if len(seq) == 0 || len(seq) > digits || seq[0] == '0' {
		return lineRead{}, false
	}
	number, err := strconv.ParseUint(string(seq), 10, 63)
	if err != nil || len(hash) == 0 || !plain(at) || !plain(kind) || !plain(prev) || !plain(hash) || !embedded(data) {
		return lineRead{}, false
	}
	sum, ok := plainSum(data, kind, prev, seq, at)
	if !ok {
		return lineRead{}, false
	}
	e := Event{Seq: int(number), Time: string(at), Kind: Kind(kind), Data: data[:len(data):len(data)], Prev: string(prev), Hash: string(hash)}
	return lineRead{event: e, hash: sum}, true
}

// plainSum returns the hash over the members of an event in canonical order.
func plainSum(data, kind, prev, seq, at []byte) (hash string, ok bool) {
	out := make([]byte, 0, len(data)+256)
	out = append(out, `{"data":`...)
	if out, ok = plan.AppendCanonical(out, data); !ok {
		return "", false
	}
	out = append(append(out, `,"kind":"`...), kind...)
	out = append(append(out, `","prev":"`...), prev...)
	out = append(append(out, `","seq":`...), seq...)
	out = append(append(out, `,"time":"`...), at...)
	sum := sha256.Sum256(append(out, `"}`...))
	return "sha256:" + hex.EncodeToString(sum[:]), true
}

func cutLast(s, sep []byte) (before, after []byte, found bool) {
	if i := bytes.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, nil, false
}

// plain says whether a text stands in JSON as it is, however it is written.
func plain(text []byte) bool {
	for _, c := range text {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// embedded says whether JSON without space holds none of the characters that
// are escaped where it becomes a part of other JSON.
func embedded(value []byte) bool {
	for _, c := range []string{"<", ">", "&", "\u2028", "\u2029"} {
		if bytes.Contains(value, []byte(c)) {
			return false
		}
	}
	return true
}
