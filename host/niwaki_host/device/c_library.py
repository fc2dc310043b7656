"""A model as a C library: a header, a source with its built-in image, and what build systems expect."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from niwaki_host.device import images
from niwaki_host.device.c_model import TEMPLATES, Parts, Unit, log2_table, parts_of, rare_of, steps
from niwaki_host.device.c_proof import proof, scores
from niwaki_host.device.c_source import names, read
from niwaki_host.device.c_translate import INDENT

PROJECTS = TEMPLATES / "projects"
_AFTER_HEADER = ("WEIGHTS", "WINDOWS")  # the first words after the header, in shrubs and groves
# The last fields of the arrays' struct if indices are checked: the lengths of all arrays, of x and of out.
_CHECKED_SIZES = (
    ", @NAME@_WORDS, @NAME@_HALVES, @NAME@_OCTETS, @NAME@_SCRATCH, @NAME@_FEATURES, @NAME@_CLASSES"
)


@dataclass(frozen=True)
class Proof:
    """How a stored model is proved harmless: the check, and the ranges of header words that may differ."""

    check: Callable
    header: int  # its number of words
    ranges: dict[int, tuple[int, int]]
    fixed: dict[int, int]  # header words that no kernel writes, with their values


def proof_of(model: Any) -> Proof | None:
    """The proof of a model's images; None where its class has none."""
    folder = type(model).__module__.rpartition(".")[0]
    try:
        module = importlib.import_module(f"{folder}.check")
    except ImportError:
        return None
    held: set[int] = set()
    if type(model).__name__ == "Tree":
        header, ranges, held = _tree_header(model)
    else:
        ranges = {7: (0, 0x3FFFFFFF), **module._RANGES}
        layout = importlib.import_module(f"{folder}.layout")
        header = next(getattr(layout, name) for name in _AFTER_HEADER if hasattr(layout, name))
    changed = _changed(parts_of(model), ranges) | held
    may_differ = {i: ranges[i] for i in sorted(ranges) if i in changed and i < header}
    fixed = {i: model.words[i] for i in range(header) if i not in changed}
    return Proof(module.check, header, may_differ, fixed)


def _tree_header(model: Any) -> tuple[int, dict[int, tuple[int, int]], set[int]]:
    """Length, ranges, and the words whose index a kernel computes: the statistics of the strict rules."""
    from niwaki.tree import drift_check, header_check, layout

    words = model.words
    header = words[layout.SLOT_WORDS0]
    ranges, held = dict(header_check._RANGES), set()
    if words[layout.FLAGS] & layout.ADAPTIVE:
        ranges.update(drift_check.RANGES)
    if words[layout.FLAGS] & layout.STRICT:
        first = header - layout.STATISTICS
        held = set(range(first, header))
        ranges.update({first + i: header_check._HELD[i] for i in range(layout.STATISTICS)})
    return header, ranges, held


def _changed(parts: Parts, ranges: dict[int, tuple[int, int]]) -> set[int]:
    """The header words that some kernel writes, found by the names of their indices.

    If a name is only the start of an index (`words[_FOLLOWS + k]`), every word with a range from there on.
    """
    found = set()
    for function in parts.all:
        kernel = read(function)
        for node in ast.walk(kernel.node):
            if not (isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)):
                continue
            if ast.unparse(node.value) != "words":
                continue
            starts = {kernel.constants[n.id] for n in names(node.slice) if n.id in kernel.constants}
            if isinstance(node.slice, ast.Name):
                found |= starts
            else:
                found |= {i for i in ranges if any(start in ranges and start <= i for start in starts)}
    return found


