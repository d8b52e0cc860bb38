# make demo    ask a few questions of the example library; no key, no network service
# make test    the fast tests
# make check   what CI checks: format, lint, types, import rule, docs in step, tests
# make docs    write the generated pages below docs/ anew
# make site    build the documentation as a site in build/site; any warning is an error
# make clean   remove the environment and everything made
#
# Needs Python 3.11 or later with venv. Another interpreter: make PYTHON=python3.12 test

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --disable-pip-version-check --quiet
PYTEST := $(BIN)/python -m pytest -q -n auto
CODE   := src tests scripts

# Tests start hundreds of child processes; without byte code each would compile everything anew.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test check format-check lint types imports docs docs-check site clean
.DELETE_ON_ERROR:

demo: $(VENV)/.core
	@scripts/demo.sh $(BIN)/fanshu

test: $(VENV)/.dev
	$(PYTEST) $(ARGS)

check: format-check lint types imports docs-check site test

format-check: $(VENV)/.dev
	$(BIN)/ruff format --check $(CODE)

lint: $(VENV)/.dev
	$(BIN)/ruff check $(CODE)

types: $(VENV)/.dev
	$(BIN)/mypy

imports: $(VENV)/.dev
	$(BIN)/lint-imports --no-logo

docs: $(VENV)/.dev
	$(BIN)/python scripts/docs.py

docs-check: $(VENV)/.dev
	$(BIN)/python scripts/docs.py --check

site: $(VENV)/.dev  # the builder's advice to move to its successor: docs/decisions/0019
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment with the tools for development serves the demo as well, so the two stamps
# are one way: .dev touches .core.
$(VENV)/.core: pyproject.toml | $(BIN)/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(PIP) --editable '.[dev]'
	@touch $(VENV)/.core $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "fanshu needs Python 3.11 or later; name one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { rm -rf $(VENV); echo "Python lacks venv; on Debian: apt-get install python3-venv"; exit 1; }
