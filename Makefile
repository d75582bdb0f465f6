# Conclave is built and tested with Go, Node and make on a Debian machine.
# Targets that make files depend on the files they are made of, so that a
# second run does nothing. `make help` lists what there is to do.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)

# Tools live beside the project, each at one exact version.
TOOLS := .cache/tools
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)
GOTESTSUM_VERSION := v1.13.0
GOTESTSUM := $(TOOLS)/gotestsum-$(GOTESTSUM_VERSION)

# The binary is static.
# Nothing reads the tables for debuggers, which are an eighth of the compiler's work.
# GOGC=400 makes each process of the compiler faster.
GO_BUILD := CGO_ENABLED=0 GOGC=400 go
GO_BUILD_FLAGS := -trimpath -buildvcs=false -gcflags=all=-dwarf=false

# What the binary is made of: Go files, and everything they may embed.
BINARY_INPUTS := go.mod go.sum web/doc.go web/embed.go web/manifest.go $(shell find api client cmd internal -type f ! -name '*_test.go' ! -path '*/testdata/*')
WEB_INPUTS := $(shell find web -type d \( -name node_modules -o -name dist -o -name docs -o -name e2e -o -name examples \) -prune -o \
	-type f ! -name '*.test.ts' ! -name '*.test.tsx' ! -name '*.md' ! -name doc.go ! -name embed.go ! -name manifest.go ! -name manifest_test.go -print)
WEB_MODULES := web/node_modules/.package-lock.json
WEB_DIST := web/meet/dist/index.html

# What the pages under /docs load, a package of its own: it shares only colours and the
# font with the interface.
DOCS_INPUTS := $(shell find web/docs -name node_modules -prune -o -type f -print 2>/dev/null)
DOCS_BUILT := $(if $(DOCS_INPUTS),.cache/docs-built)

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

.PHONY: build
build: bin/conclave ## Build the web interface and bin/conclave

.PHONY: run
run: build ## Build, then serve with a demo workspace; prints the address, a key and a room
	bin/conclave dev

bin/conclave: $(BINARY_INPUTS) $(WEB_DIST) $(DOCS_BUILT)
	$(GO_BUILD) build $(GO_BUILD_FLAGS) -ldflags '-s -w -X main.version=$(VERSION)' -o $@ ./cmd/conclave

$(WEB_MODULES): web/package-lock.json
	npm ci --prefix web --no-audit --no-fund
	@touch $@

$(WEB_DIST): $(WEB_MODULES) $(WEB_INPUTS)
	npm run build --prefix web
	@touch $@

.cache/docs-built: $(DOCS_INPUTS) web/ui/src/tokens.css
	npm ci --prefix web/docs --no-audit --no-fund
	npm run build --prefix web/docs
	@mkdir -p $(@D)
	@touch $@

.PHONY: test-deps
test-deps: ## Install what the tests need from Debian's packages, where it is missing
	scripts/install-test-deps

.PHONY: test
test: test-deps test-go test-web test-browser ## Run every test

# SQLite (C that was translated into Go) and cryptography are built without the race
# detector, because it would take a third of the time of the tests there.
UNWATCHED := '-gcflags=modernc.org/...=-race=false -d=checkptr=0 -dwarf=false' '-gcflags=golang.org/x/crypto/...=-race=false -d=checkptr=0 -dwarf=false'

# Without tables for debuggers, which no test reads, a test with the media server in it is
# linked in half the time.
UNDEBUGGED := -ldflags=-w -gcflags=all=-dwarf=false

# How the tests are built.
TESTED := -race $(UNDEBUGGED) $(UNWATCHED)

# Up to three tests that failed run once more, when the machine has nothing else to do
# (docs/decisions/0032-a-failed-test-runs-once-more-alone.md). gotestsum lists both.
AGAIN := --rerun-fails=1 --rerun-fails-max-failures=3

# The packages whose tests take longest come first.
PACKAGES := ./cmd/conclave ./internal/server ./...

# How many packages are tested or compiled at once. Tests wait a lot: with one package for
# each core, the cores were idle for a quarter of the time.
AT_ONCE := $(shell echo $$((2 * $$(nproc))))

