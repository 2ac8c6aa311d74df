# Everything one does with Onefold, one target each. `make` lists them.
#
# run, demo and build need Go and make alone. test also needs python3, for the
# emulator of AWS. Nothing needs credentials or an account.

GO     ?= go
PYTHON ?= python3

# ARGS go to the command: make run ARGS='-listen 127.0.0.1:8080'
ARGS     ?=
# FUZZTIME is how long each fuzz target runs.
FUZZTIME ?= 10s
# VULNDB is another vulnerability database, as file:///path or an address.
VULNDB   ?=

# STAGE is a deployment, such as prod. CONTEXT holds its settings for the CDK:
# CONTEXT='-c domain=api.example.com -c alarmEmail=ops@example.com'. They have to
# be the same each time, so keep them with the stage; docs/deploy.md lists them.
STAGE   ?=
CONTEXT ?=
# ARCH is what functions run on: arm64 or x86_64.
ARCH    ?= arm64
# DATA=delete-everything has make destroy delete the data too.
DATA    ?= keep

NPM    ?= npm
GOARCH_arm64  := arm64
GOARCH_x86_64 := amd64
FUNCTIONS     := $(notdir $(wildcard functions/*))
CDK           := infra/cdk/node_modules/.bin/cdk
CDK_STAMP     := infra/cdk/node_modules/.made-$(shell cksum <infra/cdk/package-lock.json 2>/dev/null | tr ' ' '-')
# jsii warns at each start of a Node whose support has ended, of the major
# versions that this variable does not list (its package check-node).
export JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION ?= 20

GOLANGCI_VERSION    := v2.15.0
GOVULNCHECK_VERSION := v1.9.0
GOLANGCI    := bin/tools/golangci-lint-$(GOLANGCI_VERSION)/golangci-lint
GOVULNCHECK := bin/tools/govulncheck-$(GOVULNCHECK_VERSION)/govulncheck

# Folders with Go in them that exist.
SOURCES := $(wildcard functions internal infra)
# Packages with goroutines of their own: the ones worth the race detector.
RACE := $(addprefix ./,$(addsuffix /...,$(wildcard internal/ledger/mem internal/ledger/bolt \
	internal/local internal/proof/localaws internal/lambdaio internal/idempotency internal/send \
	internal/crmsync internal/feedback internal/extract internal/ingest internal/console internal/send/evidence \
	internal/policy/versions internal/sweep)))

# The virtual environment is made again when its content would differ: the
# stamp's name is the checksum of the lock file and the version of Python.
VENV_KEY   := $(shell { cat internal/proof/localaws/requirements.txt; $(PYTHON) --version; } 2>/dev/null | cksum | tr ' ' '-')
VENV_STAMP := .venv/.made-$(VENV_KEY)

.DEFAULT_GOAL := help
.PHONY: help run demo eval build setup tools-present test test-race check fmt-check vet lint import-rule \
	verify-docs mod-check vuln fuzz badday kill mutate prove bench clean build-functions build-infra cdk-present synth bootstrap deploy destroy \
	cfn-lint deploy-local e2e host-functions smoke-aws test-crm

help: ## list the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z0-9-]+:.*## / {printf "  %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## the whole system in one process, on this machine (ARGS go to `onefold dev`)
	bin/onefold dev $(ARGS)

demo: build ## send the samples through a temporary system, check every invariant, exit
	bin/onefold demo $(ARGS)

eval: build ## how often the rules read right, on the labelled mails set aside (ARGS='-half open -misses')
	bin/onefold eval $(ARGS)

build: ## build bin/onefold
	@command -v $(GO) >/dev/null || { echo "go is missing: install Go 1.26 or later" >&2; exit 1; }
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -o bin/onefold ./internal/cmd/onefold

build-functions: ## build every function for ARCH (arm64, x86_64), the same bytes each time
	@[ -n "$(GOARCH_$(ARCH))" ] || { echo "ARCH is arm64 or x86_64, not $(ARCH)" >&2; exit 2; }
	@for f in $(FUNCTIONS); do \
		mkdir -p bin/functions/$(ARCH)/$$f && \
		CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH_$(ARCH)) $(GO) build -trimpath -buildvcs=false -tags lambda.norpc \
			-ldflags '-s -w -buildid=' -o bin/functions/$(ARCH)/$$f/bootstrap ./functions/$$f || exit 1; \
	done

build-infra:
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -o bin/infra ./infra

cdk-present: $(CDK_STAMP)

$(CDK_STAMP):
	@command -v node >/dev/null && command -v $(NPM) >/dev/null || \
		{ echo "node and npm are missing: install Node 20 or later, for the CDK" >&2; exit 1; }
	@echo "==> install the CDK from infra/cdk/package-lock.json"
	@$(NPM) --prefix infra/cdk ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

synth: build-functions cdk-present ## write the CloudFormation templates of STAGE (or of a stage named test) to cdk.out
	@$(CDK) synth --quiet --no-notices -c stage=$(or $(STAGE),test) -c architecture=$(ARCH) $(CONTEXT)

# --app '': the app needs a stage, and the bootstrap stack is of none.
bootstrap: cdk-present ## make the CDK's own stack, once for each account and region: AT=aws://111122223333/eu-west-1
	@[ -n "$(AT)" ] || { echo "AT is missing, as in: make bootstrap AT=aws://111122223333/eu-west-1" >&2; exit 2; }
	@$(CDK) bootstrap --no-notices --app '' '$(AT)'

deploy: build build-functions cdk-present ## deploy STAGE to AWS: look at the account first, say what will happen, ask
	@STAGE='$(STAGE)' ARCH='$(ARCH)' CDK='$(CDK)' infra/scripts/deploy $(CONTEXT)

destroy: build cdk-present ## take STAGE down and keep its data (DATA=delete-everything: delete that too)
	@STAGE='$(STAGE)' ARCH='$(ARCH)' CDK='$(CDK)' DATA='$(DATA)' infra/scripts/destroy $(CONTEXT)

smoke-aws: build ## look on a deployed STAGE for what only AWS itself can show (ARGS go to `onefold smoke`)
	@bin/onefold smoke -stage '$(STAGE)' $(ARGS)

# What a deployment on this machine is made of: functions for this machine.
HOST_ARCH = $(if $(filter arm64,$(shell $(GO) env GOARCH)),arm64,x86_64)
host-functions: setup build-infra cdk-present
	@echo "==> build the functions for $(HOST_ARCH)"
	@$(MAKE) --no-print-directory build-functions ARCH=$(HOST_ARCH)

deploy-local: host-functions ## deploy to an emulator of AWS on this machine, until Ctrl-C (Linux)
	@CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -o bin/deploylocal ./internal/cmd/deploylocal
	@bin/deploylocal

e2e: host-functions ## deploy likewise, drive it from outside, kill its functions, check ledger and roles (8 minutes; Linux)
	@echo "==> end to end"
	$(GO) test ./internal/proof/localdeploy -count=1 -timeout 12m -v -run 'TestDeployedSystem$$' -e2e $(ARGS)

tools-present:
	@command -v $(GO) >/dev/null || { echo "go is missing: install Go 1.26 or later" >&2; exit 1; }
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) is missing: install Python 3.11 or later" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is too old: install Python 3.11 or later, or name one with PYTHON=" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv: install its venv package (python3-venv on Debian and Ubuntu)" >&2; exit 1; }

setup: tools-present $(VENV_STAMP) ## make .venv with the pinned emulator of AWS

$(VENV_STAMP): | tools-present
	@echo "==> make .venv from internal/proof/localaws/requirements.txt"
	@rm -rf .venv
	@$(PYTHON) -m venv .venv
	@.venv/bin/python -m pip install --quiet --no-input --disable-pip-version-check \
		--require-hashes --no-deps --only-binary=:all: -r internal/proof/localaws/requirements.txt
	@touch $@

test: setup vet ## every test, the emulated AWS included
	@echo "==> test"
	$(GO) test -timeout 15m ./...

test-race: setup ## the concurrent packages under the race detector (needs a C compiler)
	@command -v "$$($(GO) env CC)" >/dev/null || { echo "the race detector needs a C compiler: install gcc or clang" >&2; exit 1; }
	@echo "==> test under the race detector"
	CGO_ENABLED=1 $(GO) test -race -short -timeout 10m $(RACE)

# CRM_PYTHON is the Python to take, such as one that is not on the path.
CRM_PYTHON ?=
test-crm: ## the CRM contract on a real CRM, with faults (5 minutes, the first time 10; PostgreSQL, Redis, Python 3.12; Linux)
	@internal/proof/scripts/crm $(CRM_PYTHON)
	@echo "==> test on a real CRM"
	$(GO) test ./internal/proof/bottlecrm -count=1 -timeout 25m -v -run 'TestRealCRM$$' -crm $(ARGS)

check: fmt-check vet lint import-rule verify-docs mod-check cfn-lint ## all that is checked without running the system

fmt-check:
	@echo "==> gofmt"
	@found="$$(find $(SOURCES) -name node_modules -prune -o -name '*.go' -exec gofmt -l {} +)"; [ -z "$$found" ] || { echo "not formatted, run gofmt -w:"; echo "$$found"; exit 1; }

vet:
	@echo "==> vet"
	@$(GO) vet ./...

lint: $(GOLANGCI) ## golangci-lint, pinned, with .golangci.yml
	@echo "==> lint"
	@$(GOLANGCI) run ./...

import-rule:
	@echo "==> import rule"
	@$(GO) test ./internal/proof/importrule

verify-docs: ## generated documents are what their generators write
	@echo "==> generated documents"
	@internal/proof/scripts/verify-docs

cfn-lint: setup build-infra ## the templates, judged by cfn-lint
	@echo "==> cfn-lint"
	@infra/scripts/cfn-lint .venv/bin/cfn-lint

mod-check:
	@echo "==> module files"
	@$(GO) mod tidy -diff
	@$(GO) mod verify

vuln: $(GOVULNCHECK) ## known vulnerabilities (status 75: the database cannot be reached)
	@internal/proof/scripts/vuln $(GOVULNCHECK) $(VULNDB)

kill: build ## kill `onefold dev` 50 times while 2,000 deliveries are sent (about 5 minutes)
	$(GO) test ./internal/cmd/onefold -run TestSIGKILL -v -count=1 -timeout 30m -kills 50 -deliveries 2000

mutate: ## break the protocol in one place at a time: a test must notice each (10 minutes; ARGS='-only ses')
	nice $(GO) test ./internal/proof/mutation -run TestEveryBreakageIsCaught -v -count=1 -timeout 2h -all $(ARGS)

prove: setup ## play 100,000 and more schedules of crashes, races and lost records (about 5 minutes on 2 cores)
	$(GO) test ./internal/proof/scenario -count=1 -timeout 40m -v -run 'TestProve$$' -prove

badday: ## 10,000 CRM operations of which one call in five goes wrong, with six hours without the CRM (half an hour)
	$(GO) test ./internal/crmsync -count=1 -timeout 2h -v -run BadDay -people 3334

fuzz: ## each fuzz target for FUZZTIME (10s)
	@internal/proof/scripts/fuzz $(FUZZTIME)

bench: ## reading mail beside the MIME library (fails above 1.3 times its time), and the rules (fails above 2 ms a mail)
	$(GO) test ./internal/reading/rawmail -run '^$$' -bench BesideOthers -benchtime 1x -count=1
	$(GO) test ./internal/operate/eval -run '^$$' -bench Rules -benchtime 1x -count=1

clean: ## remove what was built; the data of `make run` in .onefold stays
	rm -rf bin .venv .cache cdk.out infra/cdk/node_modules

$(GOLANGCI):
	@echo "==> build golangci-lint $(GOLANGCI_VERSION)"
	@GOBIN="$(CURDIR)/$(@D)" $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(GOVULNCHECK):
	@echo "==> build govulncheck $(GOVULNCHECK_VERSION)"
	@GOBIN="$(CURDIR)/$(@D)" $(GO) install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
