package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// A Recorder writes a recording. Its RoundTripper may be used side by side.
type Recorder struct {
	dir    string
	redact func(string) string

	mu    sync.Mutex
	begun bool
	count map[string]int    // exchanges by key
	kept  map[string]string // digests by file
	err   error             // the first that kept an exchange from being written
}

// New makes a Recorder for a folder that does not exist or is empty; it writes
// nothing yet. redact takes out of what is kept what may not be.
func New(dir string, redact func(string) string) (*Recorder, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("record in %s: %w", dir, err)
	}
	there, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("record in %s: %w", dir, err)
	case len(there) > 0:
		return nil, fmt.Errorf("record in %s: the folder holds %s already, and a recording is mixed with nothing; name a new one", dir, there[0].Name())
	}
	return &Recorder{dir: dir, redact: redact, count: map[string]int{}, kept: map[string]string{}}, nil
}

// Begin makes the folder and writes what is going to be recorded.
func (r *Recorder) Begin(h Header) error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return fmt.Errorf("begin recording: %w", err)
	}
	if err := os.Mkdir(filepath.Join(r.dir, exchangesDir), 0o755); err != nil {
		return fmt.Errorf("begin recording: %w", err)
	}
	if _, err := r.write(headerFile, &headerOnDisk{Schema: Schema, Header: h}); err != nil {
		return fmt.Errorf("begin recording: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.begun = true
	return nil
}

// End writes the list of what was recorded. A recording without it is one
// that was cut short.
func (r *Recorder) End() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return r.err
	}
	if _, err := r.write(endFile, &endOnDisk{Exchanges: r.kept}); err != nil {
		return fmt.Errorf("end recording: %w", err)
	}
	return nil
}

// Err returns what kept an exchange from being written. From then on no
// request is made.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// write seals v and writes it in one step.
func (r *Recorder) write(name string, v sealed) (digest string, err error) {
	content, err := encode(v)
	if err != nil {
		return "", err
	}
	return *v.digest(), renameio.WriteFile(filepath.Join(r.dir, name), content, 0o644)
}

// Wrap returns the layer that records what passes between a client and next.
func (r *Recorder) Wrap(next http.RoundTripper) http.RoundTripper { return &recorded{r, next} }

type recorded struct {
	*Recorder
	next http.RoundTripper
}

func (r *recorded) RoundTrip(q *http.Request) (*http.Response, error) {
	if err := r.Err(); err != nil {
		return nil, unwritten(err)
	}
	request, err := io.ReadAll(q.Body)
	q.Body.Close()
	if err != nil {
		return nil, err
	}
	sent := q.Clone(q.Context())
	sent.Body = io.NopCloser(bytes.NewReader(request))
	response, failure := r.next.RoundTrip(sent)
	e := &exchangeOnDisk{Request: []byte(r.redact(string(request)))}
	switch ctx := q.Context(); {
	case failure != nil && errors.Is(ctx.Err(), context.Canceled):
		return nil, failure // the run was interrupted: nothing came of the request
	case failure != nil && errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		e.Lost = &lost{toTime, endpoint.OutOfTime}
	case failure != nil:
		e.Lost = &lost{toNetwork, r.redact(failure.Error())}
	default:
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return nil, err
		}
		response.Body = io.NopCloser(bytes.NewReader(body))
		e.Answer = answerOf(response, r.redact(string(body)))
	}
	if err := r.keep(e); err != nil {
		return nil, unwritten(err)
	}
	return response, failure
}

// keep writes an exchange under the next name of its request.
func (r *Recorder) keep(e *exchangeOnDisk) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		panic("recording: an exchange before the beginning")
	}
	if r.err != nil {
		return r.err
	}
	_, key, err := keyOf(e.Request)
	if err == nil {
		name := fileOf(key, r.count[key]+1)
		var digest string
		if digest, err = r.write(filepath.Join(exchangesDir, name), e); err == nil {
			r.count[key]++
			r.kept[name] = digest
			return nil
		}
	}
	r.err = fmt.Errorf("the recording cannot be written: %w", err)
	return r.err
}

// unwritten is the error of a turn whose exchange could not be kept.
func unwritten(err error) *endpoint.Error {
	return &endpoint.Error{Class: verdict.Internal, Message: err.Error(), Cause: err}
}
