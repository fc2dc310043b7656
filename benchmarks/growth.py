"""How costs grow: Cortex-M3 instructions against features, classes, budget and window.

    python benchmarks/growth.py > benchmarks/results/growth.md

One thing varies at a time, on RBF streams; everything else is 8 features, 4 classes and 64 KB, enough for
each leaf to watch all features. Budgets are filled first: 200,000 samples on the desktop, whose image goes to
the board. `slope` is that of the line through all points in a log-log plot. A call has a part that is always
the same, and hides the rest in small sizes: `growth` is the exponent of the rest, from the last two steps
(log2 of their ratio; none where the last step adds less than a twentieth). `expected` is the exponent
of the term that wins in the end; 0 also stands for a logarithm, the way down a tree. With another budget or
number of shrubs other trees grow: there, read the slope. `worst` is the dearest sample of all: a split, or a
new shrub.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from common import heading, load, parser, row, table

from niwaki_host.device import images, models
from niwaki_host.runtimes import emulator, package, run
from niwaki_host.runtimes.result import set_state

HEAP = 1 << 17
ROOM = 64 << 10
CLOCK = package.DRIVERS.parents[3] / "firmware_scripts" / "on_board_clock.py"
COSTS = ("predict", "learn", "worst")
PAPER = {"shrubs": 8, "window": 32, "every": 1}  # as in its paper: a new shrub for each sample

# Who, what varies, its values, settings; and the exponents of predict, learn and worst.
SERIES: list[tuple[str, str, tuple[int, ...], dict[str, Any], tuple[int, int, int]]] = [
    ("vfdt", "features", (4, 8, 16, 32, 64), {"leaf": "mc"}, (0, 1, 1)),
    ("vfdt", "features", (4, 8, 16, 32, 64), {"leaf": "nba"}, (1, 1, 1)),
    ("vfdt", "classes", (2, 4, 8, 16, 32), {"leaf": "mc"}, (0, 0, 1)),
    ("vfdt", "classes", (2, 4, 8, 16, 32), {"leaf": "nba"}, (1, 0, 1)),
    ("vfdt", "budget", (4096, 8192, 16384, 32768, 65536), {"leaf": "nba"}, (0, 0, 1)),
    ("hat", "budget", (4096, 8192, 16384, 32768, 65536), {"leaf": "nba"}, (0, 0, 1)),
    ("shrubs", "features", (4, 8, 16, 32, 64), PAPER, (0, 1, 1)),
    ("shrubs", "classes", (2, 4, 8, 16, 32), PAPER, (0, 0, 0)),
    ("shrubs", "window", (8, 16, 32, 64, 128), PAPER, (0, 1, 1)),
    ("shrubs", "shrubs", (2, 4, 8, 16, 32), PAPER, (1, 1, 1)),
]


def image(model: str, params: dict[str, Any], found: Any) -> bytes:
    """What the model of a run is when it is saved."""
    built = models.build(model, **params)
    set_state(built, found.words.tobytes(), found.halves.tobytes(), found.octets.tobytes())
    return images.to_bytes(built)


def costs(model: str, varied: str, value: int, settings: dict[str, Any], samples: int) -> list[float]:
    """Instructions of predict, of learn, and of the dearest learn."""
    shape = {"features": 8, "classes": 4, "budget": ROOM, varied: value}
    warm = 200_000 if varied == "budget" else 0
    data = load(f"rbf:attributes={shape['features']},classes={shape['classes']},n={warm + samples}")
    params = {"n_features": shape["features"], "n_classes": shape["classes"], "budget": shape["budget"]}
    params.update(settings)
    if varied in settings:
        params[varied] = value
    stored = image(model, params, run("numba", model, params, data.X[:warm], data.y[:warm])) if warm else None
    found = run(
        "cortex-m3", model, params, data.X[warm:], data.y[warm:], heap=HEAP, image=stored, measure=True
    )
    return [
        found.instructions_per_predict or 0,
        found.instructions_per_learn or 0,
        found.max_instructions_per_learn or 0,
    ]


_WINDOW = """
from array import array
from niwaki import Window
from on_board_clock import overhead, ticks_diff, ticks_us
def cost(axes, length):
    win = Window(axes, length)
    x = array("h", range(axes))
    out = array("h", bytearray(2 * win.n_features))
    zero = overhead()
    push = 0
    for _ in range(length):
        start = ticks_us()
        win.push(x)
        push += ticks_diff(ticks_us(), start)
    start = ticks_us()
    win.features(out)
    return push // length - zero, ticks_diff(ticks_us(), start) - zero
"""


def window_costs(board: emulator.Board, varied: str, value: int) -> list[float]:
    """Instructions of `push` and of `features`."""
    axes, length = (value, 64) if varied == "axes" else (3, value)
    return [float(n) for n in board.execute(f"print(*cost({axes}, {length}))").split()]


def slope(sizes: tuple[int, ...], counts: tuple[float, ...]) -> str:
    return f"{np.polyfit(np.log(sizes), np.log(counts), 1)[0]:.2f}"


def growth(counts: tuple[float, ...]) -> str:
    """The exponent of what grows; sizes double from one to the next."""
    before, last = counts[-2] - counts[-3], counts[-1] - counts[-2]
    if min(before, last) <= 0 or last < counts[-1] / 20:
        return "-"
    return f"{math.log2(last / before):.2f}"


def show(
    title: str, names: tuple[str, ...], sizes: tuple[int, ...], expected: tuple[int, ...], measure: Callable
) -> None:
    """A table: a row for each kind of call."""
    print(f"\n## {title}\n")
    table(["instructions", *(f"{size:,}" for size in sizes), "slope", "growth", "expected"])
    columns = [measure(size) for size in sizes]
    for name, counts, exponent in zip(names, zip(*columns, strict=True), expected, strict=True):
        row([name, *(f"{n:,.0f}" for n in counts), slope(sizes, counts), growth(counts), exponent])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=2000)
    args = options.parse_args()
    heading(__doc__)
    for model, varied, sizes, settings, expected in SERIES:
        said = " ".join(f"{key}={value}" for key, value in settings.items() if key != varied)
        samples = args.samples if model != "shrubs" else min(args.samples, 300)

        def measured(size: int, about: tuple = (model, varied), rest: tuple = (settings, samples)) -> list:
            return costs(*about, size, *rest)

        show(f"{model} {said}: {varied}", COSTS, sizes, expected, measured)
    files = package.compiled({**package.sources(), CLOCK.name: CLOCK.read_text()}, "armv7m")
    with emulator.Board(files, HEAP) as board:
        board.execute(_WINDOW)
        for varied, sizes, expected in (
            ("axes", (1, 2, 4, 8, 16), (1, 1)),
            ("length", (16, 32, 64, 128, 256), (0, 1)),
        ):
            show(
                f"Window: {varied}",
                ("push", "features"),
                sizes,
                expected,
                lambda size, varied=varied: window_costs(board, varied, size),
            )


if __name__ == "__main__":
    main()
