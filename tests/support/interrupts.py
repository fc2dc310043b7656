"""Strike a model with exceptions and signals, and see what becomes of it."""

import copy as copying
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import niwaki
from niwaki_host.device import images
from niwaki_host.runtimes import unix_rt
from niwaki_host.toolchain import build

MODELS = {
    "tree": lambda: niwaki.Tree(2, 3, 1536, grace=15, tau=0.5, pending=2),
    "strict": lambda: niwaki.Tree(2, 3, 1536, grace=15, tau=0.5, strict=2, criterion="gini", pending=2),
    "hat": lambda: niwaki.Tree(2, 3, 3072, grace=15, tau=0.5, adaptive=True, pending=2),
    "shrubs": lambda: niwaki.Shrubs(2, 3, 1536, pending=2),
    "grove": lambda: niwaki.Grove(2, 3, 2048, pending=2),
}
PACKAGE = niwaki.__file__.rpartition("/")[0]
AFTER = 100  # samples that a model learns after it was interrupted, saved and loaded


class Interrupt(BaseException):
    """As KeyboardInterrupt: no `except Exception` stops it."""


def _raise() -> None:
    raise Interrupt


class Striker:
    """Strikes at the k-th bytecode of the device package, in or outside kernels; without k it counts them."""

    def __init__(self, k: int = -1, kernels: bool = False, strike: Callable[[], Any] = _raise) -> None:
        self.k, self.kernels, self.strike, self.seen = k, kernels, strike, 0

    def __enter__(self) -> "Striker":
        sys.settrace(self._trace)
        return self

    def __exit__(self, kind: Any, *_: Any) -> bool:
        sys.settrace(None)
        return kind is Interrupt

    def _trace(self, frame: Any, event: str, _: Any) -> Any:
        code = frame.f_code
        kernel = code.co_varnames[:1] == ("at",)
        if not code.co_filename.startswith(PACKAGE) or kernel != self.kernels:
            return None
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event == "opcode":
            self.seen += 1
            if self.seen == self.k:
                self.strike()
        return self._trace


@dataclass
class Found:
    """What an experiment has found; `bad` must be empty."""

    places: int = 0
    noticed: int = 0
    bad: list[str] = field(default_factory=list)


