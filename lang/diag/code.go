package diag

import (
	"fmt"
	"maps"
	"slices"
)

// A Code names one kind of diagnostic for good: SN and three digits. The
// first digit says who finds it: 1 the lexer and the parser, 2 to 7 the
// stages of the compiler, 8 the comparison of a plan with its sources, 9 the
// comparison of a package with an earlier one.
type Code string

// The codes. What each means stands in the registry below and, in full, on
// the code's page.
const (
	SN101 Code = "SN101"
	SN102 Code = "SN102"
	SN103 Code = "SN103"
	SN104 Code = "SN104"
	SN105 Code = "SN105"

	SN201 Code = "SN201"
	SN202 Code = "SN202"
	SN203 Code = "SN203"
	SN204 Code = "SN204"
	SN205 Code = "SN205"
	SN206 Code = "SN206"
	SN207 Code = "SN207"
	SN208 Code = "SN208"
	SN209 Code = "SN209"
	SN210 Code = "SN210"
	SN211 Code = "SN211"
	SN212 Code = "SN212"
	SN213 Code = "SN213"
	SN214 Code = "SN214"
	SN215 Code = "SN215"

	SN301 Code = "SN301"

	SN401 Code = "SN401"
	SN402 Code = "SN402"
	SN403 Code = "SN403"
	SN404 Code = "SN404"
	SN405 Code = "SN405"
	SN406 Code = "SN406"
	SN407 Code = "SN407"
	SN408 Code = "SN408"
	SN409 Code = "SN409"
	SN410 Code = "SN410"
	SN411 Code = "SN411"
	SN412 Code = "SN412"
	SN413 Code = "SN413"
	SN414 Code = "SN414"
	SN415 Code = "SN415"

	SN501 Code = "SN501"
	SN502 Code = "SN502"
	SN503 Code = "SN503"
	SN504 Code = "SN504"
	SN505 Code = "SN505"
	SN506 Code = "SN506"
	SN508 Code = "SN508"
	SN509 Code = "SN509"
	SN510 Code = "SN510"
	SN511 Code = "SN511"
	SN512 Code = "SN512"
	SN514 Code = "SN514"
	SN515 Code = "SN515"
	SN516 Code = "SN516"
	SN517 Code = "SN517"
	SN520 Code = "SN520"
	SN521 Code = "SN521"

	SN601 Code = "SN601"
	SN602 Code = "SN602"
	SN603 Code = "SN603"
	SN604 Code = "SN604"

	SN701 Code = "SN701"
	SN702 Code = "SN702"
	SN703 Code = "SN703"
	SN704 Code = "SN704"
	SN705 Code = "SN705"
	SN706 Code = "SN706"

	SN801 Code = "SN801"
	SN802 Code = "SN802"

	SN901 Code = "SN901"
	SN902 Code = "SN902"
	SN903 Code = "SN903"
	SN904 Code = "SN904"
	SN905 Code = "SN905"
	SN906 Code = "SN906"
	SN907 Code = "SN907"
	SN908 Code = "SN908"
	SN909 Code = "SN909"
	SN910 Code = "SN910"
	SN911 Code = "SN911"
	SN912 Code = "SN912"
	SN913 Code = "SN913"
	SN914 Code = "SN914"
	SN915 Code = "SN915"
	SN916 Code = "SN916"
	SN917 Code = "SN917"
)

// An entry is what the registry knows of a code.
type entry struct {
	severity Severity
	title    string
}

