package command

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/snodo-lang/snodo/compiler/plan"
	"github.com/snodo-lang/snodo/runtime"
)

var authorizeCommand = command{
	name:     "authorize",
	synopsis: "RUN VALIDATOR",
	summary:  "gives a person's ruling on a warn or unclear verdict that a run waits for",
	detail: `The ruling is that of the role that the protocol asks, and holds for this verdict on this commit
alone. It stands beside the verdict and never replaces it. A blocker or an error cannot be ruled on.
Where the role pins a key, the ruling is signed with it: from the file that --key names, otherwise by
the SSH agent.

exit codes: 0, 1 the ruling is refused, 64 wrong usage`,
	example: `snodo authorize $RUN security --rule pass --as me --because "The value is escaped by the caller."`,
	bind: func(flags *pflag.FlagSet) action {
		f := &authorizeFlags{}
		flags.StringVar(&f.rule, "rule", "", "`pass` or blocker")
		flags.StringVar(&f.because, "because", "", "the reason, in `TEXT`")
		flags.StringVar(&f.verdict, "verdict", "", "rule on the verdict of this `HASH` alone, or its beginning, as you have seen it")
		f.answer.bind(flags)
		return func(ctx context.Context, s streams, args []string) (int, error) {
			if len(args) != 2 {
				return 0, usagef("name a run and a validator: snodo authorize RUN VALIDATOR --rule pass --as ROLE --because TEXT")
			}
			return f.authorize(ctx, s, args[0], args[1])
		}
	},
}

type authorizeFlags struct {
	rule, because, verdict string
	answer                 answerFlags
}

func (f *authorizeFlags) authorize(ctx context.Context, s streams, run, validator string) (int, error) {
	switch {
	case f.rule == "":
		return 0, usagef("say how you rule: --rule pass, or --rule blocker")
	case f.answer.as == "":
		return 0, usagef("say who rules: --as ROLE")
	case f.because == "":
		return 0, usagef("say why: --because TEXT")
	}
	if err := oneOf("rule", f.rule, string(plan.Pass), string(plan.Blocker)); err != nil {
		return 0, err
	}
	if err := f.answer.valid(); err != nil {
		return 0, err
	}
	log, p, redact, err := f.answer.open(ctx, run)
	if err != nil {
		return 0, err
	}
	defer log.Close()
	err = runtime.Authorize(log, p, runtime.Decision{
		Validator: validator, Rule: plan.Verdict(f.rule), Role: f.answer.as, Because: redact(f.because), Verdict: f.verdict, Sign: f.answer.sign,
	})
	if err != nil {
		return 0, refused(err)
	}
	fmt.Fprintf(s.out, "%s is ruled %s by %s\n", validator, f.rule, f.answer.as)
	return exitOK, writeWaiting(s.out, log.Events())
}
