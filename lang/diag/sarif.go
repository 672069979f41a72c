package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
)

// A Driver is what a SARIF log says of the program that wrote it.
type Driver struct {
	// Version is the program's semantic version.
	Version string
	// Page returns the page of a code, in Markdown.
	Page func(Code) string
}

// The names by which the program and the format are known.
const (
	sarifSchema    = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	sarifVersion   = "2.1.0"
	driverName     = "snodo"
	informationURI = "https://github.com/snodo-lang/snodo"
)

// WriteSARIF writes the diagnostics as a log of the Static Analysis Results
// Interchange Format 2.1.0, sorted, with the pages of the codes that occur.
// Files are relative to what a reader takes for the root of the sources.
func WriteSARIF(w io.Writer, l List, d Driver) error {
	log := sarifLog{Schema: sarifSchema, Version: sarifVersion, Runs: []sarifRun{sarifRunOf(l.Sorted(), d)}}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(log); err != nil {
		return fmt.Errorf("write diagnostics: %w", err)
	}
	return nil
}

func sarifRunOf(l List, d Driver) sarifRun {
	codes := make([]Code, 0, len(l))
	for _, one := range l {
		codes = append(codes, one.Code)
	}
	slices.Sort(codes)
	codes = slices.Compact(codes)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: make([]sarifResult, 0, len(l))}
	run.Tool.Driver = sarifDriver{
		Name: driverName, Version: d.Version, InformationURI: informationURI, Rules: make([]sarifRule, 0, len(codes)),
	}
	for _, c := range codes {
		page := d.Page(c)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
			ID: c, Short: sarifText{c.Title()}, Full: sarifText{c.Title()}, Help: sarifMarkdown{page, page},
			Configuration: sarifConfiguration{c.Severity().String()},
		})
	}
	for _, one := range l {
		run.Results = append(run.Results, sarifResultOf(one, slices.Index(codes, one.Code)))
	}
	return run
}

func sarifResultOf(d Diagnostic, rule int) sarifResult {
	r := sarifResult{
		RuleID: d.Code, RuleIndex: rule, Level: d.Severity.String(), Message: sarifText{sarifMessage(d)},
		Locations: []sarifLocation{{Physical: sarifPlaceOf(d.Range)}},
	}
	for i, other := range d.Related {
		r.Related = append(r.Related, sarifLocation{ID: i + 1, Physical: sarifPlaceOf(other.Range), Message: &sarifText{visible(other.Message)}})
	}
	if len(d.Edits) > 0 {
		r.Fixes = []sarifFix{sarifFixOf(d)}
	}
	return r
}

// sarifMessage says what is wrong and, in a paragraph of its own, what to
// write instead: the format has no place for the second.
func sarifMessage(d Diagnostic) string {
	if d.Help == "" {
		return visible(d.Message)
	}
	return visible(d.Message) + "\n\nhelp: " + visibleLines(d.Help)
}

// sarifFixOf returns the edits of d as one fix, gathered by file.
func sarifFixOf(d Diagnostic) sarifFix {
	fix := sarifFix{Description: sarifText{visibleLines(d.Help)}}
	if d.Help == "" {
		fix.Description.Text = visible(d.Message)
	}
	var files []string
	for _, e := range d.Edits {
		at := slices.Index(files, e.Range.File)
		if at < 0 {
			at = len(files)
			files = append(files, e.Range.File)
			fix.Changes = append(fix.Changes, sarifChange{Artifact: sarifArtifactOf(e.Range.File)})
		}
		fix.Changes[at].Replacements = append(fix.Changes[at].Replacements, sarifReplacement{
			Deleted: *sarifRegionOf(e.Range), Inserted: sarifText{e.Text},
		})
	}
	return fix
}

func sarifPlaceOf(r Range) sarifPlace {
	return sarifPlace{Artifact: sarifArtifactOf(r.File), Region: sarifRegionOf(r)}
}

// sarifArtifactOf returns the relative reference to a file.
func sarifArtifactOf(file string) sarifArtifact {
	return sarifArtifact{URI: (&url.URL{Path: file}).String()}
}

// sarifRegionOf returns nil where r points at a whole file.
func sarifRegionOf(r Range) *sarifRegion {
	if !r.Valid() {
		return nil
	}
	return &sarifRegion{r.Start.Line, r.Start.Column, r.End.Line, r.End.Column}
}

// The following are the objects of SARIF that a diagnostic needs, named as in
// section 3 of the specification.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name           string      `json:"name"`
	Version        string      `json:"semanticVersion"`
	InformationURI string      `json:"informationUri"`
	Rules          []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID            Code               `json:"id"`
	Short         sarifText          `json:"shortDescription"`
	Full          sarifText          `json:"fullDescription"`
	Help          sarifMarkdown      `json:"help"`
	Configuration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifMarkdown struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifResult struct {
	RuleID    Code            `json:"ruleId"`
	RuleIndex int             `json:"ruleIndex"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
	Related   []sarifLocation `json:"relatedLocations,omitempty"`
	Fixes     []sarifFix      `json:"fixes,omitempty"`
}

type sarifLocation struct {
	ID       int        `json:"id,omitempty"`
	Physical sarifPlace `json:"physicalLocation"`
	Message  *sarifText `json:"message,omitempty"`
}

type sarifPlace struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted sarifText   `json:"insertedContent"`
}
