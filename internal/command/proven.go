package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/snodo-lang/snodo/compiler"
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/lang/diag"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/proof"
	"github.com/snodo-lang/snodo/runtime/workspace"
)

// provenIn reports who decides in the package and has no valid proof.
func provenIn(ctx context.Context, notes io.Writer, dir string, p place) (diag.List, error) {
	repo, err := workspace.Open(ctx, dir)
	if err != nil {
		return nil, usagef("--proven: proofs are kept in a repository: %v", err)
	}
	defer repo.Close()
	asked, err := askedOf()
	if err != nil {
		return nil, err
	}
	var failed error
	report, err := compiler.Proven(p.source, func(m compiler.Member) string {
		found, err := proof.Of(repo.MainWorktree(), m.Validator, m.Of.Sum())
		if err != nil {
			failed = err
			return ""
		}
		best, why := asked.bestOf(found, m)
		if why == "" && best.Replay {
			fmt.Fprintf(notes, "note: the proof of %s was made from a recording, with the model %s\n", m.Validator, best.Model)
		}
		return why
	})
	if failed != nil {
		return nil, usagef("--proven: %v", failed)
	}
	if err != nil {
		return nil, sourceError(dir, err)
	}
	return slices.DeleteFunc(report.Diagnostics, func(d diag.Diagnostic) bool { return d.Code != diag.SN802 }), nil
}

// A judgeAsked is the model and the endpoint that judges would be asked at,
// empty where the environment does not say.
type judgeAsked struct{ model, endpoint string }

func askedOf() (judgeAsked, error) {
	a := judgeAsked{model: os.Getenv("SNODO_MODEL")}
	if base := os.Getenv("OPENAI_BASE_URL"); base != "" {
		client, err := endpoint.New(endpoint.Config{BaseURL: base})
		if err != nil {
			return a, usagef("%v", err)
		}
		a.endpoint = client.Address()
	}
	return a, nil
}

// bestOf returns a proof that holds of a member as it would be asked, or why
// there is none. One that was not made from a recording goes before one that
// was.
func (a judgeAsked) bestOf(found []proof.Proof, m compiler.Member) (proof.Proof, string) {
	why := "there is no proof of it as it stands now"
	model := a.model
	if j, ok := m.Of.(*plan.Judge); ok && j.Model != nil {
		model = *j.Model
	}
	slices.SortStableFunc(found, func(x, y proof.Proof) int {
		switch {
		case x.Replay == y.Replay:
			return 0
		case x.Replay:
			return 1
		}
		return -1
	})
	for _, p := range found {
		if p.Kind == plan.KindJudge && (model != "" && p.Model != model || a.endpoint != "" && p.Endpoint != a.endpoint) {
			why = fmt.Sprintf("its proof is about the model %s at %s", p.Model, p.Endpoint)
			continue
		}
		if why = lacks(p, m.Cases); why == "" {
			return p, ""
		}
	}
	return proof.Proof{}, why
}

// lacks says what keeps a proof from being one of these cases.
func lacks(p proof.Proof, cases []compiler.Case) string {
	for _, c := range cases {
		if !slices.ContainsFunc(p.Cases, func(k proof.Case) bool { return !k.Twin && sameCase(k, c) }) {
			return fmt.Sprintf("its proof does not know the case %s as it stands now", c.Folder)
		}
	}
	return p.Holds()
}

func sameCase(k proof.Case, c compiler.Case) bool {
	return k.Folder == c.Folder && k.Sum == c.Sum && k.Expect == c.Expect && slices.Equal(k.Violates, c.Violates) && k.Needs == c.Needs
}
