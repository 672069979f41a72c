package judge_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/snodo-lang/snodo/runtime/endpoint"
	"github.com/snodo-lang/snodo/runtime/judge"
	"github.com/snodo-lang/snodo/runtime/verdict"
)

// TestEndToEndAJudgeEndsWithAVerdictOrATypedError speaks with a real
// endpoint. What a model says there is its own business; that the
// conversation ends as it must is not.
func TestEndToEndAJudgeEndsWithAVerdictOrATypedError(t *testing.T) {
	address, model := os.Getenv("SNODO_TEST_BASE_URL"), os.Getenv("SNODO_TEST_MODEL")
	if address == "" || model == "" {
		t.Skip("SNODO_TEST_BASE_URL and SNODO_TEST_MODEL name no endpoint to speak with")
	}
	c, err := endpoint.New(endpoint.Config{BaseURL: address, Key: os.Getenv("OPENAI_API_KEY")})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Accepts(model); err != nil {
		t.Fatal(err)
	}
	for _, turns := range []int{1, 4} {
		r := ask(subject(turns, all()...))
		r.Model, r.Chat = model, c
		r.Judge.Budget.Tokens = 512
		r.Judge.Budget.TimeoutMS = (2 * time.Minute).Milliseconds()
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		result := judge.Run(ctx, r)
		cancel()
		checkResult(t, r, result)
		if result.Error != nil {
			if result.Error.Class == verdict.Internal || result.Error.Class == "" {
				t.Errorf("%d turns: %v\n%s", turns, result.Error, result.Stack)
			}
			t.Logf("%d turns: %v after %d replies", turns, result.Error, result.Turns)
			continue
		}
		t.Logf("%d turns: %s after %d replies", turns, *result.Verdict, result.Turns)
	}
}
