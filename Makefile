# make run · make console · make docs · make test · make check · make peers · make long · make bench · make cluster · make chaos ·
# make upgrade · make screenshots · make wheel · make sdist · make deb · make man · make image · make release · make sbom ·
# make audit · make generate · make setup · make help
# Everything is made inside this checkout: packages and extensions in .venv, peers in .peers, data in ./data.

BIN := .venv/bin
INSTALLED := .venv/.installed
FOR_WORK := .venv/.installed-for-work
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# An editable installation keeps the version that it was made with.
INSTALL_OURS = PYTHONWARNINGS=ignore $(INSTALL) --no-deps --no-build-isolation -e . && $(BIN)/python .ci/version.py full >$(VERSION)
BUILT := .venv/.built
BUILT_FOR_WORK := .venv/.built-for-work
# Three of the files that api.generators writes stand for all.
GENERATED := docs/openapi-ipam.json api/client/attributes.py api/ansible/meta/runtime.yml
VERSION := .venv/.version
PROBES := $(wildcard tests/extensions/*.pyx)
SOURCES := $(shell find dhcp_fast -name '*.pyx' -o -name '*.pxd' -o -name '*.h')
# Of the constants in dhcp_fast that setup.py writes; of what api.generators writes.
TABLES := $(wildcard ipam_core/dhcp/*.py ipam_core/dhcp/kinds/*.py)
DESCRIPTIONS := docs/openapi.json $(wildcard api/generators/*.py ipam_core/model/*.py)

PYTHON ?= $(shell .ci/interpreter)

.DEFAULT_GOAL := help
PYTEST := $(BIN)/pytest -q

# Some containers say that Python is to keep no bytecode. Here it would translate every test five times a run, and our
# own modules whenever a command starts.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help run setup generate test peers fetched long check check-types check-console check-docs check-lint check-tests bench cluster chaos upgrade console docs screenshots wheel sdist deb man image release sbom audit lock clean need version

help: ## List the commands
	@sed -n 's/^\([a-z]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

run: export IPAM_DATA_DIR ?= ./data
run: $(BUILT) version ## Build, start everything with a demonstration network, and build the console beside; Ctrl-C stops it
	@$(BIN)/python .ci/console_build.py beside & exec $(BIN)/ipam up --demo

setup: $(FOR_WORK) $(BUILT_FOR_WORK) $(GENERATED) version ## Create .venv with the compiled extensions and all locked packages, including those for tests and lint

test: setup ## Run the tests; peers are fetched into .peers, and nothing is installed on this host
	@tests/system/fetch_peers.sh
	@$(PYTEST) -n 4 -m "not long and not peers"

generate: setup ## Write the documents and files that follow from the code; after a change of models, routes, commands or options
	@$(BIN)/python -m api.write_documents docs
	@$(BIN)/python -m ipam_core.dhcp.catalogue docs
	@$(BIN)/python -m ipam_core.settings_reference docs
	@$(BIN)/python -m api.generators

peers: setup fetched ## Test against other programs: DNS servers, Active Directory, Patroni, ...
	@$(PYTEST) -n 4 -m peers

fetched: $(INSTALLED)
	@for which in "" dns ad cluster browser deploy image; do tests/system/fetch_peers.sh $$which; done

long: setup ## Run the tests that take minutes: failing servers and databases, sanitizers, packages, the load generator
	@tests/system/fetch_peers.sh
	@$(PYTEST) -n 6 -m "long and not peers"

check: setup ## Check formatting, lint, types and import rules, also of the console
	@$(MAKE) --no-print-directory --output-sync=target --jobs 2 check-types check-console check-docs check-lint check-tests

check-types:
	@$(BIN)/mypy

check-console:
	@$(BIN)/python .ci/console_build.py check

check-docs:
	@$(BIN)/python .ci/docs_build.py check

check-lint:
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@PATH="$(CURDIR)/$(BIN):$$PATH" cython-lint dhcp_fast tests/extensions
	@if test -x $(BIN)/hadolint; then $(BIN)/hadolint deploy/Containerfile; fi
	@$(BIN)/pytest -q tests/test_import_law.py

# That every test can be found; and once, before all processes of a run would compile them at the same time.
check-tests:
	@$(BIN)/pytest --collect-only -qq > /dev/null || $(BIN)/pytest --collect-only -q

bench: setup ## Run the benchmark with its audit; make bench BENCH="--peer kea" also measures Debian's Kea
	@case "$(BENCH)" in *kea*) tests/system/fetch_peers.sh ;; esac
	@$(BIN)/ipam bench $(BENCH)

cluster: setup ## Run a site on one host: PostgreSQL under Patroni, 3 DHCP servers, 2 APIs, DNS; needs root, Ctrl-C stops it
	@tests/system/fetch_peers.sh cluster
	@PYTHONPATH=tests $(BIN)/python -m cluster

chaos: setup ## Run that site under faults of every kind and judge it; make chaos CHAOS="--minutes 60 --seed 7"; needs root
	@tests/system/fetch_peers.sh cluster
	@PYTHONPATH=tests $(BIN)/python -m chaos $(CHAOS)

upgrade: setup ## Test the DHCP server of the last release on this schema, beside this version; compiles it from the history
	@$(PYTEST) -p no:xdist tests/upgrade/old_server.py

console: setup ## Build the console that the API serves at /console/; Node comes from PyPI, packages from the npm registry
	@$(BIN)/python .ci/console_build.py build

docs: setup ## Build the guides as a site with search, served at /docs/guide/; dead links and anchors fail the build
	@$(BIN)/python .ci/docs_build.py build

screenshots: setup ## Write screenshots of the console and their page into docs
	@tests/system/fetch_peers.sh browser
	@$(BIN)/pytest -q tests/console/screenshots.py

wheel: setup ## Build a wheel for this platform into dist; it needs no compiler to install
	@.ci/wheel $(BIN)/python dist

sdist: setup ## Build a source archive with the built console into dist; it needs no Node to install
	@$(BIN)/python .ci/build_backend.py dist
	@rm -rf ipam.egg-info

deb: setup ## Build a Debian package for this release of Debian into dist: /opt/ipam, units, /etc/ipam/ipam.toml
	@.ci/deb $(BIN)/python dist

man: setup ## Write the manual pages into dist/man; the Debian package contains them
	@$(BIN)/python -m api.write_man dist/man

image: $(INSTALLED) ## Build the container image with podman, buildah or docker into dist; reports if none of them works
	@.ci/image $(BIN)/python dist

release: setup ## Write a release into dist/VERSION: wheel, sdist, package, chart, image, bills of materials, notes, checksums
	@$(BIN)/python .ci/release.py make dist/$$($(BIN)/python .ci/version.py full)

sbom: setup ## Write bills of materials (CycloneDX) of the Python and npm packages into dist/sbom; wheel and deb contain them
	@$(BIN)/python .ci/sbom.py write dist/sbom

audit: setup ## Check the locked packages for known vulnerabilities; needs the internet
	@.ci/audit $(BIN)/python

LOCK := $(BIN)/uv pip compile --quiet --universal --generate-hashes --upgrade --custom-compile-command "make lock"

lock: $(INSTALLED) ## Update the lock files from pyproject.toml
	$(LOCK) --group build --output-file requirements-build.lock
	$(LOCK) --extra embedded --constraint requirements-build.lock --output-file requirements.lock pyproject.toml
	$(LOCK) --extra embedded --extra dev --group build --constraint requirements-build.lock --constraint requirements.lock \
		--output-file requirements-dev.lock pyproject.toml

clean: ## Remove everything that was built; keep the data
	rm -rf .venv .peers build dist *.egg-info api/console/node_modules api/console/built api/guide/built
	find dhcp_fast tests/extensions -name '*.so' -delete -o -name '*.c' -delete
	find api/ansible/plugins/modules -name '*.py' ! -name info.py -delete
	rm -f api/ansible/meta/runtime.yml api/client/attributes.py docs/openapi-ipam.json
	cd dhcp_fast && rm -f wire/codes.pxd wire/codes6.pxd wire/faults.pxd wire/faults6.pxd state/reasons.pxd

need:
	@.ci/need "$(PYTHON)"

$(INSTALLED): requirements-build.lock requirements.lock pyproject.toml setup.py | need
	@echo "Installing the runtime packages into .venv (once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@.ci/install $(BIN)/python requirements-build.lock requirements.lock
	@$(INSTALL_OURS)
	@touch $@

# Python reads metadata in the current folder before those in .venv, so those of an earlier build name another version.
version: $(INSTALLED)
	@rm -rf ipam.egg-info
	@test "$$($(BIN)/python .ci/version.py full)" = "$$(cat $(VERSION) 2>/dev/null)" || { $(INSTALL_OURS); }

$(FOR_WORK): requirements-dev.lock $(INSTALLED)
	@echo "Installing the packages for tests and lint"
	@.ci/install $(BIN)/python requirements-dev.lock
	@touch $@

$(GENERATED) &: $(DESCRIPTIONS) $(INSTALLED)
	@$(BIN)/python -m api.generators
	@touch $(GENERATED)

$(BUILT): $(SOURCES) $(TABLES) setup.py $(INSTALLED)
	@echo "Building the extensions on all cores (a minute on two, once)"
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

$(BUILT_FOR_WORK): $(BUILT) $(PROBES)
	@IPAM_PROBES=1 $(BIN)/python setup.py --quiet build_ext --inplace >/dev/null
	@touch $@
