# `make run` and `make test` do all their own set-up.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.ready-to-run
READY := $(VENV)/.ready-to-test
ARGS ?=
# Tests wait for most of the time: two at once on a small machine, no more than that on any.
WORKERS ?= 2

.PHONY: run test lint conformance bench screenshots clean

run: $(RUN) tmux
	@$(BIN)/clawtap demo $(ARGS)

test: $(READY) tmux chromium
	@$(BIN)/pytest --numprocesses $(WORKERS) --dist loadfile $(ARGS)

lint: $(READY)
	@$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy

conformance: $(READY) tmux
	@.ci/conformance $(BIN)/pytest $(ARGS)

# One version of the Gemini CLI, to run beside the other: they wait for most of the time.
gemini-%: $(READY) tmux
	@.ci/conformance $(BIN)/pytest tests/conformance/gemini -k $*

bench: $(READY) tmux
	@$(BIN)/python -m bench $(ARGS)

screenshots: $(READY) tmux chromium
	@$(BIN)/python tests/webui/screenshots.py $(ARGS)

$(RUN): setup.cfg requirements.txt $(wildcard plugins/*/setup.cfg)
	@.ci/setup venv "$(PYTHON)" "$(VENV)" requirements.txt
	@touch $(RUN)

$(READY): setup.cfg requirements-dev.txt $(wildcard plugins/*/setup.cfg)
	@.ci/setup venv "$(PYTHON)" "$(VENV)" requirements-dev.txt
	@touch $(RUN) $(READY)

.PHONY: tmux chromium
tmux chromium:
	@.ci/setup $@ "$(VENV)"

clean:
	rm -rf $(VENV) .tox .cache .mypy_cache .ruff_cache
