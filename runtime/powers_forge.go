package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/snodo-lang/snodo/runtime/child"
)

// How long a forge's program may take, and how much of what it prints is
// read, in bytes.
const (
	forgeTime   = 2 * time.Minute
	forgeOutput = 2 << 20
)

// A changeRequest is what a forge is asked to open, as a draft.
type changeRequest struct {
	branch, base string // base is empty where the forge's default is meant
	title        string
	body         string // the file that holds it
}

// A forge is a place where change requests live, seen through its program.
type forge struct {
	program string
	tokens  []string // variables that it authenticates with
	quiet   []string // variables that keep it from asking
	address string   // the member of a listed request that holds its address
	head    string   // the member that holds the commit it is about
	list    func(branch string) []string
	create  func(changeRequest) []string
}

// reach are the variables by which any program reaches a network, or the
// user's keyring.
var reach = []string{
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy",
	"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR",
}

// pass are the names of the variables that the program gets besides the usual.
func (f forge) pass() []string { return slices.Concat(f.tokens, reach) }

// forgeOf returns the forge that a remote's address belongs to; ok is false
// where it belongs to none that is known.
func forgeOf(address string) (forge, bool) {
	host, path, ok := splitRemote(address)
	if !ok {
		return forge{}, false
	}
	switch {
	case host == "ssh.github.com":
		return github("github.com", path), true
	case strings.HasPrefix(host, "github."):
		return github(host, path), true
	case strings.HasPrefix(host, "gitlab."):
		return gitlab(host, path), true
	}
	return forge{}, false
}

// scpLike is the short form of an ssh address: user@host:path.
var scpLike = regexp.MustCompile(`^(?:[^/@:]+@)?([^/@:]+):([^:].*)$`)

// projectPath is the path of a project on a forge: at least an owner and a
// name, none of which could be taken for a flag.
var projectPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)

// hostName is a name of a machine, in small letters.
var hostName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$`)

// splitRemote takes the host and the project's path out of a remote's address.
func splitRemote(address string) (host, path string, ok bool) {
	if strings.Contains(address, "://") {
		u, err := url.Parse(address)
		if err != nil || !slices.Contains([]string{"https", "http", "ssh", "git", "git+ssh"}, u.Scheme) {
			return "", "", false
		}
		host, path = u.Hostname(), u.Path
	} else if parts := scpLike.FindStringSubmatch(address); parts != nil {
		host, path = parts[1], parts[2]
	}
	host, path = strings.ToLower(host), strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	return host, path, hostName.MatchString(host) && projectPath.MatchString(path)
}

func github(host, path string) forge {
	repo := "--repo=" + host + "/" + path
	return forge{
		program: "gh",
		tokens:  []string{"GH_TOKEN", "GITHUB_TOKEN", "GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GH_CONFIG_DIR"},
		quiet:   []string{"GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1"},
		address: "url", head: "headRefOid",
		list: func(branch string) []string {
			return []string{"pr", "list", repo, "--state=open", "--head=" + branch, "--json=url,headRefOid"}
		},
		create: func(c changeRequest) []string {
			args := []string{"pr", "create", repo, "--draft", "--head=" + c.branch, "--title=" + c.title, "--body-file=" + c.body}
			if c.base != "" {
				args = append(args, "--base="+c.base)
			}
			return args
		},
	}
}

func gitlab(host, path string) forge {
	repo := "--repo=https://" + host + "/" + path
	return forge{
		program: "glab",
		tokens:  []string{"GITLAB_TOKEN", "GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN", "GLAB_CONFIG_DIR"},
		quiet:   []string{"NO_PROMPT=1", "NO_COLOR=1"},
		address: "web_url", head: "sha",
		list: func(branch string) []string {
			return []string{"mr", "list", repo, "--source-branch=" + branch, "--output=json"}
		},
		create: func(c changeRequest) []string {
			text, err := os.ReadFile(c.body)
			if err != nil {
				text = []byte(c.title) // the record keeps the text all the same
			}
			args := []string{"mr", "create", repo, "--draft", "--yes", "--source-branch=" + c.branch, "--title=" + c.title, "--description=" + string(text)}
			if c.base != "" {
				args = append(args, "--target-branch="+c.base)
			}
			return args
		},
	}
}

// byHand is the command that opens a request, as a person types it.
func (f forge) byHand(c changeRequest) string {
	words := []string{f.program}
	for _, arg := range f.create(c) {
		if strings.HasPrefix(arg, "--description=") {
			words = append(words, `--description="$(cat `+quoted(c.body)+`)"`)
			continue
		}
		words = append(words, quoted(arg))
	}
	return strings.Join(words, " ")
}

// absent says whether the program is not there.
func (f forge) absent(answer child.Result) bool {
	return answer.Ending == child.NotStarted && (errors.Is(answer.Err, exec.ErrNotFound) || errors.Is(answer.Err, fs.ErrNotExist))
}

// requestOf finds an open request about a commit in what the program listed,
// and returns its address; it is empty where there is none. What the program
// printed besides the list is passed over.
func (f forge) requestOf(listed, commit string) (string, error) {
	for line := range strings.Lines(listed) {
		line = strings.TrimSpace(line)
		var requests []map[string]any
		if !strings.HasPrefix(line, "[") || json.Unmarshal([]byte(line), &requests) != nil {
			continue
		}
		for _, q := range requests {
			if address, ok := q[f.address].(string); ok && q[f.head] == commit && addressIn(address) == address {
				return address, nil
			}
		}
		return "", nil
	}
	return "", fmt.Errorf("%s did not answer with a list of change requests", f.program)
}

// addressIn returns the last line that is an address of the web.
func addressIn(text string) string {
	found := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if u, err := url.Parse(line); err == nil && u.Scheme == "https" && u.Host != "" && !strings.ContainsAny(line, " \t") {
			found = line
		}
	}
	return found
}
