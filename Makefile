# make setup | demo | playground | test | browser | lint | bench | tables | fuzz | packages | consts | clean
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.niwaki-installed

.PHONY: setup setup-python setup-micropython demo test lint bench clean

# Python packages come over the network while compilers are installed and MicroPython is built.
setup: $(BIN)/pip
	@$(MAKE) --no-print-directory -j2 setup-python setup-micropython

setup-python: $(STAMP)

$(BIN)/pip:
	@PYTHONPATH=host $(PYTHON) -m niwaki_host.toolchain --venv $(VENV)

$(STAMP): pyproject.toml | $(BIN)/pip
	@echo "setup: installing Python packages into $(VENV)"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -e '.[dev]'
	@cd $(VENV) && ln -sfn lib/python3*/site-packages stubs  # where mcu/pyrightconfig.json finds the board's stubs
	@touch $@
	@echo "setup: Python packages are in $(VENV)"

setup-micropython:
	@PYTHONPATH=host $(PYTHON) -m niwaki_host.toolchain --install

demo: setup
	$(BIN)/niwaki demo

test: setup
	@PYTHONPATH=host $(PYTHON) -m niwaki_host.toolchain --wasm --browser
	$(BIN)/python -m pytest -q -n 2

# A sweep's report in Chromium, which is installed when we may; where there is none, the check is skipped.
.PHONY: browser
browser: setup-python
	@PYTHONPATH=host $(PYTHON) -m niwaki_host.toolchain --browser
	$(BIN)/python -m pytest -q tests/test_sweep_browser.py

# The page for a browser, as static files for any web server, into build/playground/.
.PHONY: playground
playground: setup-python
	@PYTHONPATH=host $(PYTHON) -m niwaki_host.toolchain --wasm
	$(BIN)/niwaki playground --out build/playground

lint: setup-python
	$(BIN)/ruff check .
	$(BIN)/ruff format --check mcu host tests benchmarks firmware_scripts
	$(BIN)/pyright
	$(BIN)/pyright -p mcu

bench: setup
	$(BIN)/niwaki bench

# Every table in benchmarks/results/ again (hours), or those in TABLES; DATA is a directory of real streams.
.PHONY: tables
tables: setup
	$(BIN)/python benchmarks/run.py $(if $(DATA),--data $(DATA)) $(TABLES)

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +

# Two million hostile images: twenty minutes on two cores that have nothing else to do.
.PHONY: fuzz packages
fuzz: setup
	cd tests && ../$(BIN)/python -m support.fuzz_images 2000000

# What mip reads lists every module: write it anew when there is a new one.
packages: setup-python
	$(BIN)/python firmware_scripts/packages.py

# The names of the layouts, in each module of the device package that uses them.
.PHONY: consts
consts: setup-python
	$(BIN)/python firmware_scripts/consts.py
