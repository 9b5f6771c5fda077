# `make run` and `make test` do all their own set-up.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.ready-to-run
READY := $(VENV)/.ready-to-test
DOCS := $(VENV)/.ready-for-docs
ARGS ?=
# Tests that wait do so for more than half of the time: six at once keep two cores busy, and one a core keeps more busy.
WORKERS ?= $(shell cores=$$(nproc 2>/dev/null || echo 2); echo $$((cores > 6 ? cores : 6)))

.PHONY: run fleet check check-1 check-2 check-3 check-4 quick waiting waiting-core waiting-plugins untested again test lint conformance sweep faults fuzz soak mutants packages docs release bench measure screenshots clean

run: $(RUN) tmux
	@$(BIN)/clawtap demo $(ARGS)

# Several machines in one list, to try on this one.
fleet: $(READY) tmux redis
	@$(BIN)/python .ci/fleet.py

# Without compiled modules each of the processes that the tests start would compile ours again.
unexport PYTHONDONTWRITEBYTECODE

# Workers collect all tests each, and report thousands of short ones for as much time as these take. So these are four
# runs of pytest side by side, each with its own tests; only those that wait have workers. With ARGS it is one run.
SIDE_BY_SIDE := $(MAKE) --no-print-directory --keep-going --jobs 6
# Those of the core that wait have all passed.
PASSED := .cache/waiting-passed
WAITS := tmux or browser or process or redis or slow
# The tests of real CLIs would all be skipped, once each worker had collected them in three seconds.
WAIT_IN_CORE := -m "$(WAITS)" --ignore tests/conformance tests
QUICK := -m "not ($(WAITS) or conformance)"
TESTS := $(filter-out tests/conformance/ tests/__pycache__/,$(wildcard tests/*/))
PART_1 := plugins $(wildcard tests/test_*.py)
PART_2 := $(addprefix tests/,$(addsuffix /,schemas server testing webui))
PART_3 := --numprocesses 4 --dist worksteal tests/runtime/
PART_4 := $(filter-out $(PART_2) $(PART_3),$(TESTS))

# The inner loop: everything that needs no tmux, no browser and no process of its own.
check: lint
	@$(if $(strip $(ARGS)),$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal $(QUICK) $(ARGS), \
		$(SIDE_BY_SIDE) $(if $(filter output-sync,$(.FEATURES)),--output-sync) quick)

quick: check-1 check-2 check-3 check-4

check-1 check-2 check-3 check-4: check-%:
	@$(BIN)/pytest --quiet --override-ini cache_dir=.cache/quick-$* $(QUICK) $(PART_$*)

# Runs side by side, since each worker collects and holds all tests of its run: so the few of the plugins that wait have
# no workers. With ARGS it is one run.
test: untested $(READY) tmux redis chromium
	@$(if $(strip $(ARGS)),$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal $(ARGS), \
		$(SIDE_BY_SIDE) quick waiting)

untested:
	@rm -f $(PASSED)

waiting: waiting-core waiting-plugins

waiting-core: untested
	@$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal $(WAIT_IN_CORE)
	@touch $(PASSED)

waiting-plugins:
	@$(BIN)/pytest --quiet --override-ini cache_dir=.cache/waiting-plugins -m "$(WAITS)" plugins

# What failed once more: the short runs as a whole, and of the long one each test that failed, one after another.
again:
	@$(SIDE_BY_SIDE) quick waiting-plugins
	@test -e $(PASSED) || $(BIN)/pytest --last-failed --last-failed-no-failures none $(WAIT_IN_CORE)

lint: $(READY)
	@$(BIN)/ruff format --check . && $(BIN)/ruff check . && $(BIN)/mypy

conformance: $(READY) tmux
	@.ci/conformance $(BIN)/pytest $(ARGS)

# The main job on each real CLI, both versions (conformance-claude) or one (conformance-claude-2.1.85):
# what CI runs of the conformance suite.
conformance-%: $(READY) tmux
	@.ci/conformance $(BIN)/pytest $(addprefix -k ,$(CLI_VERSION)) \
		$(wildcard $(addprefix tests/conformance/$(CLI)/test_,$(addprefix $(CLI)_,$(SLICE)) $(SLICE)))
CLI = $(firstword $(subst -, ,$*))
CLI_VERSION = $(word 2,$(subst -, ,$*))
SLICE := permissions.py questions.py plans.py messages.py

# Other versions of a CLI by `clawtap doctor --live`, a line each: ARGS="claude 2.1.150 2.1.240".
sweep: $(READY) tmux
	@PYTHONPATH=tests/lab $(BIN)/python tests/lab/version_sweep.py $(ARGS)

# Kills, breaks and loads all that tests/faults can; `make test` runs a slice of it.
faults: $(READY) tmux
	@$(BIN)/pytest tests/faults --faults $(ARGS)

# Every adapter's recordings, altered at random for MINUTES (10).
fuzz: $(READY)
	@$(BIN)/pytest tests/screens/test_screen_fuzz.py -s --fuzz-minutes $(or $(MINUTES),10) $(ARGS)

# 50 sessions that ask for MINUTES (60); with ARGS=--conformance three real CLIs are among them.
soak: $(READY) tmux
	@$(BIN)/pytest tests/faults/test_soak.py --faults -s --soak-minutes $(or $(MINUTES),60) $(ARGS)

# Changes the most delicate modules, one thing at a time: its tests must notice. ARGS=identity for one module.
mutants: $(READY) tmux
	@$(BIN)/python .ci/mutants.py $(ARGS)

packages: $(READY)
	@$(BIN)/python .ci/packages.py

# The site of docs/ and the man page, with every warning an error: a page that no menu has, a link that leads nowhere.
docs: $(DOCS)
	@$(BIN)/python .ci/adapter_api.py
	@$(BIN)/mkdocs build
	@$(BIN)/python .ci/man_page.py

release: $(READY) tmux
	@$(BIN)/python .ci/release.py $(VERSION) $(if $(COMMIT),--commit)

measure: $(READY)
	@$(BIN)/python .ci/measure.py $(ARGS)

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

$(DOCS): requirements-docs.txt $(RUN)
	@.ci/setup venv "$(PYTHON)" "$(VENV)" requirements-docs.txt
	@touch $(DOCS)

.PHONY: tmux redis chromium
tmux redis chromium:
	@.ci/setup $@ "$(VENV)"

clean:
	rm -rf $(VENV) build man .tox .cache .mypy_cache .ruff_cache
