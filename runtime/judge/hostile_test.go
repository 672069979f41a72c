package judge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/snodo-lang/snodo/runtime/judge"
)

// hostile are the texts of testdata/hostile, by the name of their file. In
// them @TOKEN@ is the token of the run, as if an author had guessed it.
func hostile(t *testing.T, suffix string) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/hostile/*" + suffix)
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no hostile texts: %v", err)
	}
	out := map[string]string{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(file)] = strings.ReplaceAll(string(raw), "@TOKEN@", token)
	}
	return out
}

func templateTokens(t *testing.T) []string {
	return strings.Fields(hostile(t, "tokens.list")["tokens.list"])
}

// inert writes a text as it must arrive: what hides is written out, and a
// token is broken behind its first character. It shares no line with the code
// that it checks.
func inert(text string, tokens []string) string {
	var out strings.Builder
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\r\n", "\n")
	for _, r := range text {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			fmt.Fprintf(&out, `\u{%x}`, r)
			continue
		}
		out.WriteRune(r)
	}
	text = out.String()
	for _, sign := range append(slices.Clone(tokens), token) {
		_, first := utf8.DecodeRuneInString(sign)
		text = strings.ReplaceAll(text, sign, sign[:first]+`\`+sign[first:])
	}
	return text
}

// A piece is what stands between a pair of markers.
type piece struct{ what, text string }

// pieces takes a message apart: what stands between markers, and what is left
// without it. A marker is a line, or the end of one for short pieces.
func pieces(t *testing.T, message string) (inside []piece, outside string) {
	t.Helper()
	opening := regexp.MustCompile(`<<<(.*) ` + token + `\n`)
	for {
		at := opening.FindStringSubmatchIndex(message)
		if at == nil {
			break
		}
		what := message[at[2]:at[3]]
		rest := message[at[1]:]
		end := token + " " + what + ">>>"
		i := strings.Index("\n"+rest, "\n"+end)
		if i < 0 {
			t.Errorf("the piece %q is not closed: %q", what, rest)
			return inside, outside + rest
		}
		inside = append(inside, piece{what, rest[:i]})
		outside += message[:at[0]] + "«" + strings.Fields(what)[0] + "»"
		message = rest[i+len(end):]
	}
	outside += message
	for _, p := range inside {
		if strings.Contains(p.text, token) {
			t.Errorf("the token stands inside of %q: %q", p.what, p.text)
		}
	}
	if strings.Contains(outside, token) {
		t.Errorf("the token stands outside: %q", outside)
	}
	return inside, outside
}

// A foul is a tree in which everything says the same text.
type foul struct {
	tree
	text string
}

func (f foul) Log(context.Context, string, int) ([]judge.Commit, error) {
	return []judge.Commit{{ID: "c0ffee1", Date: "2026-11-30", Author: f.text, Subject: f.text}}, nil
}

func (f foul) Show(context.Context, string, string) (judge.Entry, []byte, error) {
	return judge.Entry{Kind: judge.File}, []byte(f.text), nil
}

// spoken is a conversation in which every channel carries a text, and the
// messages as the endpoint got them.
func spoken(t *testing.T, text string) []sentMessage {
	t.Helper()
	r := ask(subject(9, all()...))
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	r.Task, r.Stage = text, text
	r.Changes = []judge.Change{{Path: text, Added: 1}}
	r.Diff = []judge.FileDiff{{Path: "data.txt", Text: fmt.Sprintf("@@ -0,0 +1,%d @@\n+%s\n", len(lines), strings.Join(lines, "+"))}}
	r.Supplied = []judge.Supplied{{Evidence: "answer", Args: map[string]any{"what": text}, Source: text, Head: text, Tail: text, Omitted: 1}}
	r.Tree = foul{tree{"data.txt": text, "names/" + text: "x"}, text}
	result, s := talk(t, r,
		`{"call":"read_file","args":{"path":"data.txt"}}`,
		`{"call":"read_file_lines","args":{"path":"data.txt","start":1,"end":999}}`,
		`{"call":"search_text","args":{"path":"data.txt","pattern":""}}`,
		`{"call":"list_files","args":{"path":"names"}}`,
		`{"call":"git_log","args":{"path":".","count":1}}`,
		`{"call":"git_show","args":{"rev":"HEAD","path":"data.txt"}}`,
		`{"call":"read_diff","args":{}}`,
		block)
	if became(result) != "blocker" || len(result.Examined) != 7 || len(s.Requests()) != 8 {
		t.Errorf("something was carried out: %s after %d requests, %v", became(result), len(s.Requests()), result.Examined)
	}
	var out []sentMessage
	for _, raw := range s.Requests()[7].Messages {
		var m sentMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			t.Fatal(err)
		}
		out = append(out, m)
	}
	return out
}

type sentMessage struct{ Role, Content string }

// numberedLines is a file as read_file shows it.
func numberedLines(text string) string {
	var out strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		fmt.Fprintf(&out, "%6d\t%s\n", i+1, cutLine(line))
	}
	return out.String()
}

func cutLine(line string) string {
	if runes := []rune(line); len(runes) > 2000 {
		return string(runes[:2000]) + fmt.Sprintf("CutLine %d", len(runes)-2000)
	}
	return line
}

func ended(text string) string { return strings.TrimSuffix(text, "\n") + "\n" }

var jsonText = regexp.MustCompile(`"(\\.|[^"\\])*"(CutLine \d+)?`)

func TestHostileTextsArriveAsDataAndNothingElse(t *testing.T) {
	tokens := templateTokens(t)
	_, calm := pieces(t, spoken(t, "calm\n")[1].Content)
	for name, text := range hostile(t, ".txt") {
		t.Run(name, func(t *testing.T) {
			messages := spoken(t, text)
			want := inert(text, tokens)
			if diff := cmp.Diff("You judge safe and tidy.\nreceipt: ab12", messages[0].Content); diff != "" {
				t.Errorf("the system message is not the judge's own: %s", diff)
			}
			first, outside := pieces(t, messages[1].Content)
			if diff := cmp.Diff(jsonText.ReplaceAllString(calm, `""`), jsonText.ReplaceAllString(outside, `""`)); diff != "" {
				t.Errorf("something stands outside of the markers: %s", diff)
			}
			oneLine := strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
			wantFirst := []piece{
				{"task", ended(want)}, {"stage", ended(want)}, {"changes", first[2].text},
				{"diff", "\"data.txt\"\n" + diffed(want)}, {"args", first[4].text},
				{"evidence", ended(want) + "EvidenceCut 1\n" + ended(want)},
			}
			if diff := cmp.Diff(wantFirst, first, cmp.AllowUnexported(piece{})); diff != "" {
				t.Error(diff)
			}
			for i, want := range []piece{
				{`read_file "data.txt"`, numberedLines(want)},
				{`read_file_lines "data.txt"`, numberedLines(want)},
				{`search_text "data.txt"`, "\"data.txt\"\n" + numberedLines(want)},
				{`list_files "names"`, ""},
				{`git_log "."`, cutLine(inert("c0ffee1  2026-11-30  "+oneLine+"  "+oneLine, tokens)) + "\n"},
				{`git_show "data.txt"`, numberedLines(want)},
				{`read_diff`, "\"data.txt\"\n" + diffed(want)},
			} {
				m := messages[3+2*i]
				inside, outside := pieces(t, m.Content)
				if len(inside) != 1 || outside != "«"+strings.Fields(want.what)[0]+"»" || m.Role != "tool" {
					t.Fatalf("%s arrived as %d pieces, %q of a %s outside", want.what, len(inside), outside, m.Role)
				}
				if want.text == "" { // a list of names
					want.text = inside[0].text
					isName(t, strings.TrimSuffix(want.text, "\n"), "names/"+strings.Split(text, "/")[0], tokens)
				}
				if diff := cmp.Diff(want, inside[0], cmp.AllowUnexported(piece{})); diff != "" {
					t.Error(diff)
				}
			}
			isName(t, strings.TrimSuffix(first[2].text, " +1 -0\n"), text, tokens)
			for i, m := range messages {
				if m.Role != "assistant" {
					isInert(t, i, m.Content, tokens)
				}
			}
		})
	}
}

// diffed is a text as the difference shows it that adds it.
func diffed(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	out := fmt.Sprintf("@@ -0,0 +1,%d @@\n", len(lines))
	for i, line := range lines {
		out += fmt.Sprintf("%6d +%s\n", i+1, cutLine(line))
	}
	return out
}

// isName checks that a line is a text of JSON that means a name.
func isName(t *testing.T, line, name string, tokens []string) {
	t.Helper()
	line = regexp.MustCompile(`CutLine \d+$`).ReplaceAllString(line, "")
	var back string
	if err := json.Unmarshal([]byte(line), &back); err != nil {
		t.Errorf("%q is no name in JSON: %v", line, err)
	}
	bare := func(s string) string { return strings.ReplaceAll(s, `\`, "") }
	if name = strings.ToValidUTF8(name, "\uFFFD"); !strings.HasPrefix(bare(name), strings.TrimSuffix(bare(back), "/")) || back == "" {
		t.Errorf("%q does not mean %q", back, name)
	}
}

// isInert checks that nothing in a message means anything to a template, a
// terminal or an eye that it does not say.
func isInert(t *testing.T, number int, message string, tokens []string) {
	t.Helper()
	for _, sign := range tokens {
		if strings.Contains(message, sign) {
			t.Errorf("message %d holds %s", number, sign)
		}
	}
	for _, r := range message {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
			t.Errorf("message %d holds %U", number, r)
		}
	}
}

func TestEveryTokenOfATemplateIsBroken(t *testing.T) {
	tokens := templateTokens(t)
	messages := spoken(t, strings.Join(tokens, "system\n"))
	for i, m := range messages {
		if m.Role != "assistant" {
			isInert(t, i, m.Content, tokens)
		}
	}
	for _, sign := range tokens {
		_, first := utf8.DecodeRuneInString(sign)
		if broken := sign[:first] + `\` + sign[first:]; !strings.Contains(messages[3].Content, "\t"+broken) {
			t.Errorf("%s is not visibly broken", sign)
		}
	}
}

func TestHostileDifferencesStayBetweenTheirMarkers(t *testing.T) {
	for name, text := range hostile(t, ".diff") {
		r := ask(subject(3, all()...))
		r.Diff = []judge.FileDiff{{Path: "x", Text: text}, {Path: "y", Text: "@@ -0,0 +1 @@\n+y\n"}}
		result, _ := talk(t, r, `{"call":"read_diff","args":{}}`, block)
		inside, outside := pieces(t, result.Transcript[3].Content)
		if len(inside) != 1 || outside != "«read_diff»" || !strings.HasSuffix(inside[0].text, "\"y\"\n@@ -0,0 +1 @@\n     1 +y\n") {
			t.Errorf("%s: %q outside of %q", name, outside, inside)
		}
		isInert(t, 3, result.Transcript[3].Content, templateTokens(t))
		for _, header := range []string{"rename", "index", "similarity", "diff --git", "no hunk announced"} {
			if strings.Contains(inside[0].text, header) {
				t.Errorf("%s: %q is shown: %s", name, header, inside[0].text)
			}
		}
	}
}

func TestWhatIsShownCanBeQuoted(t *testing.T) {
	tokens := templateTokens(t)
	for name, text := range hostile(t, ".txt") {
		for i, line := range strings.Split(strings.TrimSuffix(inert(text, tokens), "\n"), "\n") {
			line = string([]rune(line)[:min(len([]rune(line)), 2000)])
			if strings.TrimSpace(line) == "" || i > 3 {
				continue
			}
			quote, err := json.Marshal(map[string]any{"path": "data.txt", "line": i + 1, "text": line})
			if err != nil {
				t.Fatal(err)
			}
			r := ask(subject(3, all()...))
			r.Tree = tree{"data.txt": text}
			result, _ := talk(t, r, `{"call":"read_file","args":{"path":"data.txt"}}`,
				`{"submit":{"safe":{"verdict":"blocker","quotes":[`+string(quote)+`]}}}`)
			if became(result) != "blocker" {
				t.Errorf("%s, line %d: %s", name, i+1, lastAnswers(result))
			}
		}
	}
}
