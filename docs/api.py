"""Write docs/api.md from the code: signatures, options, defaults, costs, and an example of everything.

python docs/api.py            write it
python docs/api.py --check    exit with 1 if it is out of date
"""

import argparse
import ast
import inspect
import sys
import textwrap
from pathlib import Path

import niwaki
from niwaki.grove import plan as grove
from niwaki.shrubs import options as shrubs
from niwaki.tree import options as tree
from niwaki_host import surface

OUT = Path(__file__).parent / "api.md"
EXAMPLES = Path(__file__).parent / "api_examples.py"
STUB = Path(niwaki.__file__).parent / "model.pyi"
WIDTH = 118
MODELS = {"Tree": tree.OPTIONS, "Shrubs": shrubs.OPTIONS, "Grove": grove.OPTIONS}
OTHERS = ("Encoder", "Window", "Adwin")

INTRO = """\
# The API

Everything that the package `niwaki` offers, on a board as on a desktop. `python docs/api.py` writes this page
from the code, and a test holds it to that. Every example runs in the tests, on CPython and on MicroPython.

A sample is an `array('h')` of codes (no copy), a view of one, or a list or tuple of ints: see
[Encode your sensor](sensor.md). What an operation takes in instructions, flash and heap is measured in
[device.md](../benchmarks/results/device.md). Wrong lengths, labels and types are a `ValueError` or a
`TypeError` that says what to do, and leave the model as it was.
"""

# What each costs a board, beside instructions.
COSTS = {
    "predict": "no heap",
    "learn": "no heap",
    "scores": "no heap",
    "learn_unlabelled": "no heap after the first call",
    "novelty": "no heap after the first call",
    "importances": "no heap after the first call",
    "defer": "no heap after the first call; room for `pending` samples is part of the budget",
    "label": "no heap after the first call",
    "confidence": "no heap after the first call",
    "forget": "no heap after the first call",
    "settle": "no heap after the first call; takes as long as growing all shrubs",
    "learn_late": "no heap",
    "answers": "no heap",
    "save": "128 bytes, and a file's buffer, for a while",
    "restored": "nothing",
    "checkpoint": "one small object",
    "about": "what is told stays on the heap, outside the budget",
    "reset": "nothing stays",
    "copy": "as many bytes as the model",
}
OF_A_GROVE = ("confidence", "forget", "settle", "learn_late", "answers")


def examples() -> dict[str, str]:
    """By the name that a comment `# Name` above each of them says."""
    found: dict[str, str] = {}
    for part in EXAMPLES.read_text().split("\n# ---- ")[1:]:
        name, _, code = part.partition("\n")
        found[name.strip()] = code.strip()
    return found


def signatures() -> dict[str, str]:
    """The methods of a model as the stub for editors has them."""
    model = next(
        n for n in ast.parse(STUB.read_text()).body if isinstance(n, ast.ClassDef) and n.name == "Model"
    )
    found = {}
    for node in model.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and not node.decorator_list:
            arguments = ast.unparse(node.args).removeprefix("self").removeprefix(", ").removeprefix("*, ")
            returned = ast.unparse(node.returns) if node.returns else "None"
            found[node.name] = f"{node.name}({arguments}) -> {returned}"
    return found


def wrapped(text: str) -> str:
    return "\n".join(textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False))


def described(thing: object) -> str:
    """A docstring, as plain text."""
    text = inspect.getdoc(thing) or ""
    text = text.partition(">>>")[0].strip()
    return f"```text\n{text}\n```"


def signed(signature: str) -> str:
    """A signature as code, in several lines where it is long."""
    if len(signature) < WIDTH:
        return f"`{signature}`"
    lines = textwrap.wrap(signature, WIDTH, subsequent_indent="    ")
    return "\n".join(["```text", *lines, "```"])


def called(name: str, cls: object) -> str:
    """`Name(arguments)` of a class that no stub describes."""
    return name + str(inspect.signature(cls)).replace("'", '"')  # type: ignore[arg-type]


def example(name: str, found: dict[str, str]) -> str:
    return f"```python\n{found[name]}\n```"


def first_line(thing: object) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def page() -> str:
    code = examples()
    out = [INTRO]
    for name, options in MODELS.items():
        cls = getattr(niwaki, name)
        out += [f"## {name}", f"`{name}(n_features, n_classes, budget, **options)`", described(cls)]
        rows = [f"| `{option}` | `{default!r}` |" for option, default in options.items()]
        out += ["\n".join(["| option | default |", "| --- | --- |", *rows]), example(name, code)]
    out += ["## What all models can do", model_values()]
    shown = signatures()
    for name, signature in shown.items():
        out += [f"### {name}", signed(signature), wrapped(told(name)), example(name, code)]
    out += ["## What a grove can do besides"]
    from niwaki.grove import tend

    for name in OF_A_GROVE:
        method = getattr(tend, name, None) or getattr(niwaki.Grove, name)
        arguments = str(inspect.signature(method)).replace("(self, ", "(").replace("(self)", "()")
        text = f"{first_line(method)} Cost: {COSTS[name]}."
        out += [f"### {name}", f"`{name}{arguments}`", wrapped(text), example(name, code)]
    for name in OTHERS:
        cls = getattr(niwaki, name)
        about = cls if inspect.getdoc(cls) else sys.modules[cls.__module__]
        out += [f"## {name}", f"`{called(name, cls)}`", described(about), members(cls), example(name, code)]
    out += ["## Functions, constants, errors"]
    for name in ("load", "plan"):
        thing = getattr(niwaki, name)
        out += [f"### {name}", f"`{called(name, thing)}`", wrapped(first_line(thing)), example(name, code)]
    out += [f"`MISSING` is {niwaki.MISSING}: the code of what is not known."]
    for name in ("BudgetError", "ImageError"):
        out += [f"### {name}", wrapped(first_line(getattr(niwaki, name))), example(name, code)]
    return "\n\n".join(part.strip() for part in out) + "\n"


def told(name: str) -> str:
    """What a method does, and its cost."""
    text = surface.METHODS.get(name) or first_line(getattr(niwaki.Tree, name))
    text = text.partition(": ")[2] if name in surface.METHODS and ": " in text else text
    text = text[:1].upper() + text[1:]
    return f"{text} Cost: {COSTS[name]}."


def model_values() -> str:
    rows = [f"| `{name}` | {text} |" for name, text in surface.VALUES.items()]
    rows.append(f"| `nbytes` | {first_line(niwaki.model.Model.nbytes)} |")  # type: ignore[attr-defined]
    rows += ["| `n_nodes`, `n_leaves` | Nodes and leaves that answer at present. |"]
    rows += ["| `n_shrubs` | Of `Shrubs` and `Grove`: shrubs with a vote. |"]
    return "\n".join(["| value | |", "| --- | --- |", *rows])


def members(cls: type) -> str:
    """The public methods and values of a class, one line each."""
    rows = []
    for name, member in vars(cls).items():
        if name.startswith("_"):
            continue
        arguments = (
            "" if isinstance(member, property) else str(inspect.signature(member)).replace("self, ", "")
        )
        rows.append(f"| `{name}{arguments.replace('(self)', '()')}` | {first_line(member)} |")
    return "\n".join(["| | |", "| --- | --- |", *rows])


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look: exit with 1 if it is out of date")
    text = page()
    if parser.parse_args().check:
        return int(not OUT.exists() or OUT.read_text() != text)
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
