# Backbeat's everyday actions; `make` alone lists them.
#
# The settings below can be given on the command line, e.g.
#   make test VENV=/var/tmp/backbeat
# With VENV, OUT and LIBRARY elsewhere the source folder may be read-only.

PYTHON  ?= python3
VENV    ?= .venv
OUT     ?= out
LIBRARY ?= library

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.DELETE_ON_ERROR:

ifneq ($(words $(CURDIR) $(VENV)),2)
$(error make cannot handle spaces in a path; use a folder without them for both the source ($(CURDIR)) and VENV ($(VENV)))
endif

ENVIRONMENT := $(abspath $(VENV))
READY       := $(ENVIRONMENT)/.ready
# Says that a folder was made here, and may be emptied here.
OURS        := $(ENVIRONMENT)/.backbeat-environment
RUN         := $(ENVIRONMENT)/bin/python -m
PYTEST      := $(RUN) pytest -o cache_dir=$(ENVIRONMENT)/cache/pytest

# Every tool keeps its cache in the environment: the source may be read-only, and
# what one command has compiled the next one finds.
export BACKBEAT_COMPILED              := $(ENVIRONMENT)/compiled
export RUFF_CACHE_DIR                 := $(ENVIRONMENT)/cache/ruff
export MYPY_CACHE_DIR                 := $(ENVIRONMENT)/cache/mypy
export HYPOTHESIS_STORAGE_DIRECTORY   := $(ENVIRONMENT)/cache/hypothesis
# Runs are the same bit for bit on any number of cores, and two test processes do
# not fight over two cores.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
# A sourced ROS workspace puts its Python packages and pytest plugins before ours.
unexport PYTHONPATH PYTHONHOME
# What Python has made of a source file the next of a hundred processes finds.
unexport PYTHONDONTWRITEBYTECODE

# The stamp holds the places that the environment was made for: its scripts and its
# link to the source go stale when either is moved. An environment whose interpreter
# is gone counts as unmade.
PLACES := $(CURDIR) $(ENVIRONMENT)
ifneq ($(shell test -x "$(ENVIRONMENT)/bin/python" && cat "$(READY)" 2>/dev/null),$(PLACES))
.PHONY: $(READY)
endif

.PHONY: help
help: ## list these targets (default)
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1@\2/p' $(firstword $(MAKEFILE_LIST)) |
	while IFS=@ read -r name text; do printf '  make %-12s %s\n' "$$name" "$$text"; done
	echo
	echo "Settings: PYTHON=$(PYTHON) VENV=$(VENV) OUT=$(OUT) LIBRARY=$(LIBRARY)"

.PHONY: environment
environment: $(READY) ## install everything into VENV; the others do so too

.PHONY: demo
demo: $(READY) ## build the demo's behaviors, track them, write OUT/demo.html
	@"$(ENVIRONMENT)/bin/backbeat" demo --library "$(LIBRARY)" --out "$(OUT)"

.PHONY: cards
cards: $(READY) ## make robustness cards of all behaviors in LIBRARY; takes hours
	@"$(ENVIRONMENT)/bin/backbeat" card --library "$(LIBRARY)"

.PHONY: sample
sample: $(READY) ## disturb standing and a drummed phrase, in both engines
	@library="$(OUT)/sample"
	"$(ENVIRONMENT)/bin/backbeat" build .ci/still.yaml .ci/phrase.yaml --library "$$library"
	card=("$(ENVIRONMENT)/bin/backbeat" card still phrase --sample --library "$$library")
	"$${card[@]}" --seeds 2 --engine drake
	"$${card[@]}" --seeds 1 --engine mujoco

.PHONY: test
test: $(READY) ## run the everyday test suite
	@$(PYTEST) -n 2 --dist worksteal

