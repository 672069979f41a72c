package runtime

import (
	"fmt"

	"github.com/snodo-lang/snodo/compiler/plan"
)

// The outcomes of a run.
const (
	Complete         = "complete"
	Blocked          = "blocker"
	Escalate         = "escalate"
	ValidatorError   = "validator_error"
	InternalError    = "internal_error"
	EnvironmentError = "environment_error"
)

// outcomes says which outcome a halt of each type is.
var outcomes = map[string]string{
	plan.HaltBlocker:           Blocked,
	plan.HaltWarn:              Blocked,
	plan.HaltRecoveryExhausted: Blocked,
	plan.HaltRecoveryStalled:   Blocked,
	plan.HaltProtectedPath:     Blocked,
	plan.HaltOutsideGrant:      Blocked,
	plan.HaltNoChange:          Blocked,
	plan.HaltNothingKept:       Blocked,
	plan.HaltEscalate:          Escalate,
	plan.HaltValidatorError:    ValidatorError,
	plan.HaltInternalError:     InternalError,
	plan.HaltEnvironmentError:  EnvironmentError,
	plan.HaltCoderError:        EnvironmentError,
	plan.HaltPowerRefused:      EnvironmentError,
	plan.HaltInterrupted:       EnvironmentError,
}

// ExitCode is the exit code of a process whose run came to an outcome.
func ExitCode(outcome string) int {
	switch outcome {
	case Complete:
		return 0
	case Blocked:
		return 1
	case Escalate:
		return 2
	case ValidatorError:
		return 3
	case InternalError:
		return 4
	case EnvironmentError:
		return 5
	}
	panic(fmt.Sprintf("runtime: no such outcome: %q", outcome))
}
