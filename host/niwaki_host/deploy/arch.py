"""What a board runs: MicroPython's version, and the machine code that it takes."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from niwaki_host.deploy.link import Link

# sys.implementation._mpy >> 10, as in MicroPython's py/persistentcode.h
_ARCHITECTURES = (
    None,
    "x86",
    "x64",
    "armv6",
    "armv6m",
    "armv7m",
    "armv7em",
    "armv7emsp",
    "armv7emdp",
    "xtensa",
    "xtensawin",
    "rv32imc",
)
# For these the device package comes with machine code; the others run it as bytecode.
TARGETS = ("armv6m", "armv7m", "armv7emsp", "armv7emdp", "xtensawin", "rv32imc")
_PREDECESSORS = {"armv6": "armv6m", "armv7em": "armv7m"}
_MPY_VERSION = 6

_ASK = """
import gc, os, sys
i = sys.implementation
mpy = getattr(i, "_mpy", 0)
viper = 1
try:
    exec("import micropython\\n@micropython.viper\\ndef f() -> int:\\n return 1\\nf()")
except (SyntaxError, AttributeError, NotImplementedError):
    viper = 0
gc.collect()
version = ".".join([str(n) for n in i.version[:3]])
library = [p for p in sys.path if p.endswith("/lib") and not p.startswith("/rom")]
print(repr((i.name, version, getattr(i, "_machine", sys.platform), mpy, viper, gc.mem_free(), library)))
"""


@dataclass
class Machine:
    """What a board says about itself."""

    name: str
    version: str
    machine: str
    march: str | None  # None: bytecode only
    loads_mpy: bool
    free_heap: int
    library: str  # where modules go


def ask(link: Link) -> Machine:
    """Ask the board what it is."""
    name, version, machine, mpy, viper, free, libraries = parse(link.execute(_ASK))
    march = _ARCHITECTURES[mpy >> 10] if mpy >> 10 < len(_ARCHITECTURES) else None
    march = _PREDECESSORS.get(march or "", march)
    if march not in TARGETS or not viper:
        march = None
    return Machine(
        name, version, machine, march, mpy & 255 == _MPY_VERSION, free, libraries[0] if libraries else "/lib"
    )


def parse(printed: str) -> tuple:
    """What the board printed with repr."""
    return ast.literal_eval(printed.strip())
