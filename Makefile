# `make` lists the targets. Everything lives in .venv, which `make setup` builds from pyproject.toml.

PYTHON ?= python3
JOBS ?= 2
SECONDS ?= 1800
PART ?=
ROOM ?=
SYSTEM ?= linux-$(shell uname -m)
LEVELS ?=
SOURCE ?= examples/famous_games.pgn
# The release whose wheel `make setup` takes machine code from if dist/ has no wheel; none is on PyPI yet.
RELEASE ?=
BIN := .venv/bin
# Where this variable is set, as in many images of Docker, each process of setwise would compile 500 modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo web test test-slow nightly mutants lint format bench spark wheel wheels wasm tactics proofs docs fuzz oldest clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# .venv/ready is the package alone; .venv/ready-dev and the like add an extra of pyproject.toml.
.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo 'setwise needs Python 3.11 or later; name one with: make PYTHON=python3.12 …' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo 'Python lacks its venv module; on Debian: apt install python3-venv' >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python .ci/install.py --quiet --editable '.[jit]'
	@[ -z "$(RELEASE)" ] || ls dist/*.whl >/dev/null 2>&1 || $(BIN)/python -m pip download --quiet --no-deps \
		--only-binary :all: --dest dist 'setwise==$(RELEASE)' || true
	@$(BIN)/python -c "$$CODE"
	@touch $@

.venv/ready-%: .venv/ready
	$(BIN)/python .ci/install.py --quiet --editable '.[$*]'
	@touch $@

setup: .venv/ready-dev ## build .venv with everything that the targets below need

demo: .venv/ready ## the main jobs, on the famous games of examples/
	$(BIN)/setwise demo

web: .venv/ready-web ## the workbench in a browser, on the famous games or on SOURCE
	$(BIN)/setwise web $(SOURCE)

test test-slow nightly: export SETWISE_CPU = jit
PYTEST = $(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder

test: setup ## the tests and examples that one runs after every change
	$(BIN)/setwise warmup
	$(PYTEST) -m 'not slow'

test-slow: setup ## those that need browsers, servers, Spark, compilers, foreign wheels
	$(BIN)/setwise warmup
	$(PYTEST) -m slow

nightly: export SETWISE_TESTS = night
nightly: setup ## all tests as deep as they go: hours; PART=tests/test_doors.py is one file of them
	$(BIN)/setwise warmup
	$(PYTEST) $(PART)

mutants: setup ## is the suite strong? small faults, one after another, each of which it must catch; ROOM=corpus for some
	$(BIN)/python tests/mutants/run.py $(if $(ROOM),--room $(ROOM))

lint: setup ## style, types, layers
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: setup ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: setup ## setwise beside what a user would pick instead, or beside another checkout of it (AGAINST=path)
	$(BIN)/python benchmarks/run.py $(if $(AGAINST),--against "$(AGAINST)")

spark: setup .venv/ready-spark ## the same questions asked of a small cluster and of one machine, a worker killed among them
	$(BIN)/python benchmarks/cluster.py

wheel: setup ## a wheel with machine code for this machine's kind of processors, into dist/
	SETWISE_SYSTEM=$(SYSTEM) SETWISE_LEVELS="$(LEVELS)" $(BIN)/python -m hatchling build -t wheel -d dist
	@ls -sh dist/*.whl
	@$(BIN)/python -c "$$CODE"

wheels: ## the same for every system that wheels are published for
	for system in linux-x86_64 linux-aarch64 windows-x86_64 macos-x86_64 macos-arm64; do \
		$(MAKE) wheel SYSTEM=$$system || exit 1; done

wasm: setup ## every pattern as a package for JavaScript, into build/wasm
	SETWISE_CPU=jit $(BIN)/python javascript/webassembly.py build/wasm
	@ls -sh build/wasm

tactics: setup ## are tactical columns true? Stockfish and tagged puzzles say; PUZZLES=file measures recall on all of a file
	$(BIN)/python benchmarks/tactics.py $(if $(PUZZLES),--puzzles $(PUZZLES))
	$(BIN)/python benchmarks/themes.py $(if $(PUZZLES),--puzzles $(PUZZLES))

proofs: setup ## prove every pattern for all boards, and write the list that the pages show
	$(BIN)/python tests/helpers/proving.py

docs: setup ## build the documentation into site/
	$(BIN)/python -m sphinx --fail-on-warning --quiet --doctree-dir build/doctrees docs site
	@echo "the documentation begins at site/index.html"

fuzz: setup .venv/ready-fuzz ## throw made-up texts at every reader, for SECONDS (1800)
	$(BIN)/python fuzz/run.py --seconds $(SECONDS)

oldest: ## all tests with the oldest dependencies that pyproject.toml allows
	$(PYTHON) -m venv --clear .venv-oldest
	.venv-oldest/bin/python .ci/install.py --quiet --editable '.[dev]' $$($(PYTHON) -c "$$OLDEST")
	.venv-oldest/bin/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder

# The machine code of the newest wheel in dist/ that is for this system answers in the clone, too, where a definition is
# still the one that it was compiled from.
define CODE
import pathlib, platform, shutil, zipfile
from setwise.compiler.targets.levels import SYSTEMS
system = platform.system().lower().replace("darwin", "macos")
target = SYSTEMS.get(f"{system}-{platform.machine().lower().replace('amd64', 'x86_64')}")
wheels = pathlib.Path("dist").glob(f"setwise-*-{target.tag}.whl") if target else ()
for wheel in sorted(wheels, key=lambda it: it.stat().st_mtime)[-1:]:
    shutil.rmtree("src/setwise/compiler/code", ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall("src", [name for name in archive.namelist() if name.startswith("setwise/compiler/code/")])
endef
export CODE

define OLDEST
import tomllib
project = tomllib.load(open("pyproject.toml", "rb"))["project"]
for line in project["dependencies"] + project["optional-dependencies"]["jit"]:
    print(line.split(",")[0].replace(">=", "==") + ".*")
endef
export OLDEST

clean: ## remove everything that was built here
	rm -rf .venv .venv-oldest build dist site src/setwise/compiler/code .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
