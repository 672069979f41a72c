// Package record keeps what happened in a run, and says what it amounts to.
//
// What goes in are events, each on disk before the effect that it announces,
// chained by their hashes; what comes out is one fold over them: the state of
// the run, and the payload that people and programs read. The package never
// decides what happens next, and knows nothing that is not in the events.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// Schema names the format of the event log. It stands in the first event.
const Schema = "snodo.events.v1"

// An Event is one line of events.jsonl. Hash is the SHA-256 over the canonical
// form of the rest; Prev is the hash of the event before, empty for the first.
type Event struct {
	Seq  int             `json:"seq"` // counts from 1
	Time string          `json:"time"`
	Kind Kind            `json:"kind"`
	Data json.RawMessage `json:"data"`
	Prev string          `json:"prev"`
	Hash string          `json:"hash,omitempty"`

	entry Entry // what Data holds, once that is known
}

// sum returns the hash that belongs to e.
func (e Event) sum() (string, error) {
	e.Hash = ""
	return plan.Digest(e)
}

// The files of a record.
const (
	eventsFile  = "events.jsonl"
	planFile    = "plan.json"
	taskFile    = "task.md"
	payloadFile = "run.json"
	lockFile    = "lock"
)

// A Log is the record of a run that is open for writing. One process holds
// it; within that process one goroutine at a time may append.
type Log struct {
	dir    string
	file   *os.File
	lock   *flock.Flock
	now    func() time.Time
	redact func(string) string
	size   int64
	last   []byte // the last line, as it was written
	events []Event
}

// Create begins the record of a run in a folder that Claim made, with the
// frozen plan and the task. now gives the times of events; redact takes out of
// everything that is written what may not be kept.
func Create(dir string, planBytes []byte, task string, now func() time.Time, redact func(string) string) (*Log, error) {
	l := &Log{dir: dir, now: now, redact: redact}
	var err error
	if l.lock, err = hold(dir); err != nil {
		return nil, err
	}
	for _, d := range []string{Transcripts, Evidence} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			return nil, fmt.Errorf("create record: %w", err)
		}
	}
	if err := writeSynced(filepath.Join(dir, planFile), planBytes); err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	if err := writeSynced(filepath.Join(dir, taskFile), []byte(redact(task))); err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	l.file, err = os.OpenFile(filepath.Join(dir, eventsFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	if err := syncDir(dir); err != nil {
		return nil, fmt.Errorf("create record: %w", err)
	}
	return l, nil
}

// Open continues the record of a run. A last line that a crash cut off is cut
// off, and torn says so. The error is a *HeldError where another process
// writes it, and a *DamagedError where it cannot be trusted.
func Open(dir string, now func() time.Time, redact func(string) string) (l *Log, torn bool, err error) {
	l = &Log{dir: dir, now: now, redact: redact}
	if l.lock, err = hold(dir); err != nil {
		return nil, false, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close())
		}
	}()
	if l.file, err = os.OpenFile(filepath.Join(dir, eventsFile), os.O_RDWR|os.O_APPEND, 0); err != nil {
		return nil, false, fmt.Errorf("open record: %w", err)
	}
	content, err := io.ReadAll(l.file)
	if err != nil {
		return nil, false, fmt.Errorf("open record: %w", err)
	}
	if l.events, torn, err = read(content); err != nil {
		return nil, false, fmt.Errorf("open record: %w", err)
	}
	whole := content[:bytes.LastIndexByte(content, '\n')+1]
	if torn {
		if err := errors.Join(l.file.Truncate(int64(len(whole))), l.file.Sync()); err != nil {
			return nil, false, fmt.Errorf("open record: %w", err)
		}
	}
	l.size = int64(len(whole))
	l.last = whole[bytes.LastIndexByte(bytes.TrimSuffix(whole, []byte("\n")), '\n')+1:]
	return l, torn, nil
}

// Append writes an event and returns once it is on disk. data must be one of
// the types of this package's vocabulary.
func (l *Log) Append(data Entry) (Event, error) {
	if err := l.untouched(); err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	if raw, err = l.redacted(raw); err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	e := Event{Seq: len(l.events) + 1, Time: l.now().UTC().Format(time.RFC3339Nano), Kind: data.kind(), Data: raw, Prev: l.Head()}
	if e.Hash, err = e.sum(); err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	if e.entry, err = decode(e); err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	line, err := json.Marshal(e)
	if err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	line = append(line, '\n')
	if _, err := l.file.Write(line); err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	if err := l.file.Sync(); err != nil {
		return Event{}, fmt.Errorf("append to record: %w", err)
	}
	l.size += int64(len(line))
	l.last = line
	l.events = append(l.events, e)
	return e, nil
}

