"""`python -m niwaki_host.toolchain [--install]`: bring MicroPython, and what it needs, to this machine.

With --install also the system packages, when we are root and apt is there. What can't be had is reported, and
is no failure: the runtimes that need it say so when they are used. Instead of all that --wasm brings npm and
MicroPython's WebAssembly build, --browser Chromium, --riscv a compiler for RISC-V, --venv DIR a virtual
environment.
"""

import importlib
import subprocess
import sys
import threading

from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import aptsource, build, system, wasm


def report(message: str) -> None:
    print(f"setup: {message}", flush=True)


def _fetch() -> bool:
    try:
        build.source(report)
    except RuntimeMissing as error:
        report(f"skipped MicroPython, there is no source: {error}")
        return False
    return True


def _venv(directory: str) -> int:
    """Make the virtual environment that all else goes into."""
    if not system.VENV.present():
        system.install(report, [system.VENV])
        importlib.invalidate_caches()
    if not system.VENV.present():
        report(f"no {system.VENV.label} here; on Debian: apt-get install {' '.join(system.VENV.packages)}")
        return 2
    report(f"creating {directory}")
    return subprocess.run([sys.executable, "-m", "venv", directory]).returncode


def _wasm() -> None:
    if not wasm.present():
        system.install(report, [system.NEEDS["npm"]])
    try:
        report(f"MicroPython for WebAssembly is in {wasm.ensure(report)}")
    except RuntimeMissing as error:
        report(f"skipped MicroPython for WebAssembly: {error}")


def main() -> int:
    if sys.argv[1:2] == ["--venv"]:
        return _venv(sys.argv[2])
    others = {
        "--wasm": _wasm,
        "--browser": lambda: system.install(report, [system.BROWSER]),
        "--riscv": lambda: system.install(report, [system.NEEDS["riscv"]]),
    }
    if asked := [others[word] for word in sys.argv[1:] if word in others]:
        for bring in asked:
            bring()
        return 0
    if "--install" in sys.argv[1:]:
        early = system.NEEDS["make"].present() and aptsource.obstacle() is None
        fetching = threading.Thread(target=_fetch if early else lambda: None)
        fetching.start()  # the download and apt's work overlap
        system.install(report)
        fetching.join()
    for component in build.NEEDS if _fetch() else ():
        try:
            report(f"{component} is in {build.ensure(component, report=report)}")
        except RuntimeMissing as error:
            report(f"skipped {component}: {error}")
    if why := system.missing(("qemu",)):
        report(f"the cortex-m3 runtime will not work: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