def sample(i: int) -> tuple[list[int], int]:
    a, b = i * 37 % 101, i * 11 % 53
    return [a, b], (a // 34 + i // 50) % 3


def taught(kind: str, n: int) -> Any:
    model = MODELS[kind]()
    for i in range(n):
        model.learn(*sample(i))
    return model


def copy(model: Any) -> Any:
    return copying.deepcopy(model)


def _places(kind: str, samples: int, places: int, kernels: bool, seed: int):
    """Samples, and bytecodes of their `learn`, drawn by a seed; learns with more to do come more often."""
    rng, model, ways = random.Random(seed), MODELS[kind](), []
    for i in range(samples):
        before = copy(model)
        with Striker(kernels=kernels) as steps:
            model.learn(*sample(i))
        ways.append((before, i, steps.seen))
    weights = [steps for _, _, steps in ways]
    for before, i, steps in rng.choices(ways, weights, k=places):
        yield copy(before), i, rng.randint(1, steps)


def outside(kind: str, samples: int, places: int, path: Path, seed: int = 1, after: int = 10) -> Found:
    """Interrupt `learn` outside kernels; then save, load, and go on."""
    found = Found()
    for cut, i, k in _places(kind, samples, places, False, seed):
        found.places += 1
        with Striker(k):
            cut.learn(*sample(i))
        where = f"{kind}: sample {i}, bytecode {k}"
        try:
            if cut.samples not in (i, i + 1):
                found.bad.append(f"{where}: {cut.samples} samples")
            cut.save(path)
            loaded: Any = niwaki.load(path)
            if loaded.restored() or images.to_bytes(loaded) != images.to_bytes(cut):
                found.bad.append(f"{where}: it loads as another one")
            for j in range(i + 1, i + 1 + after):
                loaded.learn(*sample(j))
            images.from_bytes(images.to_bytes(loaded))
        except Exception as error:
            found.bad.append(f"{where}: {error!r}")
    return found


def inside(kind: str, samples: int, places: int, path: Path, seed: int = 2) -> Found:
    """Interrupt `learn` inside kernels: it must be noticed, and the last image stay."""
    found = Found()
    for cut, i, k in _places(kind, samples, places, True, seed):
        found.places += 1
        cut.save(path)
        good = path.read_bytes()
        with Striker(k, kernels=True):
            cut.learn(*sample(i))
        for call, arguments in ((cut.learn, sample(i)), (cut.predict, ([1, 2],)), (cut.save, (path,))):
            try:
                call(*arguments)
                found.bad.append(f"{kind}: sample {i}, bytecode {k}: nobody says anything")
            except RuntimeError as error:
                assert "half changed" in str(error)
        found.noticed += 1
        last: Any = niwaki.load(path)
        if path.read_bytes() != good or last.restored():
            found.bad.append(f"{kind}: sample {i}, bytecode {k}: the last image is gone")
    return found


_DEVICE = """
import sys, gc
from niwaki import Tree, Shrubs, Grove, load
MODELS = {
    "tree": lambda: Tree(2, 3, 1536, grace=15, tau=0.5),
    "strict": lambda: Tree(2, 3, 1536, grace=15, tau=0.5, strict=2, criterion="gini"),
    "hat": lambda: Tree(2, 3, 3072, grace=15, tau=0.5, adaptive=True),
    "shrubs": lambda: Shrubs(2, 3, 1536),
    "grove": lambda: Grove(2, 3, 2048),
}
def sample(i):
    a = i * 37 % 101
    return [a, i * 11 % 53], (a // 34 + i // 50) % 3
def check(clf, name):
    clf.save(name)
    found = load(name)
    if found.restored() or bytes(found.words) != bytes(clf.words) or bytes(found.octets) != bytes(clf.octets):
        print("LOST")
        sys.exit(1)
    return found
"""

# An exception before or after the k-th call of a kernel, wherever a class has its kernels.
BOUNDARIES = (
    _DEVICE
    + """
class Struck(BaseException):
    pass
left = [-1]
def strike():
    left[0] -= 1
    if left[0] == 0:
        raise Struck
def wrapped(kernel):
    def call(*arguments):
        strike()
        answer = kernel(*arguments)
        strike()
        return answer
    return call
import niwaki.tree, niwaki.shrubs, niwaki.grove
NAMES = "predict learn sort update splits rule prune sides grow shrink agree weigh asked recall watch".split()
for kind in MODELS:
    MODELS[kind]()
for module in (niwaki.tree, niwaki.shrubs, niwaki.grove):
    for name in NAMES:
        if getattr(module, name, None):
            setattr(module, name, wrapped(getattr(module, name)))
table = niwaki.tree._variants
for key in table:
    table[key] = tuple([kernel and wrapped(kernel) for kernel in table[key]])
for kind in MODELS:
    places = 0
    clf = MODELS[kind]()
    k = 1
    for i in range(200):
        x, y = sample(i)
        left[0] = 1 + k % 23
        k += EVERY
        try:
            clf.learn(x, y)
        except Struck:
            places += 1
            left[0] = -1
            if places % 5 == 0:
                clf = check(clf, "model")
    left[0] = -1
    clf = check(clf, "model")
    for i in range(100):
        clf.learn(*sample(i))
    check(clf, "model")
    print(kind, places)
"""
)

# Learns for ever. Each Ctrl-C: go on, save, load, learn some more; says so when it is ready for the next.
_SIGNALS = (
    _DEVICE
    + """
import micropython
micropython.kbd_intr(3)
clf = MODELS["KIND"]()
n = i = 0
while n < COUNT:
    try:
        print("ready")
        while True:
            i += 1
            clf.learn(*sample(i))
    except KeyboardInterrupt:
        n += 1
    clf = check(clf, "model")
    for j in range(AFTER):
        clf.learn(*sample(j))
print("end", clf.samples > 0)
"""
)

# Where nothing holds it back: Ctrl-C in the midst of a kernel that is bytecode.
TORN = (
    _DEVICE
    + """
from niwaki import tree
clf = MODELS["tree"]()
for i in range(50):
    clf.learn(*sample(i))
clf.save("model")
def struck(*_):
    raise KeyboardInterrupt
tree.update = struck
try:
    clf.learn(*sample(50))
except KeyboardInterrupt:
    pass
for name, call in (("noticed", lambda: clf.predict([1, 2])), ("refused", lambda: clf.save("model"))):
    try:
        call()
    except RuntimeError as error:
        if "half changed" in str(error):
            print(name)
print("loaded" if load("model").samples == 50 else "LOST")
"""
)


def signals(kind: str, count: int, work: Path, *, viper: bool, after: int = 10, seed: int = 3) -> int:
    """Send SIGINT at random times to a program that learns on the unix port; returns how many it survived."""
    source = _SIGNALS.replace("KIND", kind).replace("COUNT", str(count)).replace("AFTER", str(after))
    unix_rt._stage(work, {"script.py": source}, viper)
    rng = random.Random(seed)
    command = [str(build.ensure("unix")), "-X", "heapsize=1m", "-m", "script"]
    with subprocess.Popen(
        command, cwd=work, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout
        sent, line = 0, ""
        for line in process.stdout:
            if line.strip() != "ready":
                break
            if sent < count:
                time.sleep(rng.uniform(0.001, 0.02))
                process.send_signal(signal.SIGINT)
                sent += 1
        rest = process.stdout.read()
    if process.returncode or line.split() != ["end", "True"]:
        raise AssertionError(f"{kind}: after {sent} interrupts: {line}{rest}")
    return sent