# GOGC=400, for the compiler, the linker and the tests: with the race detector, collecting
# garbage is a tenth of the tests' processor time.
.PHONY: test-go
test-go: test-deps $(WEB_DIST) $(DOCS_BUILT) $(GOTESTSUM) ## Go: format, and the tests with real databases and the race detector
	@unformatted=$$(gofmt -l api client cmd internal web/*.go web/e2e/crowd web/e2e/distance web/client/generate web/webhook/generate); if [ -n "$$unformatted" ]; then \
		echo "These files are not formatted as gofmt formats them:"; echo "$$unformatted"; exit 1; fi
	GOGC=400 GORACE="suppressions=$(CURDIR)/scripts/race-known" scripts/with-services $(GOTESTSUM) --format pkgname $(AGAIN) --packages="$(PACKAGES)" -- \
		$(TESTED) -vet=off -timeout 20m -p $(AT_ONCE)

.PHONY: test-web
test-web: $(WEB_MODULES) ## Web: types, lint and unit tests
	npm run typecheck --prefix web
	npm run lint --prefix web
	npm test --prefix web

.PHONY: test-browser
test-browser: test-deps build ## Meetings between real browsers, against bin/conclave
	$(GO_BUILD) build $(GO_BUILD_FLAGS) -o bin/ ./web/e2e/crowd ./web/e2e/distance
	scripts/with-services npm run e2e --prefix web

.PHONY: check
check: check-generated test lint ## Everything: the tests, generated files up to date, all linters

.PHONY: check-generated
check-generated: ## Fail when a generated file is not what its generator makes now
	scripts/check-generated

.PHONY: lint
lint: lint-go $(WEB_MODULES) ## Lint Go and web code
	npm run lint --prefix web

# With the flags of the tests: so the packages, and what only tests need, are compiled
# once for both.
.PHONY: lint-go
lint-go: $(GOLANGCI)
	GOGC=400 GOFLAGS="$(TESTED)" $(GOLANGCI) run ./...

.PHONY: tools
tools: $(GOTESTSUM) $(GOLANGCI) ## Build the tools that test and lint Go

$(GOTESTSUM):
	@mkdir -p $(TOOLS)
	GOBIN=$(CURDIR)/$(TOOLS) $(GO_BUILD) install $(GO_BUILD_FLAGS) gotest.tools/gotestsum@$(GOTESTSUM_VERSION)
	@mv $(TOOLS)/gotestsum $@

$(GOLANGCI): # Two minutes, the first time.
	@mkdir -p $(TOOLS)
	GOBIN=$(CURDIR)/$(TOOLS) $(GO_BUILD) install $(GO_BUILD_FLAGS) github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(TOOLS)/golangci-lint $@

.PHONY: bench
bench: test-deps build ## Measure the service on both databases, and meetings in browsers; about twenty minutes
	$(GO_BUILD) build $(GO_BUILD_FLAGS) -o bin/ ./web/e2e/crowd ./web/e2e/distance
	CGO_ENABLED=0 scripts/with-services --durable go test $(GO_BUILD_FLAGS) -vet=off -run '^$$' -bench . -benchtime 2s ./internal/rest ./internal/schema ./internal/server/bench
	npm run bench --prefix web

# How long the long tests are: kills of the service on each database, the time without
# Redis, and the time in use.
KILLS ?= 200
OUTAGE ?= 60s
SOAK ?= 1h

# They measure the program that is delivered, so they run without the race detector.
LONG := CGO_ENABLED=0 scripts/with-services go test $(GO_BUILD_FLAGS) -vet=off -count=1 -v -timeout 0 ./cmd/conclave

.PHONY: test-long
test-long: test-failover test-outage test-kills test-soak ## The four long tests that follow: an hour and a quarter

.PHONY: test-failover
test-failover: test-deps $(WEB_DIST) $(DOCS_BUILT) ## PostgreSQL is lost, and its standby takes over; Redis likewise, in a running meeting
	$(LONG) -run '^TestAFailoverOfPostgreSQL'
	$(LONG:./cmd/conclave=./internal/media/livekit) -run '^TestAMeetingSurvivesAFailoverOfRedis$$'

.PHONY: test-outage
test-outage: test-deps $(WEB_DIST) $(DOCS_BUILT) ## Two nodes without Redis for a while: OUTAGE=60s
	CONCLAVE_TEST_OUTAGE=$(OUTAGE) $(LONG) -run '^TestRedisIsGone$$'
	CONCLAVE_TEST_REDIS_OUTAGE=$(OUTAGE) $(LONG:./cmd/conclave=./internal/media/livekit) -run '^TestAMeetingGoesOnWithoutRedis$$'

.PHONY: test-kills
test-kills: test-deps $(WEB_DIST) $(DOCS_BUILT) ## Kill the service and its media server again and again, on each database: KILLS=200
	CONCLAVE_TEST_KILLS=$(KILLS) $(LONG) -run '^TestNothingIsLostThroughKills$$'

.PHONY: test-soak
test-soak: test-deps $(WEB_DIST) $(DOCS_BUILT) ## Use a service for a long time, and see that it does not grow: SOAK=1h
	CONCLAVE_TEST_SOAK=$(SOAK) $(LONG) -run '^TestSoak$$'

# Packets of nonsense, or how long they are sent (DURATION=10m), and their seed.
PACKETS ?= 2000000
DURATION ?= 0
SEED ?= 1

.PHONY: fuzz-media
fuzz-media: build ## Send a running service nonsense: PACKETS=2000000, or DURATION=10m; SEED=1
	scripts/fuzz-media -nonsense.packets $(PACKETS) -nonsense.duration $(DURATION) -nonsense.seed $(SEED)

.PHONY: screenshots
screenshots: test-deps build ## Take the pictures of the interface into screenshots/
	npm run screenshots --prefix web

.PHONY: clean
clean: ## Remove everything that make made; data stays
	rm -rf bin screenshots .cache web/node_modules web/docs/node_modules
	git clean -qfdX web internal
