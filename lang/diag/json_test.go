package diag

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSONHasTheSchemaOfTheDesign(t *testing.T) {
	r := Range{"p.snodo", Position{1, 2, 1}, Position{1, 3, 2}}
	for _, tt := range []struct {
		name string
		list List
		want string
	}{
		{"nothing", nil, `{"schema":"snodo.check.v1","ok":true,"diagnostics":[]}`},
		{
			"a warning", List{{Code: SN706, Severity: Warning, Range: r, Message: "a <b> & c"}},
			`{"schema":"snodo.check.v1","ok":true,"diagnostics":[{"code":"SN706","severity":"warning",` +
				`"message":"a <b> & c","help":"","file":"p.snodo","start":{"line":1,"column":2,"offset":1},` +
				`"end":{"line":1,"column":3,"offset":2},"related":[],"edits":[]}]}`,
		},
		{
			"an error with everything",
			List{{Code: SN201, Range: r, Message: "m", Help: "h", Related: []Related{{r, "first"}}, Edits: []Edit{{r, "new"}}}},
			`{"schema":"snodo.check.v1","ok":false,"diagnostics":[{"code":"SN201","severity":"error",` +
				`"message":"m","help":"h","file":"p.snodo","start":{"line":1,"column":2,"offset":1},` +
				`"end":{"line":1,"column":3,"offset":2},` +
				`"related":[{"file":"p.snodo","start":{"line":1,"column":2,"offset":1},"end":{"line":1,"column":3,"offset":2},"message":"first"}],` +
				`"edits":[{"file":"p.snodo","start":{"line":1,"column":2,"offset":1},"end":{"line":1,"column":3,"offset":2},"text":"new"}]}]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := WriteJSON(&out, tt.list); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}
