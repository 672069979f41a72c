package rules

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
	"github.com/zricethezav/gitleaks/v8/report"
)

// guessing is the one rule of gitleaks that knows no kind of credential and
// goes by entropy.
const guessing = "generic-api-key"

// decodings is how often encoded text is decoded and looked at again.
const decodings = 2

// A detector is gitleaks with its own rules and without its exceptions: no
// path is passed over, and no comment makes a line pass.
type detector struct {
	gitleaks *detect.Detector
	inPlace  map[string][]*config.Allowlist // by rule, see allowedInPlace
}

// loadDetector builds the detector at its first use: it compiles hundreds of
// expressions. It also silences the library, which would log on its own.
var loadDetector = sync.OnceValues(func() (*detector, error) {
	logging.Logger = zerolog.Nop()
	g, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, fmt.Errorf("load the rules of gitleaks: %w", err)
	}
	g.IgnoreGitleaksAllow = true
	g.MaxDecodeDepth = decodings
	d := &detector{gitleaks: g, inPlace: map[string][]*config.Allowlist{}}
	g.Config.Allowlists = withoutPaths(g.Config.Allowlists)
	for id, rule := range g.Config.Rules {
		var kept []*config.Allowlist
		for _, a := range withoutPaths(rule.Allowlists) {
			if a.RegexTarget == "line" {
				d.inPlace[id] = append(d.inPlace[id], a)
			} else {
				kept = append(kept, a)
			}
		}
		rule.Allowlists = kept
		g.Config.Rules[id] = rule
	}
	return d, nil
})

// withoutPaths drops what excepts paths and commits, and keeps what excepts
// texts that are known to be no credentials. An exception that asks for a
// path and a text at once is dropped whole.
func withoutPaths(lists []*config.Allowlist) []*config.Allowlist {
	var kept []*config.Allowlist
	for _, a := range lists {
		mixed := a.MatchCondition == config.AllowlistMatchAnd && (len(a.Paths) > 0 || len(a.Commits) > 0)
		if mixed || len(a.Regexes) == 0 && len(a.StopWords) == 0 {
			continue
		}
		texts := &config.Allowlist{
			Description: a.Description, MatchCondition: a.MatchCondition,
			RegexTarget: a.RegexTarget, Regexes: a.Regexes, StopWords: a.StopWords,
		}
		if err := texts.Validate(); err != nil {
			continue // it would except nothing
		}
		kept = append(kept, texts)
	}
	return kept
}

// find returns the places of a text that carry a credential. The text is of
// the file called name and begins at line first.
func (d *detector) find(ctx context.Context, name, text string, first int) ([]place, error) {
	//lint:ignore SA1019 the method's argument has no other type
	found := d.gitleaks.DetectContext(ctx, detect.Fragment{Raw: text, FilePath: name, StartLine: first})
	if ctx.Err() != nil {
		return nil, errors.Join(errBroken, ctx.Err())
	}
	guess := guesses(name, text)
	var places []place
	for _, f := range found {
		if f.RuleID == guessing && !guess || d.allowedInPlace(f) {
			continue
		}
		p := place{first: f.StartLine, last: f.EndLine, rule: f.RuleID}
		if f.Line == "" && strings.HasPrefix(f.Match, "file detected") {
			p.first, p.last = 0, 0
		}
		places = append(places, p)
	}
	return places, nil
}

// allowedInPlace reports whether what was found is part of something that is
// known to be no credential, such as the name in an import. Gitleaks itself
// would let a whole line pass that has such a thing anywhere, a comment
// included.
func (d *detector) allowedInPlace(f report.Finding) bool {
	at := strings.Index(f.Line, f.Match)
	if at < 0 {
		return false
	}
	for _, a := range d.inPlace[f.RuleID] {
		for _, re := range a.Regexes {
			for _, span := range re.FindAllStringIndex(f.Line, -1) {
				if span[0] <= at && at < span[1] {
					return true
				}
			}
		}
	}
	return false
}
