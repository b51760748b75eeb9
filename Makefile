# One front door for people and for CI. Plain `make` lists the targets.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
UV ?= uv
TESTS ?= tests
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# The pinned files are complete: --no-deps takes them as they are, and `pip check` proves it.
PIP_PINNED := $(PIP) install -qq --no-deps --require-hashes
# torch is apart from the hashed files, because each machine wants its own build (CPU or CUDA) of this version.
TORCH := torch==2.13.0
PYTHON_SOURCES := byogpu judge k3_decode migrations scripts server standin tests worker
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*' -not -path 'web/dist/*')
# A file's tests share fixtures; in the order of the folders the slow ones (byogpu, browser, containers) begin first.
IN_PARALLEL := -n 2 --dist loadfile --no-loadscope-reorder
NPM_CI := npm ci --no-audit --no-fund --loglevel error

.PHONY: help
help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-16s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: setup  ## Run the whole path on this machine, from a measurement to a judged pull request in the browser
	$(BIN)/byogpu demo $(ARGS)

.PHONY: test
test: setup-dev system-packages tests/contracts/node_modules/.stamp  ## Install what is missing, then run every test that needs no GPU
	npm --prefix web test
	CHROMIUM_PATH="$${CHROMIUM_PATH:-$$(command -v chromium)}" OMP_NUM_THREADS=1 \
	  scripts/with_services.py $(BIN)/python -m pytest -m "not gpu" $(IN_PARALLEL) $(TESTS)

.PHONY: faults
faults: setup-dev system-packages  ## Kill parts of a deployment at random moments, 100 times (half an hour); see docs/reliability.md
	PYTHONPATH=tests $(BIN)/python -m faults $(ARGS)

.PHONY: load
load: setup-dev system-packages  ## Measure a deployment under load on this machine (ten minutes); see docs/scaling.md
	PYTHONPATH=tests $(BIN)/python -m load $(ARGS)

.PHONY: fuzz
fuzz: setup-dev  ## Fuzz manifests, blobs, claims, archives and uploads, guided by coverage, for MINUTES=30 in all
	OMP_NUM_THREADS=1 $(BIN)/python tests/fuzz/campaign.py --minutes $(or $(MINUTES),30)

.PHONY: check
check: setup-dev  ## Check style, types, import contracts, Dockerfiles and documents
	$(BIN)/ruff check $(PYTHON_SOURCES)
	$(BIN)/ruff format --check $(PYTHON_SOURCES)
	$(BIN)/mypy
	$(BIN)/mypy scripts/*.py
	$(BIN)/lint-imports
	$(BIN)/hadolint containers/*/Dockerfile
	npm --prefix web run check
	$(BIN)/python -m pytest -q tests/project

.PHONY: contract
contract: setup-dev  ## Try the API as described and otherwise, alone and in chains: schemathesis against a server of its own, over 5,000 cases
	OMP_NUM_THREADS=1 $(BIN)/python scripts/check_contract.py --examples 20 $(ARGS)

.PHONY: fmt
fmt: setup-dev  ## Format the Python code and mend what the linter can mend
	$(BIN)/ruff check --fix $(PYTHON_SOURCES)
	$(BIN)/ruff format $(PYTHON_SOURCES)

.PHONY: setup
setup: .venv/.demo.stamp web/dist/index.html  ## Make .venv and build the dashboard: what the demo and the service need

.PHONY: setup-dev
setup-dev: .venv/.dev.stamp web/dist/index.html  ## The same, with what tests and checks need

.PHONY: system-packages
system-packages:  ## Install the Debian packages that the tests need (root or sudo)
	scripts/install_system_packages.sh

.PHONY: lock
lock:  ## Pin requirements/*.txt afresh from requirements/*.in (needs uv)
	scripts/lock_requirements.sh $(UV)

.PHONY: clean
clean:  ## Remove everything that the other targets made
	rm -rf .venv var web/dist web/node_modules tests/contracts/node_modules
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find $(PYTHON_SOURCES) -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/bin/python:
	scripts/require_tools.sh $(PYTHON)
	$(PYTHON) -m venv .venv

.venv/.demo.stamp: Makefile pyproject.toml requirements/build.txt requirements/server.txt requirements/eval.txt | .venv/bin/python
	@echo "Installing the Python packages (one or two minutes the first time)"
	$(PIP_PINNED) -r requirements/build.txt -r requirements/server.txt -r requirements/eval.txt
	$(PIP) install $(TORCH)
	$(PIP) install -qq --no-deps --no-build-isolation --editable .
	$(PIP) check
	@touch $@

.venv/.dev.stamp: Makefile pyproject.toml requirements/dev.txt requirements/gpu.txt | .venv/bin/python
	@echo "Installing the Python packages, with those for tests (one or two minutes the first time)"
	$(PIP_PINNED) -r requirements/dev.txt -r requirements/gpu.txt
	$(PIP) install $(TORCH)
	$(PIP) install -qq --no-deps --no-build-isolation --editable .
	$(PIP) check
	@touch .venv/.demo.stamp $@

web/node_modules/.stamp: web/package-lock.json | .venv/bin/python
	cd web && $(NPM_CI)
	@touch $@

web/dist/index.html: web/node_modules/.stamp $(WEB_SOURCES)
	npm --prefix web run build --silent
	@touch $@

tests/contracts/node_modules/.stamp: tests/contracts/package-lock.json
	cd tests/contracts && $(NPM_CI)
	@touch $@
