"""Native modules: a model's class with its kernels and methods as machine code from C, in one `.mpy`.

MicroPython's own tools do it (py/dynruntime.h, tools/mpy_ld.py and tools/mpy-tool.py of its source), with the
compiler of the architecture. If such a module is on the board, the package loads it instead of the class's
own module (`fetch` in mcu/niwaki/__init__.py): one can copy it beside any compiled package of its version.
A class has a module for the plain model. If options bring other kernels, a second module has the kernels of
all options; as soon as a model with such an option is made, its machine code replaces that of the first.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from niwaki import layout
from niwaki_host.device.c_model import TEMPLATES, Never, Parts, Rare, Unit, parts_of, rare_of, steps
from niwaki_host.errors import DeviceError, RuntimeMissing
from niwaki_host.runtimes import package
from niwaki_host.toolchain import build, cache, system

# architecture -> prefix of its compiler, flags, the Debian package that has it
_ARM = ("arm-none-eabi-", "gcc-arm-none-eabi")
_COMPILERS: dict[str, tuple[tuple[str, str], tuple[str, ...]]] = {
    "x86": (("", "gcc-multilib"), ("-m32", "-fno-stack-protector")),
    "armv6m": (_ARM, ("-mthumb", "-mcpu=cortex-m0")),
    "armv7m": (_ARM, ("-mthumb", "-mcpu=cortex-m3")),
    "armv7emsp": (_ARM, ("-mthumb", "-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")),
    "armv7emdp": (_ARM, ("-mthumb", "-mcpu=cortex-m7", "-mfpu=fpv5-d16", "-mfloat-abi=hard")),
    "rv32imc": (
        ("riscv64-unknown-elf-", " ".join(system.NEEDS["riscv"].packages)),
        ("-march=rv32imc", "-mabi=ilp32", "-mno-relax"),
    ),
    "xtensawin": (("xtensa-esp32-elf-", ""), ("-mlongcalls",)),
}
ARCHITECTURES = tuple(_COMPILERS)
_FLAGS = (
    *("-std=c99", "-Os", "-Wall", "-Werror", "-DNDEBUG", "-DNO_QSTR", "-DMICROPY_ENABLE_DYNRUNTIME"),
    *("-fpic", "-fno-common", "-U_FORTIFY_SOURCE"),
    *("-fno-strict-aliasing", "-fno-tree-loop-distribute-patterns"),  # no calls of memset
    # Kernels have many variables: these options make their code 5 % smaller, and faster.
    *("-fno-reorder-blocks", "-fira-algorithm=priority", "-fno-thread-jumps", "-fno-move-loop-invariants"),
    "-fno-schedule-insns2",
    "-DMICROPY_FLOAT_IMPL=MICROPY_FLOAT_IMPL_NONE",  # no kernel has a float
)
_HEAD = """\
#include "py/dynruntime.h"
#define NW_HOT __attribute__((optimize("O2", "thread-jumps", "no-tree-pre")))
#define NW_COLD __attribute__((noinline, cold))
#define NW_INSIDE inline __attribute__((always_inline))
"""
_FIRST_TEMPLATE_MEMBER = "    int32_t *scratch;\n"

METHODS = ("predict", "learn")  # that every native module has
_CREDIT = ("learn_late", "answers")  # more methods, for models that keep their answers
_EXTEND = "extend"  # a function of the native module, called with the class; firmware knows this name already
_CHOOSE = "_choose_kernels"  # a method that loads what only some options need, and resumes a loaded model
_INTERPRETED = "INTERPRETED"  # native modules leave out what is under `if INTERPRETED:`
_SHAPE = (6, 4, 8192)  # any shape will do: kernels do not depend on it


def obstacle(arch: str) -> str | None:
    """Why no module can be made for an architecture here, or None."""
    if arch not in _COMPILERS:
        return f"there are no native modules for {arch}; there are for {', '.join(ARCHITECTURES)}"
    (prefix, debian), _ = _COMPILERS[arch]
    if shutil.which(f"{prefix}gcc") is None:
        where = f"on Debian: apt-get install {debian}" if debian else "it comes from Espressif's tools"
        return f"there is no {prefix}gcc; {where}"
    for module, name in (("elftools", "pyelftools"), ("ar", "ar")):
        if importlib.util.find_spec(module) is None:
            return f"MicroPython's linker needs the Python package {name}: pip install {name}"
    return build.obstacle("mpy-cross")


def _rare(class_name: str) -> Rare:
    """What the plain module of a class leaves to the module with everything, if the class has both."""
    import niwaki

    return rare_of(getattr(niwaki, class_name))


def module_source(class_name: str, all_variants: bool) -> str:
    """The C source of a module."""
    import niwaki

    return _module_source(getattr(niwaki, class_name), all_variants)


@functools.cache  # the source is the same for all architectures, and making it takes a second
def _module_source(cls: Any, all_variants: bool) -> str:
    parts = parts_of(cls(*_SHAPE), all_variants)
    hot = (parts.schedule.predict,)
    rare = rare_of(cls)
    fixed, flags = ({}, 0) if all_variants else (rare.zeros, rare.flags)
    never = Never(rare.flags_at, flags, rare.lean)
    unit = Unit(parts.prefix, _kernels(parts), hot=hot, fixed=fixed, never=never, hold_log2=True)
    prelude = unit.prelude().replace(
        _FIRST_TEMPLATE_MEMBER, _FIRST_TEMPLATE_MEMBER + "    const uint16_t *log2;\n"
    )
    glue = _glue(unit, parts)
    return "\n".join([_HEAD, prelude, unit.enum(), unit.functions(), steps(unit, parts), glue])


def _glue(unit: Unit, parts: Parts) -> str:
    """The methods, from the template; a model that keeps its answers has two more."""
    glue = (TEMPLATES / "module.c").read_text()
    for section, kept in (("credit", bool(parts.credit)), ("plain", not parts.credit)):
        marks = re.compile(rf"/\* {section}: \*/\n(.*?)/\* :{section} \*/\n", re.DOTALL)
        glue = marks.sub(r"\1" if kept else "", glue)
    if parts.credit:
        assert parts.asked
        for name, kernel in zip(("answers", "recall", "asked"), (*parts.credit, parts.asked), strict=True):
            glue = glue.replace(f"@{name}@", unit.call(kernel))
    for name in ("answer", "teach", "both", "resume"):
        glue = glue.replace(f"@{name}@", f"{unit.prefix}_{name}")
    numbers = {name: getattr(layout, name) for name in ("IDENTITY", "FEATURES", "CLASSES", "BUSY")}
    numbers["METHODS"] = glue.count(" give(")
    for name, number in numbers.items():
        glue = glue.replace(f"@{name}@", str(number))
    return glue


def _kernels(parts: Parts) -> list[Any]:
    return [kernel for kernel in parts.all if kernel is not parts.margin]


def module(class_name: str, all_variants: bool, arch: str) -> bytes:
    """The machine code alone, as a `.mpy` for an architecture."""
    if why := obstacle(arch):
        raise RuntimeMissing(why)
    name = f"{class_name.lower()}_c{'_all' if all_variants else ''}"
    return _linked(name, module_source(class_name, all_variants), arch)


@functools.cache
def _merged(name: str, machine_code: bytes, text: str) -> bytes:
    """A module of machine code and, after it, of Python."""
    base = build.source()
    parts = (machine_code, package.cross_compiled(text, name, None))
    key = hashlib.sha256(b"\0".join(parts) + base.name.encode()).hexdigest()
    target = cache.root() / "native" / f"{name}-{key[:16]}.mpy"
    if target.exists():
        return target.read_bytes()
    with tempfile.TemporaryDirectory(prefix="niwaki-") as folder:
        work = Path(folder)
        for part, data in zip(("c.mpy", "py.mpy"), parts, strict=True):
            (work / part).write_bytes(data)
        tool = base / "src/tools/mpy-tool.py"
        _run([sys.executable, str(tool), "--merge", "-o", "out.mpy", "c.mpy", "py.mpy"], work)
        cache.place(work / "out.mpy", target)
    return target.read_bytes()


@functools.cache
def _linked(name: str, source: str, arch: str) -> bytes:
    base = build.source()
    made_with = [name, source, arch, *_FLAGS, *_COMPILERS[arch][1], base.name, "file name as module name"]
    key = hashlib.sha256("\0".join(made_with).encode())
    target = cache.root() / "native" / f"{name}-{arch}-{key.hexdigest()[:16]}.mpy"
    if target.exists():
        return target.read_bytes()
    (prefix, _), flags = _COMPILERS[arch]
    if arch == "rv32imc":  # Debian's compiler comes without headers; those of newlib for Arm will do
        flags = (*flags, "-isystem", system.NEWLIB)
    linker = [sys.executable, str(base / "src/tools/mpy_ld.py"), "--arch", arch]
    with tempfile.TemporaryDirectory(prefix="niwaki-") as folder:
        work = Path(folder)
        (work / f"{name}.c").write_text(source)
        # The linker takes seconds to read a library, and keeps the result in the folder where it runs.
        (work / ".mpy_ld_cache").symlink_to(cache.room("linker"))
        _run([*linker, "--preprocess", "-o", f"{name}.config.h", f"{name}.c"], work)
        include = [f"-I{base / 'src'}", "-I.", f"-DMP_CONFIGFILE=<{name}.config.h>"]
        _run([f"{prefix}gcc", *_FLAGS, *flags, *include, "-c", f"{name}.c", "-o", f"{name}.o"], work)
        runtime = _ask(f"{prefix}gcc", *flags, "--print-libgcc-file-name")
        libraries = [f"-l{runtime}"] if Path(runtime).is_file() else []
        # The file's name becomes a string on the board, so it is a string that the board has anyway.
        _run([*linker, "--qstrs", f"{name}.config.h", *libraries, "-o", name, f"{name}.o"], work)
        cache.place(work / name, target)
    return target.read_bytes()


def _ask(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def _run(command: Sequence[str], folder: Path) -> None:
    done = subprocess.run([*map(str, command)], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        said = done.stderr + done.stdout  # the linker complains on stdout
        lines = [line for line in said.splitlines() if "rror" in line] or [said.strip()]
        raise DeviceError(f"{Path(command[0]).name} failed: {lines[0]}")


# -- the package around them


def class_names(files: dict[str, str]) -> list[str]:
    """The classes of the package that have a folder with kernels: Tree, Shrubs, ..."""
    modules = {package.module_of(path) for path in files if path.startswith("niwaki/")}
    folders = sorted({module.partition(".")[0] for module in modules if "." in module})
    return [folder.capitalize() for folder in folders if f"{folder}.{folder}" in modules]


def sources(files: dict[str, str]) -> dict[str, str]:
    """The package for native modules: classes without kernels, and without the methods of native modules."""
    result = dict(files)
    for name in class_names(files):
        folder = name.lower()
        path = f"niwaki/{folder}/{folder}.py"
        result[path] = _without_methods(result[path], name)
    return result


def _without_methods(source: str, class_name: str) -> str:
    """A class's module whose methods come from the native module.

    What only those methods used is removed too: imports of kernels, tables of kernels, private methods.
    """
    tree = ast.parse(source)
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    own = {node.name: node for node in owner.body if isinstance(node, ast.FunctionDef)}
    methods = [*METHODS, *(name for name in _CREDIT if name in own)]
    replaced = dict.fromkeys(methods, "pass")
    if _CHOOSE in own:
        replaced[_CHOOSE] = _choice(class_name, own[_CHOOSE].col_offset)
    gone: list[ast.stmt] = [own[name] for name in replaced]
    gone += [
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == _INTERPRETED
    ]
    found = True
    while found:
        found = False
        names, attributes = _used(tree, gone)
        for body, used in ((tree.body, names), (owner.body, attributes)):
            for node in body:
                if node not in gone and (defined := _defines(node)) and not used & defined:
                    gone.append(node)
                    found = True
    for node in gone:
        if decorators := getattr(node, "decorator_list", []):
            node.lineno, node.col_offset = decorators[0].lineno, decorators[0].col_offset - 1
    texts: dict[ast.stmt, str] = {own[name]: text for name, text in replaced.items()}
    # The methods come first in the class, so that the board finds them where it looks first in its table.
    start = " " * owner.body[0].col_offset
    edits = [(node, texts.get(node, "pass")) for node in gone]
    edits.append(
        (owner.body[0], f"\n{start}".join(f"{name} = {name}" for name in methods))
    )  # in the place of its docstring
    text = _after_docstring(package._edited(source, edits), _of_this_version(class_name))
    return f"{text}\n\n{_EXTEND}({class_name})\n"


def _choice(class_name: str, indent: int) -> str:
    """The method that loads what a model needs: if it has rare options, the module with everything."""
    rare = _rare(class_name)
    module = f"{class_name.lower()}_c"
    names = ", ".join((*METHODS, "resume", _EXTEND))
    wanted = " or ".join([f"w[{rare.flags_at}] & {rare.flags}", *(f"w[{i}]" for i in rare.words)])
    lines = [
        f"def {_CHOOSE}(self):",
        "    global resume",
        "    w = self.words",
        f"    if {wanted}:",
        "        try:",
        f"            from ..{module}_all import {names}",
        "        except ImportError:",
        f'            raise ImportError("an option of this model needs {module}_all.mpy, too")',
        *(f"        {class_name}.{name} = {name}" for name in METHODS),
        f"        {_EXTEND}({class_name})",
        "    resume(self)",
    ]
    return f"\n{' ' * indent}".join(lines)


def _of_this_version(class_name: str) -> str:
    """Lines that refuse a package of another version: the two would not fit together."""
    version = importlib.import_module("niwaki").__version__
    return (
        "from .. import __version__\n"
        f"if __version__ != {version!r}:\n"
        f'    raise ValueError("{class_name.lower()}_c.mpy is for niwaki {version}")'
    )


def _after_docstring(text: str, lines: str) -> str:
    tree = ast.parse(text)
    start = tree.body[0].end_lineno if ast.get_docstring(tree) is not None else 0
    before = text.splitlines(keepends=True)
    return "".join([*before[:start], f"\n{lines}\n", *before[start:]])


def _defines(node: ast.stmt) -> set[str]:
    """The names that a statement defines, if it may be removed: an import, a table, a private method."""
    if isinstance(node, ast.Import) or (isinstance(node, ast.ImportFrom) and node.level):
        return {alias.asname or alias.name for alias in node.names}
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == ast.unparse(node.value):
        return set()  # a method from another module: scores = scores
    if isinstance(node, ast.Assign) and all(isinstance(target, ast.Name) for target in node.targets):
        return {target.id for target in node.targets if isinstance(target, ast.Name)}
    private = isinstance(node, ast.FunctionDef) and node.name.startswith("_") and not node.name.endswith("__")
    return {node.name} if private and isinstance(node, ast.FunctionDef) else set()


def _used(tree: ast.Module, gone: list[ast.stmt]) -> tuple[set[str], set[str]]:
    """Names, and attributes, that the module reads outside of what is gone."""
    names: set[str] = set()
    attributes: set[str] = set()
    queue: list[ast.AST] = list(tree.body)
    while queue:
        node = queue.pop()
        if node in gone:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.Global):
            names.update(node.names)
        queue.extend(ast.iter_child_nodes(node))
    return names, attributes


def compiled(files: dict[str, str], arch: str) -> dict[str, bytes]:
    """The package with its native modules, as `.mpy` files."""
    texts = package.bundle(sources(files))
    result = {}
    for name in class_names(files):
        result |= modules(name, arch, texts.pop(f"niwaki/{name.lower()}.py"))
    return package.compiled_texts(texts, arch) | result


def modules(class_name: str, arch: str, text: str) -> dict[str, bytes]:
    """The native modules of a class, by their paths on a board; `text` is the rest of the class's module."""
    name = f"{class_name.lower()}_c"
    result = {f"niwaki/{name}.mpy": _merged(name, module(class_name, False, arch), text)}
    if _rare(class_name).flags:
        result[f"niwaki/{name}_all.mpy"] = module(class_name, True, arch)
    return result