// redacted takes out of the texts in a JSON value what may not be kept. The
// names of members stay.
func (l *Log) redacted(raw []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	changed := false
	var walk func(any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case string:
			kept := l.redact(v)
			changed = changed || kept != v
			return kept
		case []any:
			for i := range v {
				v[i] = walk(v[i])
			}
		case map[string]any:
			for name := range v {
				v[name] = walk(v[name])
			}
		}
		return v
	}
	if value = walk(value); !changed {
		return raw, nil
	}
	return json.Marshal(value)
}

// untouched makes sure that what stands under the name of the log is the file
// that is written, as long as it was left, ending in the line that was
// written last.
func (l *Log) untouched() error {
	foreign := fmt.Errorf("%s was changed by somebody else", eventsFile)
	there, err := os.Open(filepath.Join(l.dir, eventsFile))
	if err != nil {
		return errors.Join(foreign, err)
	}
	defer there.Close()
	ours, err := l.file.Stat()
	if err != nil {
		return err
	}
	theirs, err := there.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(ours, theirs) || theirs.Size() != l.size {
		return foreign
	}
	last := make([]byte, len(l.last))
	if _, err := there.ReadAt(last, l.size-int64(len(last))); err != nil {
		return err
	}
	if !bytes.Equal(last, l.last) {
		return foreign
	}
	return nil
}

// Head returns the hash of the last event, empty before the first.
func (l *Log) Head() string {
	if len(l.events) == 0 {
		return ""
	}
	return l.events[len(l.events)-1].Hash
}

// Events returns what was appended so far. The slice is not to be changed.
func (l *Log) Events() []Event { return l.events }

// Dir returns the folder of the record.
func (l *Log) Dir() string { return l.dir }

// WritePayload replaces run.json.
func (l *Log) WritePayload(p Payload) error {
	out, err := p.Encode()
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(l.dir, payloadFile), out, 0o644); err != nil {
		return fmt.Errorf("write payload: %w", err)
	}
	return nil
}

// The folders of a record that hold what events point to.
const (
	Transcripts = "transcripts" // conversations of judges
	Evidence    = "evidence"    // what was gathered or attached
)

// Keep writes a file that an event will point to, under a name that no event
// points to yet, in Transcripts or Evidence. It returns the file's name within the record and
// the digest of its bytes.
func (l *Log) Keep(folder, name string, content []byte) (file, digest string, err error) {
	content = []byte(l.redact(string(content)))
	path := filepath.Join(l.dir, folder, name)
	// It appears whole or not at all. One that is there was kept by a run that
	// was killed before the event.
	if err := renameio.WriteFile(path, content, 0o644); err != nil {
		return "", "", fmt.Errorf("keep %s/%s: %w", folder, name, err)
	}
	return folder + "/" + name, sha256Of(content), nil
}

// Read returns a file that Keep wrote. The error matches ErrChanged where it is
// not what was kept.
func (l *Log) Read(file, digest string) ([]byte, error) {
	content, err := os.ReadFile(filepath.Join(l.dir, filepath.FromSlash(file)))
	if err != nil {
		return nil, fmt.Errorf("read %s of the record: %w", file, err)
	}
	if sha256Of(content) != digest {
		return nil, fmt.Errorf("read %s of the record: %w", file, ErrChanged)
	}
	return content, nil
}

// ErrChanged says that a file of a record is not what was kept.
var ErrChanged = errors.New("it was changed since it was kept")

// Close ends the writing and gives the record free.
func (l *Log) Close() error {
	var err error
	if l.file != nil {
		err = l.file.Close()
	}
	return errors.Join(err, l.lock.Unlock())
}

// A DamagedError says why a record cannot be trusted.
type DamagedError struct {
	Line   int
	Reason string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the record is damaged at line %d: %s", e.Line, e.Reason)
}

// Load reads the events of a record and proves their chain. A last line that
// a crash cut off is left out, and torn says so; anything else that does not
// fit is a *DamagedError.
func Load(dir string) (events []Event, torn bool, err error) {
	content, err := os.ReadFile(filepath.Join(dir, eventsFile))
	if err != nil {
		return nil, false, fmt.Errorf("load record: %w", err)
	}
	return read(content)
}

func writeSynced(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Sync(), f.Close())
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, fs.ErrInvalid) {
		err = nil
	}
	return errors.Join(err, d.Close())
}
