package starter

// A Workflow is a file by which a forge checks the protocol, and judges change
// requests by the protocol of their base.
type Workflow struct{ Path, Text string }

// Workflows are those that can be written, by the forge.
var Workflows = map[string]Workflow{
	"github": {".github/workflows/snodo.yml", `# The protocol is checked, and every change request is judged by the protocol
# of its base. OPENAI_API_KEY, OPENAI_BASE_URL and SNODO_MODEL come from the
# repository's secrets and variables.
name: snodo
on:
  pull_request:
permissions:
  contents: read
jobs:
  judge:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
          ref: ${{ github.event.pull_request.head.sha }}
      - uses: actions/setup-go@v5
        with:
          go-version: stable
      - run: go install github.com/snodo-lang/snodo/cmd/snodo@latest
      - run: snodo check --strict --format github --against "origin/$GITHUB_BASE_REF"
      - run: printf '%s\n\n%s\n' "$TITLE" "$BODY" > ../task.md
        env:
          TITLE: ${{ github.event.pull_request.title }}
          BODY: ${{ github.event.pull_request.body }}
      - run: snodo run --task-file ../task.md --work HEAD --base "origin/$GITHUB_BASE_REF" --json
        env:
          OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}
          OPENAI_BASE_URL: ${{ vars.OPENAI_BASE_URL }}
          SNODO_MODEL: ${{ vars.SNODO_MODEL }}
`},
	"gitlab": {".gitlab-ci.yml", `# The protocol is checked, and every merge request is judged by the protocol of
# its base. OPENAI_API_KEY, OPENAI_BASE_URL and SNODO_MODEL are variables of the
# project.
judge:
  image: golang:latest
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: 0
  script:
    - go install github.com/snodo-lang/snodo/cmd/snodo@latest
    - git fetch origin "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
    - snodo check --strict --against FETCH_HEAD
    - printf '%s\n\n%s\n' "$CI_MERGE_REQUEST_TITLE" "$CI_MERGE_REQUEST_DESCRIPTION" > ../task.md
    - snodo run --task-file ../task.md --work HEAD --base FETCH_HEAD --json
`},
}
