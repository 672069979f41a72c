// Package recording keeps what was said to an endpoint and what it answered,
// and says it again without one.
//
// A Recorder stands between a client and the network: requests and answers
// pass through it, and are on disk before the answer is given. A Recording is
// what it left: it stands in the same place, answers the same requests with
// the same bytes, and never lets one through. The package never sees a key,
// never waits, and knows nothing of judges: what must be the same for a
// recording to make sense stands in its Header.
//
// A recording is a folder. recording.json says what was recorded, exchanges/
// holds a file for each exchange, named by its request, and end.json, written
// last, lists them. Every file carries the digest of what it holds.
package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// Schema names the format. It stands in recording.json.
const Schema = "snodo.recording.v1"

// The files of a recording.
const (
	headerFile   = "recording.json"
	exchangesDir = "exchanges"
	endFile      = "end.json"
)

// A Header says what was recorded. A run that differs in Plan, Stage or Task
// asks other things, so it cannot be played from this recording.
type Header struct {
	Seed     string `json:"seed"` // of the run: markers and receipts come from it
	Plan     string `json:"plan"` // digest
	Stage    string `json:"stage"`
	Task     string `json:"task"`     // digest, as Task makes it
	Model    string `json:"model"`    // of judges that name none; empty where all do
	Endpoint string `json:"endpoint"` // its address; empty where none was needed
}

// Task returns the digest of a task.
func Task(text string) (string, error) { return plan.Digest(text) }

// A DamagedError says which file of a recording cannot be trusted, and why.
type DamagedError struct{ File, Reason string }

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the recording is damaged: %s %s", e.File, e.Reason)
}

// ErrNoRecording says that a folder holds no recording.
var ErrNoRecording = errors.New("it holds no recording (there is no " + headerFile + " in it)")

// The header and the end as they are written.
type (
	headerOnDisk struct {
		Schema string `json:"schema"`
		Header
		Digest string `json:"digest,omitempty"`
	}
	endOnDisk struct {
		Exchanges map[string]string `json:"exchanges"` // digests by file
		Digest    string            `json:"digest,omitempty"`
	}
)

// sealed is what carries its own digest.
type sealed interface {
	digest() *string
}

func (h *headerOnDisk) digest() *string   { return &h.Digest }
func (e *endOnDisk) digest() *string      { return &e.Digest }
func (e *exchangeOnDisk) digest() *string { return &e.Digest }

// sum returns the digest that belongs to what v holds besides it.
func sum(v sealed) (string, error) {
	held := *v.digest()
	*v.digest() = ""
	defer func() { *v.digest() = held }()
	return plan.Digest(v)
}

// encode seals v and writes it for people to read.
func encode(v sealed) ([]byte, error) {
	var err error
	if *v.digest(), err = sum(v); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	err = e.Encode(v)
	return out.Bytes(), err
}

// decode reads a file of a recording into v. What does not fit its digest is
// not believed.
func decode(name string, content []byte, v sealed) error {
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return &DamagedError{name, "cannot be read: " + err.Error()}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return &DamagedError{name, "holds something behind its end"}
	}
	want, err := sum(v)
	if err != nil || want != *v.digest() {
		return &DamagedError{name, "does not fit its digest: it was changed after it was recorded"}
	}
	return nil
}

// maxFile is the most bytes of a file. An answer has 16 MiB at the most, and
// a character of it may be written as six.
const maxFile = 128 << 20

func readFile(dir, name string) ([]byte, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(content) > maxFile {
		err = &DamagedError{name, "is longer than anything that is recorded"}
	}
	return content, err
}

// beside says whether a name in a folder is no part of a recording: a file
// that was being written when the process ended begins with a dot.
func beside(name string) bool { return strings.HasPrefix(name, ".") }