var registry = map[Code]entry{
	SN101: {Error, "a statement does not have its form"},
	SN102: {Error, "a text is not closed, or holds an unknown escape"},
	SN103: {Error, "the edition is missing or unknown"},
	SN104: {Error, "a character that must not stand in a source"},
	SN105: {Error, "a limit is exceeded, or a number is malformed"},

	SN201: {Error, "a name is declared twice"},
	SN202: {Error, "a name is not declared"},
	SN203: {Error, "a field that does not exist here"},
	SN204: {Error, "a required field is missing"},
	SN205: {Error, "a field or route is given twice"},
	SN206: {Error, "a value has the wrong kind"},
	SN207: {Error, "a text that must say something is blank"},
	SN208: {Error, "an import cannot be found"},
	SN209: {Error, "imports form a cycle"},
	SN210: {Warning, "a declaration is never used"},
	SN211: {Error, "a reserved word is used as a name"},
	SN212: {Error, "a package needs exactly one protocol"},
	SN213: {Error, "it is not clear which stage a run begins in"},
	SN214: {Error, "not one of the words that may stand here"},
	SN215: {Error, "two things exclude each other"},

	SN301: {Error, "a key chooses between behaviours"},

	SN401: {Error, "a granted tool does not exist"},
	SN402: {Error, "a judge is granted a tool that changes or runs something"},
	SN403: {Error, "something has no meaning in its phase"},
	SN404: {Error, "granted tools can never be used"},
	SN405: {Error, "an exclusive power is held by more than one stage"},
	SN406: {Error, "a stage that writes is granted approve"},
	SN407: {Error, "a glob or path is malformed or leaves the repository"},
	SN408: {Warning, "a grant or glob says nothing new"},
	SN409: {Error, "in on a line with a tool that takes no path"},
	SN410: {Error, "a stage that executes has no coder or cannot write"},
	SN411: {Error, "run_check has nothing to run or nobody to offer it to"},
	SN412: {Error, "a power that nothing here can exercise"},
	SN413: {Warning, "a reading tool is granted to a command"},
	SN414: {Warning, "a judge of finished work cannot read it"},
	SN415: {Error, "a review is granted a tool that reads or writes"},

	SN501: {Error, "a verdict has no route"},
	SN502: {Error, "a verdict is routed that cannot come"},
	SN503: {Error, "a route step is not for this verdict"},
	SN504: {Error, "a route does not end as it must"},
	SN505: {Error, "recover where there is no work to repair"},
	SN506: {Error, "a judge cannot return what every judge must"},
	SN508: {Error, "gather where nothing can be gathered"},
	SN509: {Error, "a stage has no gate that it needs"},
	SN510: {Error, "a validator stands in a gate of the other phase"},
	SN511: {Error, "the number of passes does not fit the panel"},
	SN512: {Error, "an outcome is routed that never is"},
	SN514: {Warning, "the number of passes has no effect"},
	SN515: {Error, "a validator stands twice where it may stand once"},
	SN516: {Error, "a task holds something that judges"},
	SN517: {Error, "a task has no goal"},
	SN520: {Note, "an observer never gates"},
	SN521: {Note, "a task keeps every turn unscored"},

	SN601: {Error, "a budget is out of its range"},
	SN602: {Error, "a parameter may not stand here in obtain"},
	SN603: {Error, "a placeholder and the parameters do not fit"},
	SN604: {Warning, "an evidence that no judge may request"},

	SN701: {Error, "two criteria of a judge share a name"},
	SN702: {Warning, "a criterion gives an order about verdicts"},
	SN703: {Error, "the folder of a control is incomplete"},
	SN704: {Note, "judges without controls"},
	SN705: {Error, "a control names what its validator does not have"},
	SN706: {Warning, "a check that cannot fail"},

	SN801: {Error, "a plan is not what its sources give"},
	SN802: {Error, "who decides is not proven"},

	SN901: {Error, "a validator no longer decides"},
	SN902: {Error, "a validator that decided only observes"},
	SN903: {Error, "a criterion is gone or says something else"},
	SN904: {Error, "a command that others rely on is another one"},
	SN905: {Error, "a rule demands less"},
	SN906: {Error, "a judge can no longer return a verdict"},
	SN907: {Error, "a judge has less to judge with"},
	SN908: {Error, "a judge can find out less"},
	SN909: {Error, "another model judges"},
	SN910: {Error, "a gate proceeds with fewer passes"},
	SN911: {Error, "a route is softer"},
	SN912: {Error, "somebody else answers or rules"},
	SN913: {Error, "a stage may do more"},
	SN914: {Error, "fewer paths are protected"},
	SN915: {Error, "a lane without judges"},
	SN916: {Error, "a stage that judged is gone or passed over"},
	SN917: {Error, "a control is gone or is another one"},
}

// Severity returns the severity that c is registered with. It panics where c
// is not registered: a diagnostic without a page must not come into being.
func (c Code) Severity() Severity { return c.entry().severity }

// Title returns what c means in one line: lower case, no full stop. It panics
// where c is not registered.
func (c Code) Title() string { return c.entry().title }

func (c Code) entry() entry {
	e, ok := registry[c]
	if !ok {
		panic(fmt.Sprintf("diag: code %q is not registered", string(c)))
	}
	return e
}

// Codes returns all registered codes, in order.
func Codes() []Code { return slices.Sorted(maps.Keys(registry)) }
