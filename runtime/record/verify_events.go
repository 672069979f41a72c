package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
)

// chain reads the log line by line. One that is no event, does not stand in
// its place or does not have the hash that belongs to it is found; the next is
// held to what that one says of itself, so that one fault is one finding.
func (v *verifier) chain() error {
	content, there, err := v.read(eventsFile)
	if err != nil {
		return err
	}
	if !there {
		v.find(eventsFile, "is missing")
		return nil
	}
	v.whole = true
	fault := func(format string, args ...any) {
		v.whole = false
		v.find(eventsFile, format, args...)
	}
	seq, prev := 0, ""
	for n := 1; len(content) > 0; n++ {
		line, rest, complete := bytes.Cut(content, []byte("\n"))
		content = rest
		if !complete {
			fault("is cut off within line %d: a crash does that, and snodo resume leaves that line out", n)
			break
		}
		e, err := readLine(line).at(seq+1, prev)
		var damaged *DamagedError
		if errors.As(err, &damaged) {
			fault("is damaged at line %d: %s", n, damaged.Reason)
			if json.Unmarshal(line, &e) != nil {
				seq++
				continue
			}
		} else if err != nil {
			return err
		}
		seq, prev = e.Seq, e.Hash
		if entry, err := e.Entry(); err == nil {
			v.events, v.entries = append(v.events, e), append(v.entries, entry)
		}
	}
	if len(v.events) == 0 {
		fault("holds no event")
		return nil
	}
	v.report.Events, v.report.Head = len(v.events), prev
	if s, ok := v.entries[0].(Started); ok {
		v.started = &s
		if s.Run != filepath.Base(v.dir) {
			v.find(eventsFile, "is that of the run %s, and stands under another name", s.Run)
		}
	}
	if v.whole {
		if _, err := Fold(v.events); err != nil {
			fault("cannot be what happened: %v", err)
		}
	}
	return nil
}
