package diag

import (
	"encoding/json"
	"fmt"
	"io"
)

// CheckSchema names the format of WriteJSON.
const CheckSchema = "snodo.check.v1"

type jsonReport struct {
	Schema      string           `json:"schema"`
	OK          bool             `json:"ok"`
	Diagnostics []jsonDiagnostic `json:"diagnostics"`
}

type jsonRange struct {
	File  string   `json:"file"`
	Start Position `json:"start"`
	End   Position `json:"end"`
}

type jsonDiagnostic struct {
	Code     Code   `json:"code"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Help     string `json:"help"`
	jsonRange
	Related []jsonRelated `json:"related"`
	Edits   []jsonEdit    `json:"edits"`
}

type jsonRelated struct {
	jsonRange
	Message string `json:"message"`
}

type jsonEdit struct {
	jsonRange
	Text string `json:"text"`
}

// WriteJSON writes the diagnostics as one JSON object on one line, sorted.
// Its member ok says that no error is among them; call Strict first where
// warnings are to count.
func WriteJSON(w io.Writer, l List) error {
	out := jsonReport{Schema: CheckSchema, OK: l.Count(Error) == 0, Diagnostics: []jsonDiagnostic{}}
	for _, d := range l.Sorted() {
		j := jsonDiagnostic{
			Code: d.Code, Severity: d.Severity.String(), Message: d.Message, Help: d.Help,
			jsonRange: jsonRange(d.Range), Related: []jsonRelated{}, Edits: []jsonEdit{},
		}
		for _, r := range d.Related {
			j.Related = append(j.Related, jsonRelated{jsonRange(r.Range), r.Message})
		}
		for _, e := range d.Edits {
			j.Edits = append(j.Edits, jsonEdit{jsonRange(e.Range), e.Text})
		}
		out.Diagnostics = append(out.Diagnostics, j)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}
