# The two commands of the README are `make demo` and `make test`; both set up whatever they need.
# On Debian or Ubuntu, as root, missing system packages are installed; otherwise what is missing is
# named, and what needs it is skipped (or fails, when ROCM_CI_REQUIRE names it or says `all`).

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
PYTHON := $(VENV)/bin/python
WORKERS ?= $(shell nproc)
CHAOS ?= --write
FUZZ ?= -max_total_time=600 -max_len=20000

.PHONY: help demo test check unit lint types gen gen-check lock bench chaos fuzz clean

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

demo: ## the whole story on the bundled example, with the comment on the screen
	@tools/setup.sh demo
	@$(VENV)/bin/rocm-ci demo --output rocm-ci-demo

test: ## everything: style, types, unit, repository, real compilers, GitHub stand-in, act, Docker, browser
	@tools/setup.sh test
	@$(MAKE) --no-print-directory lint types gen-check
	@# By file: what a module sets up once (the demo, a Docker daemon) is set up once.
	@$(PYTHON) -m pytest -n $(WORKERS) --dist loadfile -q

check: lint types unit ## what to run before every commit: no downloads, no real parts

unit: ## unit, rule and repository tests
	@$(PYTHON) -m pytest -n $(WORKERS) -q tests/unit tests/rules tests/repo

lint: ## ruff, formatting
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .

types: ## mypy, strict
	@$(VENV)/bin/mypy

gen: ## write everything that is generated: schemas, rule pages, README tables
	@$(PYTHON) -m tools.generate

gen-check: ## fail if something generated is out of date
	@$(PYTHON) -m tools.generate --check

lock: ## renew the lock files: hashes, and no addresses
	@tools/lock.sh

bench: ## our own speed, one command per folder of bench/
	@for one in bench/*/run; do echo "== $$one"; PATH="$(CURDIR)/$(VENV)/bin:$$PATH" "$$one"; done

chaos: ## 200 misbehaving tests on four pretended GPUs: is each called what it is? (CHAOS=--seed N)
	@$(PYTHON) -m tools.chaos $(CHAOS)

fuzz: ## coverage-guided fuzzing of the scanner for ten minutes (FUZZ=-runs=N for another length)
	@$(PYTHON) -m pip install --quiet atheris
	@$(PYTHON) -m tools.fuzz $(FUZZ)

clean: ## remove everything that is not the source
	rm -rf $(VENV) .tools .demo rocm-ci-demo rocm-ci-out .mypy_cache .ruff_cache .pytest_cache
