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

// A Transcript is a conversation of a judge as it is kept: the messages as they
// were sent and received, and what was offered in each turn.
type Transcript struct {
	Schema    string             `json:"schema"`
	Validator string             `json:"validator"`
	Model     string             `json:"model"`
	Messages  []endpoint.Message `json:"messages"`
	Turns     []judge.Turn       `json:"turns"`
	Stack     *string            `json:"stack"` // where a defect of snodo was met, else null
}

// A Conversation is a transcript and what it came to.
type Conversation struct {
	Step    string     `json:"step"`
	Attempt *int       `json:"attempt"`
	Asked   int        `json:"asked"`
	Result  Result     `json:"result"`
	Talk    Transcript `json:"transcript"`
}

// Conversations reads what a judge said in a run, in the order of its verdicts.
// A transcript that is not the one that was kept is an error.
func Conversations(dir string, events []Event, validator string) ([]Conversation, error) {
	var out []Conversation
	for _, e := range events {
		if e.Kind != KindJudged {
			continue
		}
		entry, err := e.Entry()
		if err != nil {
			return nil, err
		}
		j := entry.(Judged)
		if j.Result.Validator != validator || j.Transcript == nil || j.TranscriptDigest == nil {
			continue
		}
		talk, err := readTranscript(filepath.Join(dir, filepath.FromSlash(*j.Transcript)), *j.TranscriptDigest)
		if err != nil {
			return nil, fmt.Errorf("read %s of the record: %w", *j.Transcript, err)
		}
		out = append(out, Conversation{j.Step, j.Attempt, j.Asked, j.Result, talk})
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
