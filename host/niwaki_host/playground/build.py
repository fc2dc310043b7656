"""The playground as static files: page, scripts, MicroPython's wasm, the device's own sources."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import niwaki
from niwaki_host.device import models
from niwaki_host.playground.portable import ported
from niwaki_host.runtimes import package
from niwaki_host.streams import imu
from niwaki_host.toolchain import wasm

# Everything comes from the site itself; `wasm-unsafe-eval` lets it compile WebAssembly, and nothing else.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)
SITE = Path(__file__).parent / "site"
_PAGES = ("*.html", "*.css", "*.js", "*.txt")
_OFFLINE = "offline.js"  # keeps the site in the browser, so that it also works offline
_WATCHED = {"rate": 5, "bout": 10}  # as in `niwaki demo`: activities change often, which shows what is lost
_TO_TEACH = "grove"  # the model to start with: it does not forget the first gesture that a person taught
# The lab's modules that the page draws models with, and the functions that it calls.
_PORTED = {
    "niwaki_host.device.memory_map": ("memory_map",),
    "niwaki_host.inspect.export": ("export",),
}


def build(target: Path, report: Callable[[str], None] = wasm.say) -> list[Path]:
    """Write the site; returns its files. Nothing else in the directory is touched."""
    origin = wasm.ensure(report)
    target.mkdir(parents=True, exist_ok=True)
    for pattern in _PAGES:
        for path in SITE.glob(pattern):
            shutil.copyfile(path, target / path.name)
    for name in wasm.FILES:
        shutil.copyfile(origin / name, target / name)
    page = target / "index.html"
    page.write_text(page.read_text().replace("{{policy}}", POLICY).replace("{{version}}", niwaki.__version__))
    (target / "device.json").write_text(json.dumps(setting(), separators=(",", ":")))
    files = sorted(path for path in target.iterdir() if path.is_file())
    worker = target / _OFFLINE
    kept = " ".join(path.name for path in files if path.name in _written() and path != worker)
    worker.write_text(
        worker.read_text().replace("{{version}}", niwaki.__version__).replace("{{files}}", kept)
    )
    return files


def _written() -> set[str]:
    """Names of the site's files."""
    return {path.name for pattern in _PAGES for path in SITE.glob(pattern)} | {*wasm.FILES, "device.json"}


def setting() -> dict[str, Any]:
    """The setting that the worker reads first: sources for MicroPython, the models, the sensor."""
    return {
        "version": niwaki.__version__,
        "models": {name: {"class": cls, "fixed": fixed} for name, (cls, fixed) in models.MODELS.items()},
        "teach": _TO_TEACH,
        "sensor": sensor_tables(),
        "sources": sources(),
    }


def sensor_tables() -> dict[str, Any]:
    """The numbers of the simulated sensor: sensor.js has the same arithmetic, but no numbers of its own."""
    made = imu.Imu({**{name: param.default for name, param in imu.Imu.PARAMS.items()}, **_WATCHED})
    return {
        "name": "imu:" + ",".join(f"{name}={value}" for name, value in _WATCHED.items()),
        "features": made.feature_names,
        "classes": made.class_names,
        "bout": made.params["bout"],
        "rate": made.params["rate"],
        "shapes": imu.SHAPES.tolist(),
        "rates": imu.RATES.tolist(),
        "phases": imu.PHASES.tolist(),
        "countsPerG": imu.COUNTS_PER_G,
        "countsPerDps": imu.COUNTS_PER_DPS,
    }


def sources() -> dict[str, str]:
    """Python for MicroPython: the device package, what draws models, and what the page calls."""
    flat = package.flatten(package.sources())
    found = {path: package.strip(text) for path, text in flat.items()}
    found.update(ported(_PORTED))
    found["bench.py"] = (SITE / "python" / "bench.py").read_text()
    return found
