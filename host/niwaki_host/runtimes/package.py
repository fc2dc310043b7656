"""The device package as it goes onto a runtime: flat and bundled, stripped or not, compiled to `.mpy`.

The source has a folder for each model; a board gets flat modules, because a package and a module take heap by
themselves (96 and 200 bytes). Everything here looks at the syntax tree, and changes the text in its places.
Runtimes get the same modules again and again, and parsing them all takes seconds: so the results are
remembered.
"""

import ast
import functools
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from niwaki_host.errors import DeviceError
from niwaki_host.toolchain import build

DRIVERS = Path(__file__).parent / "drivers"
_PACKAGE = "niwaki"
_NATIVE = ("micropython.viper", "micropython.native")
_POINTERS = ("ptr8", "ptr16", "ptr32")

Edit = tuple[ast.AST, str]  # a node, and the text that takes its place
Names = tuple[tuple[str, str], ...]  # of functions, and what another module calls them

_remembered = functools.lru_cache(maxsize=2048)


def sources() -> dict[str, str]:
    """Text of every module of the device package, by its path on the device."""
    import niwaki

    root = Path(niwaki.__file__).parent
    files = sorted(root.rglob("*.py"))
    return {f"{_PACKAGE}/{path.relative_to(root).as_posix()}": path.read_text("utf-8") for path in files}


def _edited(source: str, edits: Iterable[Edit]) -> str:
    """The source with other text in the place of some nodes."""
    lines = [line.encode() for line in source.splitlines(keepends=True)]  # columns count bytes

    def place(edit: Edit) -> tuple[int, int]:
        return edit[0].lineno, edit[0].col_offset  # type: ignore[attr-defined]

    for node, text in sorted(edits, key=place, reverse=True):
        first, last = node.lineno - 1, node.end_lineno - 1  # type: ignore[attr-defined]
        tail = lines[last][node.end_col_offset :]  # type: ignore[attr-defined]
        head = lines[first][: node.col_offset]  # type: ignore[attr-defined]
        lines[first : last + 1] = [head + text.encode() + tail]
    return b"".join(lines).decode()


@_remembered
def strip(source: str) -> str:
    """Source without native decorators and casts, for runtimes that have bytecode only; line numbers stay.

    Annotations may stay: MicroPython does not evaluate them.
    """
    edits: list[Edit] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                if ast.unparse(decorator) in _NATIVE:
                    decorator.col_offset -= 1  # the @
                    edits.append((decorator, ""))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in _POINTERS:
            argument = node.args[0]
            if isinstance(argument, ast.Name | ast.Subscript):
                edits.append((node, ast.unparse(argument)))
    return _edited(source, edits)


# Modules have dotted names relative to the package: "model", "tree.plan".


def module_of(path: str) -> str:
    """The name of the module in a file of the package; a folder's own name for its __init__.py."""
    name = path[len(_PACKAGE) + 1 : -len(".py")].replace("/", ".")
    return name.removesuffix(".__init__") if name != "__init__" else name


def flat_name(module: str) -> str:
    """The name on a board: "tree.plan" is "tree_plan"; "tree.tree", with the folder's class, is "tree"."""
    folder, _, name = module.rpartition(".")
    return name if name == folder or not folder else f"{folder}_{name}"


def imported(node: ast.ImportFrom, module: str) -> str | None:
    """The module of the package that `from X import ...` in `module` takes names from, or None."""
    if node.level:
        above = module.split(".")[: -node.level]
        return ".".join([*above, *(node.module or "").split(".")]).rstrip(".")
    root, _, rest = (node.module or "").partition(".")
    return rest if root == _PACKAGE else None


def _flat_imports(source: str, module: str | None) -> Iterator[Edit]:
    """Edits that make the imports of a module (None: of a program) fit the flat package."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            wanted = imported(node, module or "")
            if wanted is not None and (node.level or "." in wanted):
                prefix = "." if node.level else f"{_PACKAGE}."
                names = ", ".join(f"{a.name} as {a.asname}" if a.asname else a.name for a in node.names)
                yield node, f"from {prefix}{flat_name(wanted)} import {names}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                root, _, rest = alias.name.partition(".")
                if root == _PACKAGE and "." in rest:
                    name = f"{_PACKAGE}.{flat_name(rest)}"
                    yield alias, f"{name} as {alias.asname}" if alias.asname else name


def _flat_strings(source: str, modules: frozenset[str]) -> Iterator[Edit]:
    """Edits of strings that name modules in folders: the package imports, or drops, such modules by name."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.split(" ")
            if modules.intersection(words):
                flat = " ".join(flat_name(word) if word in modules else word for word in words)
                yield node, repr(flat)


