package runtime

import (
	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime/proof"
)

// proven says whether a validator has a proof that holds of it as it is asked
// in this run: with this model, at this endpoint. Of a judge that is played or
// answered from a recording nothing is proven.
func (r *run) proven(name string) bool {
	v := r.Plan.Validators[name]
	s := proof.Subject{Validator: name, Kind: v.OfKind(), Digest: v.Sum()}
	if j, ok := v.(*plan.Judge); ok {
		at, ok := r.Chat.(interface{ Address() string })
		if !ok || r.Rehearsal != nil || r.Replay != "" {
			return false
		}
		s.Model, s.Endpoint = r.modelOf(j), r.Redact(at.Address())
	}
	return proof.Proven(r.Repository.MainWorktree(), s)
}
