"""A model's kernels as one C source: constants, functions, and the order in which `learn` calls them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from niwaki_host.device.c_checked import CheckedTranslator
from niwaki_host.device.c_source import read
from niwaki_host.device.c_translate import INDENT, Translator
from niwaki_host.device.schedule import Schedule, schedule_of, schedule_of_class

TEMPLATES = Path(__file__).parent / "c"
_NEVER = "NEVER_HERE"  # name of a constant: the flags that no model of the source has
_LEAN = "NEVER_LEAN"  # the same, with the flags that the lean form of a kernel ignores
_LARGEST_ENUM = 32767  # an enum's constant is an `int`, which may have 16 bits


@dataclass(frozen=True)
class Parts:
    """The functions of one model, or of all models of a class."""

    prefix: str  # of the functions' names in C
    schedule: Schedule  # what `learn` calls
    margin: Callable | None  # how sure a prediction was, for self-training
    credit: tuple[Callable, ...] = ()  # answers and recall, of a model that keeps its answers
    asked: Callable | None = None  # gives the answer to a sample if it was asked last, else -1

    @property
    def all(self) -> tuple[Callable, ...]:
        """Each function once."""
        wanted = (*self.schedule.kernels, self.margin, *self.credit, self.asked)
        return tuple(dict.fromkeys(kernel for kernel in wanted if kernel))


def parts_of(model: Any, all_variants: bool = False) -> Parts:
    """The parts of a model; with `all_variants` also the kernels of all options of its class."""
    cls = type(model)
    schedule = schedule_of_class(cls) if all_variants else schedule_of(model)
    credit = getattr(cls, "CREDIT", ())
    asked = getattr(sys.modules[cls.__module__], "asked", None) if credit else None
    return Parts(cls.__name__.lower(), schedule, _margin(model), credit, asked)


@dataclass(frozen=True)
class Rare:
    """What only few models of a class have, by its layout; code for all other models leaves it out."""

    flags_at: int
    flags: int
    words: tuple[int, ...]  # header words that are 0 in all other models
    scratch: tuple[int, ...]
    lean: int  # flags without which `predict` has little to do

    def has(self, words: Sequence[int]) -> bool:
        """Whether a model with this header has anything rare."""
        return bool(words[self.flags_at] & self.flags or any(words[i] for i in self.words))

    @property
    def zeros(self) -> dict[str, dict[int, int]]:
        """The items that are 0 in models that have nothing rare, by array."""
        found = {"words": dict.fromkeys(self.words, 0), "scratch": dict.fromkeys(self.scratch, 0)}
        return {array: items for array, items in found.items() if items}


def rare_of(cls: type) -> Rare:
    """What is rare in models of a class."""
    schedule = schedule_of_class(cls)
    layout = importlib.import_module(f"{schedule.predict.__module__.rpartition('.')[0]}.layout")
    return Rare(
        schedule.flags_at,
        sum(getattr(layout, "SELDOM", (schedule.flags,))),
        getattr(layout, "SELDOM_WORDS", ()),
        getattr(layout, "SELDOM_SCRATCH", ()),
        sum(getattr(layout, "LEAN", ())),
    )


def _margin(model: Any) -> Callable | None:
    """The kernel for self-training, of a model that has one."""
    from niwaki.unlabelled import margin_of

    try:
        return margin_of(model)
    except (IndexError, KeyError, ImportError):
        return None


class Never(NamedTuple):
    """Flags that no model of a C source has."""

    flags_at: int
    flags: int  # that no model has
    lean: int  # that the models of a second, shorter form of `predict` do not have either


class Unit:
    """Functions that go into one C file."""

    def __init__(
        self,
        prefix: str,
        functions: Iterable[Callable],
        checked: bool = False,
        hot: Iterable[Callable] = (),
        fixed: Mapping[str, Mapping[int, int]] | None = None,
        never: Never | None = None,
        hold_log2: bool = False,
        integer: str = "int32_t",
    ) -> None:
        self.kernels = {function: read(function) for function in functions}
        self.prefix = prefix
        self.checked = checked
        self.fixed = fixed or {}  # by array: the items that never change, with their values
        self.never = never
        self.integer = integer  # the type of variables
        self.hold_log2 = hold_log2  # whether the table of logarithms is one of the arrays
        self.hot = frozenset(hot)  # functions to mark NW_HOT: compiled for speed, all others for size
        self.names = self._function_names()
        self.constants, self._own = self._constant_names()
        if never and never.flags:
            self.constants[_NEVER] = never.flags
        if never and never.lean:
            self.constants[_LEAN] = never.flags | never.lean

    def _function_names(self) -> dict[Callable, str]:
        """The prefix and the kernel's name; if two kernels have the same name, also their module's name."""
        short = [kernel.name for kernel in self.kernels.values()]
        names = {}
        for function, kernel in self.kernels.items():
            name = kernel.name
            if short.count(name) > 1:
                name = kernel.module.rpartition(".")[2].rpartition("_")[2] + "_" + name
            names[function] = f"{self.prefix}_{name.lstrip('_')}"
        return names

    def _constant_names(self) -> tuple[dict[str, int], dict[Callable, dict[str, str]]]:
        """All constants by their C names; and for each function the C names of its Python names."""
        values: dict[str, set[int]] = {}
        for kernel in self.kernels.values():
            for name, value in kernel.constants.items():
                values.setdefault(name.lstrip("_"), set()).add(value)
        constants: dict[str, int] = {}
        own: dict[Callable, dict[str, str]] = {}
        for function, kernel in self.kernels.items():
            own[function] = {}
            for name, value in kernel.constants.items():
                plain = name.lstrip("_")
                if len(values[plain]) > 1:
                    plain = f"{kernel.name.upper()}_{plain}"
                own[function][name] = plain
                constants[plain] = value
        return constants, own

    def prelude(self) -> str:
        return (TEMPLATES / ("checked.h" if self.checked else "prelude.h")).read_text()

    def enum(self) -> str:
        """The constants: header words, offsets, flags. Those that need more than 16 bits are macros."""
        ordered = sorted(self.constants.items())
        small = [f"{INDENT}{name} = {value}," for name, value in ordered if abs(value) <= _LARGEST_ENUM]
        large = [f"#define {name} INT32_C({value})" for name, value in ordered if abs(value) > _LARGEST_ENUM]
        negative = [
            f"#define {name} (-INT32_C({-value}))" for name, value in ordered if value < -_LARGEST_ENUM
        ]
        large = [line for line in large if "(-" not in line] + negative
        enum = ["enum {", *small, "};"] if small else []
        return "\n".join([*enum, *large]) + "\n"

    def functions(self) -> str:
        translator = CheckedTranslator if self.checked else Translator
        texts = []
        for function, kernel in self.kernels.items():
            for lean in (False, True)[: 1 + self.is_lean(function)]:
                one = translator(kernel, self.names[function] + "_lean" * lean, self._own[function])
                one.fixed = self.fixed
                one.hold_log2 = self.hold_log2
                one.integer = self.integer
                one.unswitch = function in self.hot
                if self.never and (lean or self.never.flags):
                    one.never = {self.never.flags_at: _LEAN if lean else _NEVER}
                text = one.translate()
                if function in self.hot:
                    text = text.replace("static int32_t", "NW_HOT static int32_t", 1)
                texts.append(text)
        return "\n".join(texts)

    def is_lean(self, function: Callable) -> bool:
        """Whether a kernel has a second form, for models without some flags."""
        return bool(self.never and self.never.lean and self.kernels[function].name == "predict")

    def call(self, function: Callable, sample: str = "x") -> str:
        """A call of one of the functions; its other parameters are variables of the caller."""
        arguments = {"at": "at", "x": sample}
        parameters = (name for name in self.kernels[function].parameters if name != "length")
        names = (arguments.get(name, name) for name in parameters)
        return f"{self.names[function]}({', '.join(names)})"

    def source(self) -> str:
        return "\n".join([self.prelude(), log2_table(), self.enum(), self.functions()])


def log2_table() -> str:
    """The device's table of logarithms."""
    import numpy as np

    from niwaki.model import LOG2

    values = np.frombuffer(LOG2, "<u2").tolist()
    rows = [", ".join(f"{value}" for value in values[i : i + 16]) for i in range(0, len(values), 16)]
    lines = ["/* log2(n) in Q13 for n = 0..255; entry 0 is 0, so that 0 log2(0) = 0. */"]
    lines.append(f"static const uint16_t niwaki_log2[{len(values)}] = {{")
    return "\n".join([*lines, *(f"{INDENT}{row}," for row in rows), "};"]) + "\n"


