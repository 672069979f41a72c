package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
)

// TranscriptSchema names the format of a transcript.
const TranscriptSchema = "snodo.transcript.v1"

// A Transcript is a conversation of a judge, or of a coder that is a model, as
// it is kept: the messages as they were sent and received, and what was offered
// in each turn. Either Validator or Coder is there.
type Transcript struct {
	Schema    string             `json:"schema"`
	Validator string             `json:"validator,omitempty"`
	Coder     string             `json:"coder,omitempty"`
	Model     string             `json:"model"`
	Messages  []endpoint.Message `json:"messages"`
	Turns     []judge.Turn       `json:"turns"`
	Stack     *string            `json:"stack"` // where a defect of snodo was met, else null
}

// A Conversation is a transcript and what it came to: for a judge the verdict
// in Result, for a coder how it Returned.
type Conversation struct {
	Step     string     `json:"step,omitempty"` // of a judge
	Attempt  *int       `json:"attempt"`
	Asked    int        `json:"asked"` // which time in this attempt, from 1
	Result   *Result    `json:"result,omitempty"`
	Returned *Returned  `json:"returned,omitempty"`
	Talk     Transcript `json:"transcript"`
}

// Conversations reads what a judge said in a run, in the order of its verdicts,
// or what a coder of that name said. A transcript that is not the one that was
// kept is an error.
func Conversations(dir string, events []Event, name string) ([]Conversation, error) {
	var out []Conversation
	sent := map[int]int{} // coders that came back, by attempt
	for _, e := range events {
		entry, err := e.Entry()
		if err != nil {
			return nil, err
		}
		var c Conversation
		var file, digest *string
		switch entry := entry.(type) {
		case Judged:
			if entry.Result.Validator != name {
				continue
			}
			c = Conversation{Step: entry.Step, Attempt: entry.Attempt, Asked: entry.Asked, Result: &entry.Result}
			file, digest = entry.Transcript, entry.TranscriptDigest
		case Returned:
			sent[entry.Attempt]++
			c = Conversation{Attempt: &entry.Attempt, Asked: sent[entry.Attempt], Returned: &entry}
			file, digest = entry.Transcript, entry.TranscriptDigest
		}
		if file == nil || digest == nil {
			continue
		}
		if c.Talk, err = readTranscript(filepath.Join(dir, filepath.FromSlash(*file)), *digest); err != nil {
			return nil, fmt.Errorf("read %s of the record: %w", *file, err)
		}
		if c.Talk.Validator == name || c.Talk.Coder == name {
			out = append(out, c)
		}
	}
	return out, nil
}

func readTranscript(path, digest string) (Transcript, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return Transcript{}, err
	}
	if sha256Of(content) != digest {
		return Transcript{}, ErrChanged
	}
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	var t Transcript
	if err := d.Decode(&t); err != nil {
		return Transcript{}, err
	}
	if t.Schema != TranscriptSchema {
		return Transcript{}, errors.New("it is no transcript of this version")
	}
	return t, nil
}
