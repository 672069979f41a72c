package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/snodo-lang/snodo/runtime/child"
	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/record"
)

// writeConversation prints what was said to a judge or a coder and what it
// said, turn by turn. What others wrote is made harmless for a terminal.
func writeConversation(w io.Writer, c record.Conversation) error {
	b := &strings.Builder{}
	b.WriteString(heading(c))
	shown := 0
	for n, turn := range c.Talk.Turns {
		fmt.Fprintf(b, "\n== turn %d: %s\n", n+1, offered(turn.Offered, turn.Forced))
		for ; shown < turn.Sent && shown < len(c.Talk.Messages); shown++ {
			writeMessage(b, "sent", c.Talk.Messages[shown])
		}
		switch {
		case turn.Error != nil:
			fmt.Fprintf(b, "\n-- no reply: %s\n", child.Sanitize(*turn.Error))
		case shown < len(c.Talk.Messages):
			writeMessage(b, "received", c.Talk.Messages[shown])
			shown++
			fmt.Fprintf(b, "\n   %s; finish %q\n", usage(turn.Usage), turn.Finish)
		}
	}
	for ; shown < len(c.Talk.Messages); shown++ {
		writeMessage(b, "never sent", c.Talk.Messages[shown])
	}
	b.WriteString(ending(c))
	_, err := io.WriteString(w, b.String())
	return err
}

// heading says whose conversation it is, and when.
func heading(c record.Conversation) string {
	if c.Returned != nil {
		return fmt.Sprintf("%s, attempt %d, sent for the %s time, model %s\n", c.Talk.Coder, c.Returned.Attempt, ordinal(c.Asked), c.Talk.Model)
	}
	attempt := ""
	if c.Attempt != nil {
		attempt = fmt.Sprintf(", attempt %d", *c.Attempt)
	}
	return fmt.Sprintf("%s in %s%s, asked for the %s time, model %s\n", c.Talk.Validator, c.Step, attempt, ordinal(c.Asked), c.Talk.Model)
}

// ending says what the conversation came to.
func ending(c record.Conversation) string {
	if c.Returned != nil {
		if c.Returned.Failure == nil {
			return "\n== done\n"
		}
		return fmt.Sprintf("\n== the coder %s\n", child.Sanitize(*c.Returned.Failure))
	}
	lines := append([]string{"\n== " + verdictWord(*c.Result)}, resultLines(*c.Result)...)
	return strings.Join(lines, "\n") + "\n"
}

func offered(tools []string, forced bool) string {
	if forced {
		return strings.Join(tools, ", ") + " is all that may be called, and must be"
	}
	return strings.Join(tools, ", ") + " may be called"
}

// writeMessage prints one message: its text as it stands, and its calls.
func writeMessage(b *strings.Builder, way string, m endpoint.Message) {
	fmt.Fprintf(b, "\n-- %s, %s", way, m.Role)
	if m.CallID != "" {
		fmt.Fprintf(b, ", for %s", m.CallID)
	}
	b.WriteByte('\n')
	if m.Reasoning != "" {
		fmt.Fprintf(b, "(thinking, from which nothing follows)\n%s\n", child.Sanitize(m.Reasoning))
	}
	if m.Content != "" {
		fmt.Fprintf(b, "%s\n", child.Sanitize(strings.TrimRight(m.Content, "\n")))
	}
	for _, call := range m.Calls {
		fmt.Fprintf(b, "%s calls %s %s\n", call.ID, child.Sanitize(call.Name), child.Sanitize(call.Arguments))
	}
}

// ordinal writes a small number in its order: 1st, 2nd.
func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}