.PHONY: lint
lint: $(READY) ## check style, types and the direction of imports
	@failed=
	$(RUN) ruff check . || failed+=" style"
	$(RUN) ruff format --check . || failed+=" format"
	$(RUN) mypy || failed+=" types"
	$(ENVIRONMENT)/bin/lint-imports --no-logo --cache-dir $(ENVIRONMENT)/cache/imports ||
	  failed+=" layers"
	if [ -n "$$failed" ]; then echo "make lint found faults in:$$failed" >&2; exit 1; fi

.PHONY: browser
browser: $(READY) ## check recordings and pages in Chromium, the slow checks left out
	@$(PYTEST) -m "browser and not slow" $$(grep -rl --include='test_*.py' mark.browser tests)

.PHONY: verify
verify: lint ## run every test, slow and browser ones too; not the benchmarks
	@$(PYTEST) -n 2 --dist worksteal -m "not benchmark"

.PHONY: fuzz
fuzz: $(READY) ## feed every reader of outside data for MINUTES (10); READER= names one
	@export BACKBEAT_FUZZ_MINUTES="$${MINUTES:-10}" BACKBEAT_FUZZ_READER="$${READER:-}"
	export BACKBEAT_FUZZ_FOLDER="$(OUT)/fuzz"
	$(PYTEST) -rA tests/fuzz

.PHONY: newcomer
newcomer: ## do what a newcomer does with what is committed; QUICK=--quick without tests
	@.ci/newcomer $(QUICK) "$(PYTHON)"

.PHONY: bench
bench: $(READY) ## run our benchmarks, one at a time
	@$(PYTEST) -m "benchmark and not peers"

.PHONY: bench-peers
bench-peers: $(READY) ## time other tools beside ours, in environments of their own
	@$(RUN) benchmarks.peers --library "$(LIBRARY)" --json "$(OUT)/peers.json"
	$(PYTEST) -m peers

.PHONY: docs
docs: $(READY) ## build pages and reference as HTML in OUT/docs, check links
	$(ENVIRONMENT)/bin/python docs/build_site.py "$(OUT)/docs"

.PHONY: tables
tables: $(READY) ## write tables and figures of pages that are made of the code
	@$(ENVIRONMENT)/bin/python docs/write_tables.py
	$(ENVIRONMENT)/bin/python docs/draw_diagrams.py

.PHONY: notebooks
notebooks: $(READY) ## evaluate notebooks whose code has changed; NAMES="03 05" those
	@PYTHONPATH="$(CURDIR)" $(RUN) notebooks.evaluate $(NAMES)

.PHONY: wheel
wheel: $(READY) ## build the wheel, compiled functions included, into OUT/wheel
	@$(RUN) hatchling build -t wheel -d "$(OUT)/wheel"

.PHONY: format
format: $(READY) ## put the source into the house style
	@$(RUN) ruff check --fix-only .
	$(RUN) ruff format .

.PHONY: lock
lock: ## choose the locked packages anew (needs uv)
	@command -v uv >/dev/null || { echo "uv is missing: pip install uv" >&2; exit 1; }
	# Without `fewest` uv locks a different Drake for each Python.
	uv pip compile pyproject.toml --group dev --universal --fork-strategy fewest \
	  --python-version 3.11 --generate-hashes --no-emit-index-url --upgrade \
	  --custom-compile-command "make lock" --output-file requirements.lock --quiet

.PHONY: clean
clean: ## remove the environment and caches; OUT and LIBRARY stay
	@if [ -e "$(OURS)" ]; then rm -rf "$(ENVIRONMENT)"; fi
	rm -rf .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache dist
	find models optimization behaviors mpc backbeat tests benchmarks docs notebooks \
	  -name __pycache__ -prune -exec rm -rf {} +

# --- the environment -----------------------------------------------------------------

# Runs on whatever `python3` is, so it is written for any Python.
define CHECK_PYTHON
import platform, sys
version = "%d.%d" % sys.version_info[:2]
if not (3, 11) <= sys.version_info[:2] <= (3, 14):
    sys.exit("Backbeat needs Python 3.11 to 3.14, and $(PYTHON) is %s. If a newer "
             "one is installed, name it: make PYTHON=python3.12" % version)
