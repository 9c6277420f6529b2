# make run · make test · make check · make bench · make setup · make help
# Everything is made inside this checkout: packages and extensions in .venv, peers in .peers, data in ./data.

BIN := .venv/bin
INSTALLED := .venv/.installed
BUILT := .venv/.built
SOURCES := $(shell find dhcp_fast -name '*.pyx' -o -name '*.pxd' -o -name '*.h')

# The first interpreter that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$p" && break; done)

.DEFAULT_GOAL := help
.PHONY: help run setup test check bench lock clean need

help: ## Say what each command does
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

run: export IPAM_DATA_DIR ?= ./data
run: setup ## Build, then start everything with a demonstration network; Ctrl-C stops it
	@$(BIN)/ipam up --demo

setup: $(INSTALLED) $(BUILT) ## Make .venv with the locked packages and the compiled extensions

test: setup ## Run every test; real peers are fetched into .peers, nothing is installed on this machine
	@tests/system/fetch_peers.sh
	@$(BIN)/pytest -q -n 3 --dist worksteal

check: setup ## Formatting, lint, types and the import law
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint dhcp_fast
	@$(BIN)/lint-imports
	@$(BIN)/pytest -q tests/test_import_law.py

bench: setup ## The storm and its audit; make bench BENCH="--peer kea" drives Debian's Kea beside it
	@case "$(BENCH)" in *kea*) tests/system/fetch_peers.sh ;; esac
	@$(BIN)/ipam bench $(BENCH)

lock: ## Write requirements.lock anew from pyproject.toml (needs uv)
	uv pip compile --quiet --universal --generate-hashes --extra dev --upgrade \
		--custom-compile-command "make lock" --output-file requirements.lock pyproject.toml

clean: ## Remove what was made, the data excepted
	rm -rf .venv .peers build *.egg-info
	find dhcp_fast -name '*.so' -delete -o -name '*.c' -delete

need:
	@.ci/need "$(PYTHON)"

$(INSTALLED): requirements.lock pyproject.toml setup.py | need
	@echo "Installing the locked packages into .venv (a minute, once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(BUILT): $(SOURCES) setup.py $(INSTALLED)
	@echo "Building the extensions"
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@