class Library:
    """The files of one model's library; `name` is the prefix of all public names."""

    def __init__(self, model: Any, name: str = "niwaki", checked: bool = False) -> None:
        self.model, self.name = model, name
        self.parts = parts_of(model)
        self.proof = proof_of(model)
        self.image = images.to_bytes(model, about=False)
        kernels = [kernel for kernel in self.parts.all if kernel is not self.parts.margin]
        rare = rare_of(type(model))
        self.fixed = {} if rare.has(model.words) else rare.zeros
        if self.proof:
            self.fixed = {**self.fixed, "words": self.proof.fixed}
        self.unit = Unit(self.parts.prefix, kernels, checked=checked, fixed=self.fixed)

    def _sizes(self) -> dict[str, int]:
        names = ("words", "halves", "octets", "scratch")
        return {name: len(array) for name, array in zip(names, self.model._arrays, strict=False)}

    def ram(self) -> int:
        """Bytes of RAM that a model takes in C: the same on every machine, because it holds no pointers."""
        sizes = self._sizes()
        exact = 4 * (sizes["words"] + sizes["scratch"]) + 2 * sizes["halves"] + sizes["octets"]
        return exact + 3 & -4

    def fill(self, text: str) -> str:
        """Fill in a template with the values of this model."""
        import niwaki

        proof, parts, model = self.proof, self.parts, self.model
        sections = {"values": type(model).__name__ == "Tree", "proof": proof is not None}
        sections |= {"credit": bool(parts.credit), "plain": not parts.credit}
        for section, kept in sections.items():
            marks = re.compile(rf"/\* {section}: \*/\n(.*?)/\* :{section} \*/\n", re.DOTALL)
            text = marks.sub(r"\1" if kept else "", text)
        kind = type(model).__name__
        values = {
            "sizes": _CHECKED_SIZES if self.unit.checked else "",
            "what": f"{kind}: {model.n_features} features, {model.n_classes} classes, {model.budget} bytes.",
            "version": niwaki.__version__,
            "origin": f"a model that has learned {model.samples} samples",
            "name": self.name,
            "NAME": self.name.upper(),
            "prefix": self.unit.prefix,
            "features": model.n_features,
            "classes": model.n_classes,
            "image_bytes": len(self.image),
            **self._sizes(),
        }
        if proof:
            items = sum(self._sizes().values()) - self._sizes()["scratch"]
            rows = (f"{INDENT}{{{i}, {low}, {high}}},\n" for i, (low, high) in proof.ranges.items())
            values |= {
                "work_bytes": 64 + (items + 7) // 8,  # no set has more members than there are items
                "ranges": "".join(rows),
                "header": proof.header,
            }
        if parts.credit:
            assert parts.asked
            kernels = zip(("answers", "recall", "asked"), (*parts.credit, parts.asked), strict=True)
            values |= {name: self.unit.call(kernel) for name, kernel in kernels}
            values["answers"] = values["answers"].replace(", x", ", 0")
        for key, value in values.items():
            text = text.replace(f"@{key}@", str(value))
        return text

    def header(self) -> str:
        return self.fill((TEMPLATES / "library.h").read_text())

    def _image_table(self) -> str:
        rows = [self.image[i : i + 20] for i in range(0, len(self.image), 20)]
        lines = [f"const uint8_t {self.name}_image[{self.name.upper()}_IMAGE_BYTES] = {{"]
        return "\n".join([*lines, *(INDENT + ", ".join(map(str, row)) + "," for row in rows), "};"]) + "\n"

    def source(self, include: bool = True) -> str:
        unit, parts = self.unit, self.parts
        texts = [
            f"/* Generated: see {self.name}.h. */",
            f'#include "{self.name}.h"' if include else self.header(),
            unit.prelude(),
            log2_table() if any("log2" in kernel.uses for kernel in unit.kernels.values()) else "",
            unit.enum(),
            unit.functions(),
            steps(unit, parts),
            scores(type(self.model), unit.prefix),
        ]
        if self.proof:
            texts += [
                (TEMPLATES / "pool.h").read_text(),
                proof(self.proof.check, unit.prefix, self.fixed),
            ]
        texts += [self._image_table(), self.fill((TEMPLATES / "library.c").read_text())]
        return "\n".join(texts)

    def files(self) -> dict[str, str]:
        """Everything, by path: the library, and projects for Arduino, PlatformIO, CMake and Zephyr."""
        result = {f"src/{self.name}.h": self.header(), f"src/{self.name}.c": self.source()}
        for path in sorted(PROJECTS.rglob("*")):
            if path.is_file():
                place = str(path.relative_to(PROJECTS)).replace("NAME", self.name)
                result[place] = self.fill(path.read_text())
        return result