def steps(unit: Unit, parts: Parts) -> str:
    """`predict`, and `learn` with all the work that it finds due, as two functions."""
    name = unit.prefix
    schedule = parts.schedule
    predict, learn = unit.call(schedule.predict), unit.call(schedule.learn)
    answered = [f"    return {predict};"]
    if schedule.before:
        answered = [f"    int32_t answer = {predict};", "    while (answer < 0) {"]
        for said, kernel in enumerate(schedule.before, 1):
            answered += [
                f"        if (answer == -{said}) {{",
                f"            {unit.call(kernel)};",
                "        }",
            ]
        answered += [f"        answer = {predict};", "    }", "    return answer;"]
    if unit.is_lean(schedule.predict):
        answered = [
            f"    if (!(at->words[{schedule.flags_at}] & {_LEAN})) {{",
            f"        return {unit.call(schedule.predict).replace('(', '_lean(', 1)};",
            "    }",
            *answered,
        ]
    lines = [
        "/* The most likely class of a sample. */",
        f"static NW_INSIDE int32_t {name}_answer(const niwaki_arrays *at, const int16_t *x)",
        "{",
        *answered,
        "}",
        "",
        "/* Do the work that `learn` found due, and all that follows from it. */",
        f"static void {name}_work(const niwaki_arrays *at, const int16_t *x, int32_t y, int32_t due)",
        "{",
        "    for (;;) {",
    ]
    for bit, (first, *others) in schedule.by_bit().items():
        call = unit.call(first.kernel)
        for step in others:
            call = f"at->words[{schedule.flags_at}] & {step.flags} ? {unit.call(step.kernel)} : {call}"
        due = f"due & {bit}"
        if first.flags:  # due in all models, but only some have a kernel: `strict` after a verdict
            due = f"(due & {bit}) && (at->words[{schedule.flags_at}] & {first.flags})"
        lines += [
            f"        if ({due}) {{",
            f"            while ({call}) {{",
            "            }",
            "        }",
        ]
    lines += [
        f"        if (due & {schedule.turn}) {{",
        f"            {predict};",
        f"            due = {learn};",
        "            continue;",
        "        }",
    ]
    if schedule.again and schedule.again.flags:
        lines += [
            f"        if (!(at->words[{schedule.flags_at}] & {schedule.again.flags})) {{",
            "            return;",
            "        }",
        ]
    if schedule.again:
        lines += [
            f"        due = {unit.call(schedule.again.kernel)};",
            "        if (due == 0) {",
            "            return;",
            "        }",
        ]
    else:
        lines.append("        return;")
    lines += [
        "    }",
        "}",
        "",
        "/* Learn that the sample that `predict` has just seen is of class y; -1: there is no such class. */",
        f"static int32_t {name}_teach(const niwaki_arrays *at, const int16_t *x, int32_t y)",
        "{",
        f"    int32_t due = {learn};",
        "    if (due > 0) {",
        f"        {name}_work(at, x, y, due);",
        "    }",
        "    return due < 0 ? -1 : 0;",
        "}",
        "",
    ]
    if not parts.credit:
        lines += both(unit, schedule)
    lines += resume(unit)
    return "\n".join(lines)


