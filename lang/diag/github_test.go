package diag

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestGitHubAnnotations(t *testing.T) {
	r := Range{"p.snodo", Position{41, 16, 400}, Position{41, 25, 409}}
	for _, tt := range []struct {
		name string
		d    Diagnostic
		want string
	}{
		{
			"an error with a help of two lines",
			Diagnostic{Code: SN503, Range: r, Message: "it cannot", Help: "one\ntwo"},
			"::error file=p.snodo,line=41,endLine=41,col=16,endColumn=25,title=SN503::it cannot%0Ahelp: one%0Atwo%0Amore: snodo explain SN503",
		},
		{
			"a warning without a help",
			Diagnostic{Code: SN706, Severity: Warning, Range: r, Message: "m"},
			"::warning file=p.snodo,line=41,endLine=41,col=16,endColumn=25,title=SN706::m%0Amore: snodo explain SN706",
		},
		{
			"a note over several lines has no columns",
			Diagnostic{Code: SN520, Severity: Note, Range: Range{"p.snodo", Position{1, 2, 1}, Position{3, 1, 9}}, Message: "m"},
			"::notice file=p.snodo,line=1,endLine=3,title=SN520::m%0Amore: snodo explain SN520",
		},
		{
			"a whole file",
			Diagnostic{Code: SN801, Range: Range{File: "p.json"}, Message: "m"},
			"::error file=p.json,title=SN801::m%0Amore: snodo explain SN801",
		},
		{
			"what would end a property or the command",
			Diagnostic{Code: SN801, Range: Range{File: "a,b:100%\r\n::error.json"}, Message: "50%, a: b::c"},
			"::error file=a%2Cb%3A100%25%0D%0A%3A%3Aerror.json,title=SN801::50%25, a: b::c%0Amore: snodo explain SN801",
		},
		{
			"a line end that a source brought into a message",
			Diagnostic{Code: SN801, Range: Range{File: "a"}, Message: "a\n::error::b\r"},
			"::error file=a,title=SN801::a<U+000A>::error::b<U+000D>%0Amore: snodo explain SN801",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := WriteGitHub(&out, List{tt.d}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want+"\n", out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestGitHubAnnotationsAreSorted(t *testing.T) {
	var out bytes.Buffer
	if err := WriteGitHub(&out, List{{Code: SN202, Range: Range{File: "b"}}, {Code: SN202, Range: Range{File: "a"}}}); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a,title=SN202::%0Amore: snodo explain SN202\n::error file=b,title=SN202::%0Amore: snodo explain SN202\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}
