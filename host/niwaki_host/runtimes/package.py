"""The device package as it goes onto a runtime: stripped or not, compiled to `.mpy`."""

import re
import subprocess
import tempfile
from pathlib import Path

from niwaki_host.errors import DeviceError
from niwaki_host.toolchain import build

DRIVERS = Path(__file__).parent / "drivers"

_DECORATOR = re.compile(r"^([ \t]*)@micropython\.(?:viper|native)[ \t]*(?:#.*)?$", re.MULTILINE)


_CAST = re.compile(r"\bptr(?:8|16|32)\((at\[\d\])\)")


def strip(source: str) -> str:
    """Source without native decorators and casts, for runtimes that have bytecode only; line numbers stay.

    Annotations may stay: MicroPython does not evaluate them.
    """
    return _CAST.sub(r"\1", _DECORATOR.sub(r"\1", source))


def sources() -> dict[str, str]:
    """Text of every module of the device package, by its path on the device."""
    import niwaki

    root = Path(niwaki.__file__).parent
    return {f"niwaki/{path.relative_to(root)}": path.read_text() for path in sorted(root.rglob("*.py"))}


_KERNEL_IMPORT = re.compile(r"^from \.((?:tree|shrub)_\w+) import (\w+)\n", re.MULTILINE)
_CONST = re.compile(r"^(_\w+) = const\(.*\n", re.MULTILINE)


def bundle(files: dict[str, str]) -> dict[str, str]:
    """Put the kernels that a class always needs into the module of the class.

    On a board each module takes 200 bytes of heap by itself, for its names, its path and its table. The
    kernels' constants have equal values under equal names (tests/test_consts.py): one copy is enough.
    """
    files = dict(files)
    for owner in ("tree", "shrubs"):
        path = f"niwaki/{owner}.py"
        text = files.get(path, "")
        parts = {name: files.pop(f"niwaki/{name}.py") for name, _ in _KERNEL_IMPORT.findall(text)}
        if not parts:
            continue
        text = _KERNEL_IMPORT.sub("", text)
        constants = list(_CONST.finditer(text))
        seen = {line[1] for line in constants}
        bodies = []
        for part in parts.values():
            for line in part.partition("from micropython import const\n")[2].splitlines(keepends=True):
                constant = _CONST.match(line)
                if constant is None or constant[1] not in seen:
                    bodies.append(line)
                if constant:
                    seen.add(constant[1])
        head = constants[-1].end()
        files[path] = text[:head] + "".join(bodies) + text[head:]
        moved = re.compile(rf"^from \.(?:{'|'.join(parts)}) import", re.MULTILINE)
        files = {name: moved.sub(f"from .{owner} import", source) for name, source in files.items()}
    return files


def compiled(files: dict[str, str], march: str | None) -> dict[str, bytes]:
    """`.mpy` files: with machine code for `march` (x86, armv6m, armv7m, ...), bytecode alone for None."""
    cross = build.ensure("mpy-cross")
    files = bundle(files)
    result = {}
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "in.py", Path(name) / "out.mpy"
        for path, text in files.items():
            source.write_text(text if march else strip(text))
            native = [f"-march={march}"] if march else []
            command = [cross, *native, "-s", Path(path).stem, "-o", target, source]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise DeviceError(f"mpy-cross refuses {path}:\n{done.stderr.strip()}")
            result[str(Path(path).with_suffix(".mpy"))] = target.read_bytes()
    return result


def default_heap(budget: int) -> int:
    """64 KB, or the next power of two that holds the collector's tables, the model, and 30 KB beside it."""
    heap = build.DEFAULT_HEAP
    while heap - heap // 32 < budget + 30 * 1024:
        heap *= 2
    return heap
