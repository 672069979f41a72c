package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/endpoint/recording"
	"github.com/snodo-lang/snodo/runtime/record"
)

// exclusive refuses two ways of answering for an endpoint in one run.
func exclusive(to, from, rehearse string) error {
	switch {
	case to != "" && from != "":
		return usagef("--record and --replay exclude each other: what is replayed was recorded already")
	case to != "" && rehearse != "":
		return usagef("--record keeps what an endpoint answers, and with --rehearse none is asked")
	case from != "" && rehearse != "":
		return usagef("--replay and --rehearse exclude each other: judges are answered from a recording, or they are played")
	}
	return nil
}

// An exchanges is what stands between a run and its endpoint: a recorder, a
// recording, or nothing.
type exchanges struct {
	recorder  *recording.Recorder
	recording *recording.Recording
	dir       string
}

// openExchanges looks at the folder that a run records in or is replayed
// from. Nothing is written yet.
func openExchanges(to, from string, redact func(string) string) (exchanges, error) {
	switch {
	case to != "":
		r, err := recording.New(to, redact)
		if err != nil {
			return exchanges{}, usagef("--record: %v", err)
		}
		return exchanges{recorder: r, dir: to}, nil
	case from != "":
		r, err := recording.Load(from)
		if errors.Is(err, fs.ErrNotExist) {
			return exchanges{}, usagef("--replay: there is no folder %s", from)
		}
		if err != nil {
			return exchanges{}, usagef("--replay: %v", err)
		}
		return exchanges{recording: r, dir: from}, nil
	}
	return exchanges{}, nil
}

// fit gives a run that is replayed what its recording holds of it, and refuses
// one that would ask other things.
func (e exchanges) fit(notes io.Writer, q *runtime.Request) error {
	if e.recording == nil {
		return nil
	}
	h, err := headerOf(q)
	if err != nil {
		return err
	}
	if err := e.recording.Fits(h); err != nil {
		return usagef("--replay %s: %v", e.dir, err)
	}
	if q.Model != "" && q.Model != e.recording.Model {
		return usagef("--replay %s: the recording was made with the model %q, and --model names %q", e.dir, e.recording.Model, q.Model)
	}
	if e.recording.CutShort {
		fmt.Fprintf(notes, "note: the recording in %s was cut short: what its run did last may be missing\n", e.dir)
	}
	// A run may be resumed from another folder than it was begun in.
	if q.Replay, err = filepath.Abs(e.dir); err != nil {
		return environmentFailed(err)
	}
	q.Model, q.Seed = e.recording.Model, e.recording.Seed
	return nil
}

func headerOf(q *runtime.Request) (recording.Header, error) {
	task, err := recording.Task(q.Redact(q.Task))
	return recording.Header{Seed: q.Seed, Plan: q.Plan.Digest, Stage: q.Stage, Task: task, Model: q.Model}, err
}

// config is how the endpoint of the run is reached. A replay reaches none: it
// needs no address and no key, and does not wait.
func (e exchanges) config() endpoint.Config {
	if e.recording != nil {
		return endpoint.Config{BaseURL: e.recording.Endpoint, Wrap: e.recording.Wrap, Sleep: recording.NoWait}
	}
	c := endpoint.Config{BaseURL: os.Getenv("OPENAI_BASE_URL"), Key: os.Getenv("OPENAI_API_KEY")}
	if e.recorder != nil {
		c.Wrap = e.recorder.Wrap
	}
	return c
}

// begin begins the recording of a run that can be run.
func (e exchanges) begin(q *runtime.Request, address string) error {
	if e.recorder == nil {
		return nil
	}
	var err error
	if q.Seed, err = runtime.NewSeed(q.Random); err != nil {
		return environmentFailed(err)
	}
	h, err := headerOf(q)
	if err != nil {
		return err
	}
	h.Endpoint = q.Redact(address)
	if err := e.recorder.Begin(h); err != nil {
		return environmentFailed(err)
	}
	q.Recording = e.recorder
	return nil
}

// end ends the recording of a run, and says how to play it. One that was
// interrupted has no end, and where an exchange could not be written, the run
// has ended by that, and said so.
func (e exchanges) end(notes io.Writer, p record.Payload) {
	if e.kept(notes, p) {
		fmt.Fprintf(notes, "the exchanges are kept in %s: --replay %s answers from them\n", e.dir, e.dir)
	}
}

// kept ends the recording of a run, and reports whether it has an end.
func (e exchanges) kept(notes io.Writer, p record.Payload) bool {
	if e.recorder == nil || e.recorder.Err() != nil || p.HaltType != nil && *p.HaltType == plan.HaltInterrupted {
		return false
	}
	if err := e.recorder.End(); err != nil {
		fmt.Fprintf(notes, "note: %v; what was recorded can be replayed, as one that was cut short\n", err)
		return false
	}
	return true
}
