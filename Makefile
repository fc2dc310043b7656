# make setup | demo | playground | site | test | browser | lint | bench | tables | fuzz | mutants | coverage
#      packages | consts | clean
#      dist | check-dist | check-guide | mpy | release
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

# Byte code is kept, whatever the environment says: else hundreds of processes compile the same packages again.
test: export PYTHONDONTWRITEBYTECODE :=
test: export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache
test: setup
	@PYTHONPATH=host $(PYTHON) -m niwaki_host.toolchain --wasm --browser --riscv
	$(BIN)/python -m pytest -q -n 2 --dist worksteal

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

# The guide as a site with the playground on its front page, into build/site/.
.PHONY: site
site: playground
	$(BIN)/python docs/site.py build/playground
	$(BIN)/mkdocs build --quiet --strict

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

# Changes of single lines, and which of them the fast tests notice; lines and branches that run on CPython.
.PHONY: mutants coverage
SEED ?= 1
COUNT ?= 400
mutants: setup-python
	$(BIN)/python benchmarks/mutants.py --seed $(SEED) --count $(COUNT)

COVERING := golden policies policies_ensembles tree_input shrubs grove grove_tend fixed_point adwin adaptive \
	encoding window image generations labels asked merge fuzz edges kernel_edges hold
coverage: setup
	$(BIN)/python -m coverage run --branch --source=mcu/niwaki --data-file=build/coverage -m pytest -q \
		$(COVERING:%=tests/test_%.py) tests/support/mutants/device_suite.py \
		-k "not (micropython or cortex or wasm or viper or device_saves or board or is_missed)"
	$(BIN)/python -m coverage report --data-file=build/coverage --show-missing --skip-covered

# What mip reads lists every module: write it anew when there is a new one.
packages: setup-python
	$(BIN)/python firmware_scripts/packages.py

# The names of the layouts, in each module of the device package that uses them.
.PHONY: consts
consts: setup-python
	$(BIN)/python firmware_scripts/consts.py

# Wheel and sdist, into dist/. NIWAKI_REPOSITORY=https://HOST/OWNER/NAME gives the description absolute links.
.PHONY: dist check-dist mpy release
dist: setup-python
	rm -f dist/*.whl dist/*.tar.gz
	$(BIN)/python -m build --outdir dist

# In an environment that has nothing else, as a user gets it, from another directory: DIST is a wheel, or the source.
DIST ?= .
EMPTY := build/empty
EMPTY_BIN := $(CURDIR)/$(EMPTY)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
check-dist:
	rm -rf $(EMPTY) && $(PYTHON) -m venv $(EMPTY)
	$(EMPTY_BIN)/python -m pip install --quiet --disable-pip-version-check '$(DIST)[device]'
	cd $(EMPTY) && $(EMPTY_BIN)/niwaki demo && $(EMPTY_BIN)/niwaki simulate sea --limit 2000 && \
		$(EMPTY_BIN)/niwaki verify sea --limit 1000
	@if command -v qemu-system-arm > /dev/null; then $(MAKE) --no-print-directory check-dist-bare; \
		else echo "check-dist: no QEMU, so nothing was deployed"; fi

# The same without compilers and without a home that can be written to; then onto a board, which QEMU emulates.
BARE = env -i PATH=$(EMPTY_BIN) HOME=/dev/null $(EMPTY_BIN)/niwaki
.PHONY: check-dist-bare
check-dist-bare:
	cd $(EMPTY) && $(BARE) simulate sea --limit 2000 && $(BARE) verify sea --limit 500
	cd $(EMPTY) && { $(EMPTY_BIN)/python -m niwaki_host.deploy.emulated > port & board=$$!; trap "kill $$board" EXIT; \
		until [ -s port ]; do kill -0 $$board && sleep 1 || exit 1; done; \
		$(BARE) deploy --port "$$(cat port)" --budget 4k; }

# Every command of README and guide, as it is printed, with how long it took: some fifteen minutes.
.PHONY: check-guide
check-guide: setup
	$(BIN)/python -m pytest -q tests/guide.py

# .mpy files for every architecture, dist/mpy/ARCH_MPYVERSION/: what mip installs from a web server.
mpy: setup
	$(BIN)/python firmware_scripts/build.py --out dist/mpy
	cd dist && $(CURDIR)/$(BIN)/python -m zipfile -c niwaki-mpy.zip mpy

# Everything that a release has, after everything that it must pass. TAG must name the version.
release:
	@test "$(TAG)" = "v$$(sed -n 's/^__version__ = "\(.*\)"/\1/p' mcu/niwaki/__init__.py)" || \
		{ echo "release: TAG=v... must be the version in mcu/niwaki/__init__.py and CHANGELOG.md"; exit 2; }
	.ci/run
	$(MAKE) --no-print-directory check-guide dist mpy
	$(MAKE) --no-print-directory check-dist DIST="$$(echo dist/*.whl)"
