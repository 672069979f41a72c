package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Schema names the format of an encoded report.
const Schema = "snodo.stats.v1"

// Encode returns the report as one JSON object and a newline. Every member is
// always there. A share is a part of 1, null where there is nothing to be a part
// of; that of errors is of all askings, that of evidence is of the unclear
// verdicts, and the others are of the verdicts.
func (r Report) Encode() ([]byte, error) {
	doc := reportDoc{
		Schema: Schema, stretchDoc: stretchOf(r.Asked), Rehearsals: r.Rehearsals, Replays: r.Replays, Unread: []unreadDoc{},
	}
	if r.Question.Last > 0 {
		doc.Last = &r.Question.Last
	}
	if !r.Question.Since.IsZero() {
		since := r.Question.Since.UTC().Format(time.RFC3339)
		doc.Since = &since
	}
	if r.Before != nil {
		before := stretchOf(*r.Before)
		doc.Before = &before
	}
	for _, u := range r.Unread {
		doc.Unread = append(doc.Unread, unreadDoc{u.Run, u.Reason.Error()})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode statistics: %w", err)
	}
	return out.Bytes(), nil
}

type reportDoc struct {
	Schema string  `json:"schema"`
	Last   *int    `json:"last"`
	Since  *string `json:"since"`
	stretchDoc
	Before     *stretchDoc `json:"before"`
	Rehearsals int         `json:"rehearsals"`
	Replays    int         `json:"replays"`
	Unread     []unreadDoc `json:"unread"`
}

type unreadDoc struct {
	Run    string `json:"run"`
	Reason string `json:"reason"`
}

type stretchDoc struct {
	Runs int `json:"runs"`
	figuresDoc
	Observers figuresDoc `json:"observers"`
}

type figuresDoc struct {
	tallyDoc
	Judges   []judgeDoc     `json:"judges"`
	Criteria []criterionDoc `json:"criteria"`
	Evidence []evidenceDoc  `json:"evidence"`
	Signs    []signDoc      `json:"signs"`
	AsBinary binaryDoc      `json:"as_binary"`
}

type tallyDoc struct {
	Verdicts int      `json:"verdicts"`
	Pass     countDoc `json:"pass"`
	Warn     countDoc `json:"warn"`
	Unclear  countDoc `json:"unclear"`
	Blocker  countDoc `json:"blocker"`
	Error    countDoc `json:"error"`
}

type countDoc struct {
	Count int      `json:"count"`
	Share *float64 `json:"share"`
}

type judgeDoc struct {
	Judge
	tallyDoc
}

type criterionDoc struct {
	Judge
	Criterion string `json:"criterion"`
	tallyDoc
}

type evidenceDoc struct {
	Evidence string `json:"evidence"`
	countDoc
	Judges []askedByDoc `json:"judges"`
}

type askedByDoc struct {
	Judge
	Count int `json:"count"`
}

type signDoc struct {
	Judge
	Sign     SignKind `json:"sign"`
	Verdicts int      `json:"verdicts"`
	Unclear  int      `json:"unclear"`
}

// A binaryDoc counts an unclear verdict that was settled as what it turned out
// to be; Unknown are those of which no record says more.
type binaryDoc struct {
	Pass           countDoc   `json:"pass"`
	Warn           countDoc   `json:"warn"`
	Blocker        countDoc   `json:"blocker"`
	Unknown        countDoc   `json:"unknown"`
	Cases          int        `json:"cases"`
	ByRuling       settledDoc `json:"by_ruling"`
	ByLaterVerdict settledDoc `json:"by_later_verdict"`
}

type settledDoc struct {
	Pass    int `json:"pass"`
	Warn    int `json:"warn"`
	Blocker int `json:"blocker"`
}

func stretchOf(s Stretch) stretchDoc {
	return stretchDoc{s.Runs, figuresOf(s.Panel), figuresOf(s.Observers)}
}

func figuresOf(f Figures) figuresDoc {
	doc := figuresDoc{
		tallyDoc: tallyOf(f.Tally), Judges: []judgeDoc{}, Criteria: []criterionDoc{}, Evidence: []evidenceDoc{}, Signs: []signDoc{},
		AsBinary: binaryOf(f),
	}
	for _, j := range f.Judges {
		doc.Judges = append(doc.Judges, judgeDoc{j.Judge, tallyOf(j.Tally)})
	}
	for _, c := range f.Criteria {
		doc.Criteria = append(doc.Criteria, criterionDoc{c.Judge, c.Criterion, tallyOf(c.Tally)})
	}
	for _, e := range f.Evidence {
		by := []askedByDoc{}
		for _, a := range e.Judges {
			by = append(by, askedByDoc{a.Judge, a.Unclear})
		}
		doc.Evidence = append(doc.Evidence, evidenceDoc{e.Evidence, count(e.Unclear, f.Unclear), by})
	}
	for _, s := range f.Signs() {
		doc.Signs = append(doc.Signs, signDoc{s.Judge, s.Of, s.Verdicts(), s.Unclear})
	}
	return doc
}

func tallyOf(t Tally) tallyDoc {
	n := t.Verdicts()
	return tallyDoc{n, count(t.Pass, n), count(t.Warn, n), count(t.Unclear, n), count(t.Blocker, n), count(t.Errors, t.Asked())}
}

func binaryOf(f Figures) binaryDoc {
	t := f.AsBinary()
	n := t.Verdicts()
	by := func(s Tally) settledDoc { return settledDoc{s.Pass, s.Warn, s.Blocker} }
	return binaryDoc{
		count(t.Pass, n), count(t.Warn, n), count(t.Blocker, n), count(t.Unclear, n),
		f.Settled.Cases(), by(f.Settled.ByRuling), by(f.Settled.ByLaterVerdict),
	}
}

func count(part, whole int) countDoc {
	if whole == 0 {
		return countDoc{part, nil}
	}
	share := float64(part) / float64(whole)
	return countDoc{part, &share}
}
