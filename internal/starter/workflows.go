package starter

// A Workflow is a file by which a forge checks the protocol, and judges change
// requests by the protocol of the branch that they are for.
type Workflow struct{ Path, Text string }

// Workflows are those that can be written, by the forge.
//
// Both judge what merging would make of the branch, against the newest commit of
// that branch: so it is that commit's protocol which judges, however old the
// commit is that the change request began with, and what the branch has gained
// since is no part of the change.
var Workflows = map[string]Workflow{
	"github": {".github/workflows/snodo.yml", `# The protocol is checked, and every pull request is judged by the protocol of
# the branch that it is for. The secret OPENAI_API_KEY and the variables
# OPENAI_BASE_URL and SNODO_MODEL are those of the repository.
name: snodo
on:
  pull_request:
    types: [opened, synchronize, reopened, edited]
permissions:
  contents: read
jobs:
  judge:
    runs-on: ubuntu-latest
    steps:
      # What is checked out is the merge of the pull request: HEAD^1 is the branch
      # that it is for.
      - uses: actions/checkout@v4
        with:
          fetch-depth: 0
          persist-credentials: false
      # What the checks of the protocol need is set up here, too.
      - uses: actions/setup-go@v5
        with:
          go-version: stable
      - run: go install github.com/snodo-lang/snodo/cmd/snodo@latest
      - run: snodo check --strict --format github --against HEAD^1
      - run: printf '%s\n\n%s\n' "$TITLE" "$BODY" > ../task.md
        env:
          TITLE: ${{ github.event.pull_request.title }}
          BODY: ${{ github.event.pull_request.body }}
      - run: snodo run --task-file ../task.md --work HEAD --base HEAD^1
        env:
          OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}
          OPENAI_BASE_URL: ${{ vars.OPENAI_BASE_URL }}
          SNODO_MODEL: ${{ vars.SNODO_MODEL }}
      - uses: actions/upload-artifact@v4
        if: always()
        with:
          name: snodo-runs
          path: .snodo/runs
          include-hidden-files: true
          if-no-files-found: ignore
`},
	"gitlab": {".gitlab-ci.yml", `# The protocol is checked, and every merge request is judged by the protocol of
# the branch that it is for. OPENAI_API_KEY (masked), OPENAI_BASE_URL and
# SNODO_MODEL are variables of the project.
judge:
  # What the checks of the protocol need is in the image, too.
  image: golang:latest
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: 0
  script:
    - go install github.com/snodo-lang/snodo/cmd/snodo@latest
    # What is judged is what merging would give.
    - git fetch origin "$CI_MERGE_REQUEST_TARGET_BRANCH_NAME"
    - git -c user.name=snodo -c user.email=snodo@localhost merge --no-edit FETCH_HEAD
    - snodo check --strict --against FETCH_HEAD
    - printf '%s\n\n%s\n' "$CI_MERGE_REQUEST_TITLE" "$CI_MERGE_REQUEST_DESCRIPTION" > ../task.md
    - snodo run --task-file ../task.md --work HEAD --base FETCH_HEAD
  artifacts:
    when: always
    paths:
      - .snodo/runs
`},
}