@_remembered
def _flattened(text: str, module: str | None, deep: frozenset[str]) -> str:
    """A module (None: a program) as it stands in the flat package; `deep` are the modules in folders."""
    text = _edited(text, _flat_imports(text, module))
    return _edited(text, _flat_strings(text, deep)) if module else text


def flatten(files: dict[str, str]) -> dict[str, str]:
    """The package without folders; programs that come with it import its modules by their flat names."""
    modules = {module_of(path) for path in files if path.startswith(f"{_PACKAGE}/")}
    folders = {module.partition(".")[0] for module in modules if "." in module}
    deep = frozenset(module for module in modules if "." in module)
    result = {}
    for path, text in files.items():
        own = module_of(path) if path.startswith(f"{_PACKAGE}/") else None
        if own in folders:
            continue  # the __init__.py of a folder: the flat package has no folders
        result[f"{_PACKAGE}/{flat_name(own)}.py" if own else path] = _flattened(text, own, deep)
    return result


def _constant(node: ast.stmt) -> str | None:
    """The name in `_NAME = const(...)`."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
        if ast.unparse(node.value.func) == "const":
            return ast.unparse(node.targets[0])
    return None


def _docstring(tree: ast.Module) -> list[ast.stmt]:
    return tree.body[:1] if ast.get_docstring(tree) is not None else []


def bundle(files: dict[str, str]) -> dict[str, str]:
    """The flat package; the module of a class, or of a plan, contains the modules that it always needs.

    It imports these at its top, from its own folder. On a board each module takes 200 bytes of heap by
    itself, for its names, its path and its table: fewer modules take less. The constants of a folder have
    equal values under equal names (tests/test_consts.py): one copy is enough.
    """
    modules = [module_of(path) for path in files if path.startswith(f"{_PACKAGE}/")]
    folders = sorted({module.partition(".")[0] for module in modules if "." in module})
    flat = {path: _edited(text, _on_a_board(text)) for path, text in flatten(files).items()}
    moved: dict[str, str] = {}
    names: dict[str, Names] = {}
    for folder in folders:
        siblings = {flat_name(module) for module in modules if module.startswith(f"{folder}.")}
        for owner in (folder, f"{folder}_plan"):
            path = f"{_PACKAGE}/{owner}.py"
            if path not in flat:
                continue
            parts = [name for name in _neighbours(flat[path]) if name in siblings]
            moved.update(dict.fromkeys(parts, owner))
            others = _other_names(flat[path], frozenset(parts))
            names[owner] = others
            texts = [_with_names(flat.pop(f"{_PACKAGE}/{part}.py"), others) for part in parts]
            flat[path] = _merged((*texts, flat[path]), frozenset(parts))
    there, called = tuple(moved.items()), tuple(names.items())
    flat = {path: _redirected(text, there, called) for path, text in flat.items()}
    return {path: text for path, text in flat.items() if not _stays(path, flat)}


def _stays(path: str, files: dict[str, str]) -> bool:
    """Whether a file stays off the board: a layout that nobody imports is for people and `make consts`."""
    name = Path(path).stem
    return name.endswith("layout") and not any(name in _imports(text) for text in files.values())


@_remembered
def _imports(source: str) -> frozenset[str]:
    """The modules that a file of the flat package, or a program, imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[-1])
        elif isinstance(node, ast.Import):
            found.update(a.name.removeprefix(f"{_PACKAGE}.") for a in node.names)
    return frozenset(found)


@_remembered
def _neighbours(source: str) -> tuple[str, ...]:
    """The modules that a module imports at its top from the package, in order."""
    imports = [
        node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom) and node.level == 1
    ]
    return tuple(node.module for node in imports if node.module)