def both(unit: Unit, schedule: Schedule) -> list[str]:
    """A function that predicts and learns a sample; it skips `predict` if `learn` leaves the answer."""
    name = unit.prefix
    lines = [
        "/* Learn a sample of class y; returns what `predict` would have answered, -1: no such class. */",
        f"static int32_t {name}_both(const niwaki_arrays *at, const int16_t *x, int32_t y)",
        "{",
    ]
    flags = unit.fixed.get("words", {}).get(schedule.flags_at)
    if {"S_ANSWER", "BAYES"} <= set(unit.constants):
        shown = f"at->words[{schedule.flags_at}]" if flags is None else f"INT32_C({flags})"
        lines += [
            f"    if (!({shown} & BAYES)) {{",
            f"        int32_t due = {unit.call(schedule.learn)};",
            "        int32_t answer = at->scratch[S_ANSWER];",
            "        if (due > 0) {",
            f"            {name}_work(at, x, y, due);",
            "        }",
            "        return due < 0 ? -1 : answer;",
            "    }",
            f"    int32_t answer = {unit.call(schedule.predict)};",
        ]
    else:
        lines.append(f"    int32_t answer = {name}_answer(at, x);")
    return [
        *lines,
        f"    return {name}_teach(at, x, y) < 0 ? -1 : answer;",
        "}",
        "",
    ]


def resume(unit: Unit) -> list[str]:
    """A function that computes again what an image does not keep: the gains of a tree's waiting leaf."""
    lines = [f"static void {unit.prefix}_resume(const niwaki_arrays *at, const int16_t *x)", "{"]
    if "WAIT" in unit.constants and "S_NODE" in unit.constants:
        lines += [
            "    if (at->words[WAIT]) {",
            "        at->scratch[S_NODE] = at->words[WAIT] - 1;",
            f"        {unit.prefix}_work(at, x, 0, DUE_SPLITS);",
            "    }",
        ]
    return [*lines, "    (void)at;", "    (void)x;", "}", ""]
