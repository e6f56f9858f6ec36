# make run: a server with a demo store, from nothing but Python 3.11 and make.
# make test, lint, types, docs: what has to pass before a change is taken.

PORT ?= 8080
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Stamps: an environment is filled again only when what it is made from changed.
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development
# As many processes as there are cores; ARGS=-n0 runs in one, as a debugger needs it.
# Each takes half of the tests in their order, and steals from the other when done.
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet

# The first interpreter that is new enough; PYTHON=... takes another.
NEW_ENOUGH := import sys, ensurepip; sys.exit(sys.version_info < (3, 11))
CANDIDATES := python3 python3.14 python3.13 python3.12 python3.11 python
PYTHON ?= $(shell for python in $(CANDIDATES); do \
	"$$python" -c "$(NEW_ENOUGH)" >/dev/null 2>&1 && echo "$$python" && break; done)

.PHONY: help run test coverage lint format types docs bench proof clean

help:
	@echo "make run [PORT=8080] [STOREAPI_DATABASE_URL=...]   start a demo store"
	@echo "make test [ARGS='-k taxes']   all tests, on every database that answers"
	@echo "make coverage   the same, with the lines and branches not reached"
	@echo "make lint, make format, make types, make docs   checks"
	@echo "make bench   requests per second"
	@echo "make proof   orders of many clients, with dropped answers and killed workers"
	@echo "make clean   remove what was built; your data in var/ stays"

run: $(RUNTIME)
	@$(BIN)/storeapi quickstart --port $(PORT)

test: $(DEVELOPMENT)
	$(PYTEST) $(ARGS)

coverage: $(DEVELOPMENT)
	$(PYTEST) --cov --cov-report=term $(ARGS)

lint: $(DEVELOPMENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(DEVELOPMENT)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

types: $(DEVELOPMENT)
	$(BIN)/mypy

docs: $(DEVELOPMENT)
	$(BIN)/storeapi docs --check

bench: $(DEVELOPMENT)
	$(BIN)/python -m bench $(ARGS)

proof: $(DEVELOPMENT)
	$(BIN)/python -m tests.proof $(ARGS)

clean:
	rm -rf $(VENV) build dist *.egg-info .coverage
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then \
		echo "Python 3.11 or newer with venv is needed: install it (on Debian and" \
			"Ubuntu: apt-get install python3-venv), or name it: make PYTHON=..." >&2; \
		exit 1; \
	fi
	@echo "Making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

$(RUNTIME): requirements.txt setup.cfg pyproject.toml | $(BIN)/python
	@echo "Installing requirements.txt"
	@$(PIP) --requirement requirements.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

$(DEVELOPMENT): requirements-dev.txt $(RUNTIME)
	@echo "Installing requirements-dev.txt"
	@$(PIP) --requirement requirements-dev.txt
	@touch $@