def _on_a_board(source: str) -> Iterator[Edit]:
    """Edits that decide `if` on the implementation's name: mpy-cross leaves out what is under `if False`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and ast.unparse(node.left) == "sys.implementation.name":
            if isinstance(node.ops[0], ast.Eq | ast.NotEq):
                yield node, str(isinstance(node.ops[0], ast.Eq))


@_remembered
def _other_names(source: str, modules: frozenset[str]) -> Names:
    """Under which other names a module imports functions of these modules at its top."""
    return tuple(
        (alias.name, alias.asname)
        for node in ast.parse(source).body
        if isinstance(node, ast.ImportFrom) and node.level and node.module in modules
        for alias in node.names
        if alias.asname
    )


@_remembered
def _with_names(source: str, names: Names) -> str:
    """The module with other names for its functions."""
    return _edited(source, _renamed(source, dict(names)))


def _renamed(source: str, names: dict[str, str]) -> Iterator[Edit]:
    """Edits that give functions the other names under which the class's module imports them."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            place = ast.Name(node.name)
            place.lineno = place.end_lineno = node.lineno
            place.col_offset = node.col_offset + len("def ")
            place.end_col_offset = place.col_offset + len(node.name)
            yield place, names[node.name]


@_remembered
def _merged(texts: tuple[str, ...], parts: frozenset[str]) -> str:
    """One module of several: imports and constants once, then everything else in the given order."""
    imports: dict[str, None] = {}
    constants: dict[str, str] = {}
    bodies = []
    for text in texts:
        tree = ast.parse(text)
        edits: list[Edit] = [(node, "") for node in _docstring(tree)]
        for node in tree.body:
            name = _constant(node)
            if isinstance(node, ast.Import | ast.ImportFrom):
                if not (isinstance(node, ast.ImportFrom) and node.level and node.module in parts):
                    imports[ast.unparse(node)] = None
                edits.append((node, ""))
            elif name:
                constants.setdefault(name, ast.unparse(node))
                edits.append((node, ""))
        bodies.append(_edited(text, edits))
    return "\n".join([*imports, *constants.values(), *bodies])


@_remembered
def _redirected(source: str, moved: tuple[tuple[str, str], ...], names: tuple[tuple[str, Names], ...]) -> str:
    """Make a module import from the place to which other modules have moved."""
    others = {folder: dict(pairs) for folder, pairs in names}
    return _edited(source, _moved_imports(source, dict(moved), others))


def _moved_imports(source: str, moved: dict[str, str], names: dict[str, dict[str, str]]) -> Iterator[Edit]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            name = (node.module or "").removeprefix(f"{_PACKAGE}.")
            if name in moved and (node.level == 1 or name != node.module):
                for alias in node.names:
                    if other := names[moved[name]].get(alias.name):
                        alias.name, alias.asname = other, alias.asname or alias.name
                node.module = f"{_PACKAGE}.{moved[name]}" if not node.level else moved[name]
                yield node, ast.unparse(node)


def compiled(files: dict[str, str], march: str | None) -> dict[str, bytes]:
    """`.mpy` files: with machine code for `march` (x86, armv6m, armv7m, ...), bytecode alone for None."""
    return compiled_texts(bundle(files), march)


def compiled_texts(texts: dict[str, str], march: str | None) -> dict[str, bytes]:
    """The `.mpy` files of modules that are bundled already."""
    result = {}
    for path, text in texts.items():
        mpy = cross_compiled(text if march else strip(text), Path(path).stem, march)
        result[str(PurePosixPath(path).with_suffix(".mpy"))] = mpy
    return result


@_remembered
def cross_compiled(text: str, module: str, march: str | None) -> bytes:
    """A module's `.mpy`, as bytecode alone where `march` is None and nothing in the text is native."""
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name) / "in.py", Path(name) / "out.mpy"
        source.write_text(text, "utf-8")
        native = [f"-march={march}"] if march else []
        command = [build.cross(), *native, "-s", module, "-o", target, source]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise DeviceError(f"mpy-cross refuses {module}.py:\n{done.stderr.strip()}")
        return target.read_bytes()


def default_heap(budget: int) -> int:
    """64 KB, or the next power of two that holds the collector's tables, the model, and 30 KB beside it."""
    heap = build.DEFAULT_HEAP
    while heap - heap // 32 < budget + 30 * 1024:
        heap *= 2
    return heap