if sys.platform != "linux" or platform.machine() != "x86_64":
    sys.exit("Backbeat runs on Linux x86_64, for which Drake is published; this is "
             "%s %s." % (platform.system(), platform.machine()))
libc, number = platform.libc_ver()
if libc != "glibc" or tuple(map(int, number.split(".")[:2])) < (2, 34):
    sys.exit("Backbeat needs glibc 2.34 (Debian 12, Ubuntu 22.04 or later); this "
             "system has %s." % (" ".join((libc, number)).strip() or "another C library"))
try:
    import ensurepip, venv
except ImportError:
    sys.exit("This Python cannot make virtual environments. On Debian and Ubuntu: "
             "apt install python3-venv (or python%s-venv)" % version)
try:
    import ctypes
    ctypes.CDLL("libglib-2.0.so.0")
except (ImportError, OSError):
    sys.exit("Drake needs the system library libglib-2.0.so.0. On Debian and Ubuntu: "
             "apt install libglib2.0-0")
endef
export CHECK_PYTHON

# Changed requirements are installed over the old ones; anything else that is not
# ready, such as what an interrupted installation left, is made from nothing. The
# stamp goes first and comes last, so that only a complete environment has it.
$(READY): requirements.lock pyproject.toml
	@if ! command -v "$(PYTHON)" >/dev/null; then
	  echo "There is no '$(PYTHON)' here: apt install python3 python3-venv" >&2; exit 1
	fi
	"$(PYTHON)" -c "$$CHECK_PYTHON"
	cd "$(CURDIR)"
	if [ ! -e "$(OURS)" ] && [ -n "$$(ls -A "$(ENVIRONMENT)" 2>/dev/null)" ]; then
	  echo "$(VENV) holds files that make did not put there; remove it or choose" \
	    "another folder: make VENV=..." >&2; exit 1
	fi
	mkdir -p "$(ENVIRONMENT)"
	# Whatever this starts keeps the lock, even when make is killed: what works on the
	# environment ends before anything else begins to.
	exec 9>> "$(OURS)"
	if ! flock --nonblock 9; then
	  echo "Something else is at work on $(VENV); waiting until it is done."
	  flock 9
	  if [ "$$(cat "$@" 2>/dev/null)" = "$(PLACES)" ] &&
	    [ "$@" -nt requirements.lock ] && [ "$@" -nt pyproject.toml ]; then exit; fi
	fi
	if [ "$$(cat "$@" 2>/dev/null)" != "$(PLACES)" ] || [ ! -x "$(ENVIRONMENT)/bin/python" ]; then
	  echo "Making the environment in $(VENV): 1.8 GB, a minute or two."
	  find "$(ENVIRONMENT)" -mindepth 1 -maxdepth 1 ! -path "$(OURS)" -exec rm -rf {} +
	  "$(PYTHON)" -m venv "$(ENVIRONMENT)"
	fi
	rm -f "$@"
	$(RUN) pip install --disable-pip-version-check --no-input \
	  --require-hashes --only-binary :all: -r requirements.lock
	$(RUN) pip install --disable-pip-version-check --no-input --quiet \
	  --no-deps --no-build-isolation --editable .
	# A compiler from the package index where the system has none, 100 MB.
	if ! "$(ENVIRONMENT)/bin/python" -c "from backbeat.models.compiled.build import compilers as c; exit(not any(c()))"; then
	  $(RUN) pip install --disable-pip-version-check --no-input --quiet \
	    --only-binary :all: ziglang
	fi
	$(RUN) backbeat.models.compiled
	if ! "$(ENVIRONMENT)/bin/python" -c "import pydrake.common" >/dev/null 2>&1; then
	  "$(ENVIRONMENT)/bin/backbeat" doctor >&2 || true
	  echo "The environment is installed, but Drake does not load: see above." >&2; exit 1
	fi
	echo "$(PLACES)" > "$@"
