package child

import (
	"fmt"
	"strconv"
	"strings"
)

// usual are the variables that every child gets: who and where it is, and
// where it speaks to.
var usual = []string{"PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL"}

// caches are the variables by which common tools find their installation,
// their caches, and where their packages come from, so that a build works in
// a fresh folder as it does in the caller's. None of them is meant to hold a
// credential.
var caches = []string{
	// The user's folders, where the others are derived from them.
	"XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
	// Certificates, without which nothing can be fetched behind some networks.
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "NIX_SSL_CERT_FILE",
	// Go.
	"GOROOT", "GOPATH", "GOBIN", "GOCACHE", "GOMODCACHE", "GOENV", "GOFLAGS", "GOPROXY", "GONOPROXY", "GOPRIVATE",
	"GOSUMDB", "GONOSUMDB", "GOTOOLCHAIN", "GOTMPDIR", "GOLANGCI_LINT_CACHE",
	// Rust, C and C++.
	"CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CCACHE_DIR", "SCCACHE_DIR", "CONAN_HOME", "VCPKG_ROOT",
	// JavaScript.
	"npm_config_cache", "NPM_CONFIG_CACHE", "YARN_CACHE_FOLDER", "PNPM_HOME", "COREPACK_HOME", "NVM_DIR", "FNM_DIR",
	"VOLTA_HOME", "BUN_INSTALL", "DENO_DIR", "PLAYWRIGHT_BROWSERS_PATH", "CYPRESS_CACHE_FOLDER",
	// Python.
	"PIP_CACHE_DIR", "UV_CACHE_DIR", "POETRY_CACHE_DIR", "PIPX_HOME", "PYENV_ROOT", "CONDA_PREFIX", "CONDA_PKGS_DIRS",
	"PRE_COMMIT_HOME", "MYPY_CACHE_DIR", "RUFF_CACHE_DIR",
	// Java and its kin.
	"JAVA_HOME", "GRADLE_USER_HOME", "MAVEN_HOME", "M2_HOME", "SDKMAN_DIR", "ANDROID_HOME", "ANDROID_SDK_ROOT", "COURSIER_CACHE",
	// Ruby, PHP, .NET, Elixir, Zig, Haskell, OCaml, Dart, Swift.
	"GEM_HOME", "GEM_PATH", "GEM_SPEC_CACHE", "BUNDLE_PATH", "RBENV_ROOT", "COMPOSER_HOME", "COMPOSER_CACHE_DIR",
	"DOTNET_ROOT", "NUGET_PACKAGES", "MIX_HOME", "HEX_HOME", "ZIG_GLOBAL_CACHE_DIR", "STACK_ROOT", "CABAL_DIR",
	"OPAMROOT", "PUB_CACHE", "DEVELOPER_DIR", "SDKROOT",
	// Version managers and build tools of several languages.
	"ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "MISE_CACHE_DIR", "BAZELISK_HOME", "TF_PLUGIN_CACHE_DIR", "HELM_CACHE_HOME",
}

// An Attempt is what a child is told about the run that it is part of.
type Attempt struct {
	Run    string
	Number int    // from 1; the turn in a task
	Done   string // the file that a coder of a task creates to end early
}

// CheckPass returns an error in words for a name that --pass-env may not
// pass: the key of the endpoint, what snodo itself is told, and what would
// turn git's commands to another repository.
func CheckPass(name string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00"):
		return fmt.Errorf("pass environment variable %q: that is no name", name)
	case name == "OPENAI_API_KEY":
		return fmt.Errorf("pass environment variable %s: the endpoint's key is for judges and never reaches a command", name)
	case strings.HasPrefix(name, "SNODO_"), strings.HasPrefix(name, "GIT_"):
		return fmt.Errorf("pass environment variable %s: what begins with SNODO_ or GIT_ is not passed on", name)
	}
	return nil
}

// Environment returns a child's environment: of environ (as os.Environ gives
// it) the usual variables, LC_*, the tool caches and those that pass names;
// and SNODO_RUN, SNODO_ATTEMPT and SNODO_DONE. Names in pass that CheckPass
// refuses are left out all the same.
func Environment(environ, pass []string, of Attempt) []string {
	wanted := map[string]bool{}
	for _, list := range [][]string{usual, caches, pass} {
		for _, name := range list {
			wanted[name] = CheckPass(name) == nil
		}
	}
	var env []string
	for _, variable := range environ {
		name, _, found := strings.Cut(variable, "=")
		if found && (wanted[name] || strings.HasPrefix(name, "LC_")) {
			env = append(env, variable)
		}
	}
	return append(env, "SNODO_RUN="+of.Run, "SNODO_ATTEMPT="+strconv.Itoa(of.Number), "SNODO_DONE="+of.Done)
}
