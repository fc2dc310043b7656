"""Kernels in C that check themselves, as `checked.py` does in Python, at the speed of C."""

from __future__ import annotations

import ast

from niwaki_host.device.c_translate import ATOM, OPERATORS, Translator


class CheckedTranslator(Translator):
    """Adds the tests of `checked.py` to the C code: every number within +-2^30, every index inside its array.

    It also tests that a store cuts nothing off. A failed test calls nw_found(), which the program defines.
    """

    def compound(self) -> bool:
        return False

    def made(self, text: str, node: ast.expr) -> str:
        if isinstance(node, ast.BinOp) and not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.LShift)):
            return text
        if not isinstance(node, ast.BinOp):
            return f"nw_value({text}, {self.line(node)})"
        if isinstance(node.op, ast.LShift):
            wide = f"(int64_t)({self.value(node.left)}) * ((int64_t)1 << {self.shift(node.right)})"
        else:
            sign = OPERATORS[type(node.op)][0]
            wide = f"(int64_t)({self.value(node.left)}) {sign} ({self.value(node.right)})"
        return f"nw_value({wide}, {self.line(node)})"

    def level(self, level: int, node: ast.BinOp) -> int:
        return ATOM if isinstance(node.op, (ast.Add, ast.Sub, ast.Mult, ast.LShift)) else level

    def shift(self, node: ast.expr, text: str | None = None) -> str:
        return f"nw_shift({self.value(node)}, {self.line(node)})"

    def shifted(self, node: ast.expr) -> str:
        return f"nw_divisor({self.value(node)}, {self.line(node)})"

    def line(self, node: ast.AST) -> str:
        return f'"{self.function} {getattr(node, "lineno", 0)}"'

    def item(self, node: ast.Subscript) -> str:
        array = ast.unparse(node.value)
        name = "niwaki_log2" if array == "log2" else array
        size = "256" if array == "log2" else f"at->{array}_n"
        return f"{name}[nw_index({self.value(node.slice)}, {size}, {self.line(node)})]"

    def store(self, target: ast.Subscript, value: str) -> str:
        kind = self.pointers[ast.unparse(target.value)]
        low, high = {
            "int32_t": ("-2147483647", "2147483647"),
            "uint16_t": ("0", "65535"),
            "uint8_t": ("0", "255"),
            "int16_t": ("-32768", "32767"),
        }[kind]
        return f"{self.item(target)} = ({kind})nw_range({value}, {low}, {high}, {self.line(target)});"
