"""Trees, adaptive trees and shrubs on every drift stream.

    python benchmarks/drift_models.py DIR > benchmarks/results/drift_models.md

Percent right, each sample tested before it is learned: over the whole stream / over the 2,000 samples from
the drift on. Generators change once, in the middle of 60,000 samples, at once or over 3,000 (gradual: the
change begins 1,500 earlier), or all the time (moving). The files of DIR drift where they do: there, as
for what moves, the second figure is that of the worst 2,000 samples in a row after the first 2,000. Bold: the
best of a budget.
"""

from pathlib import Path

import numpy as np
from common import Data, heading, load, parser, row, table

from niwaki_host.sizes import format_size

MODELS = ("vfdt", "hat", "hat-reg", "shrubs")
BUDGETS = (8192, 16384)
SPAN = 2000
CONCEPTS = (
    "sea:function=1+4",
    "agrawal:function=1+2",
    "bg1:attributes=20,features=0/1/2+3/4/5",
    "led:swap=1+5",
    "rbf:classes=5,model=1+2",
    "hyperplane",
    "stagger:function=1+2",
    "waveform",
    "imu",
)
MOVING = ("rbf:classes=5,speed=0.0001", "rbf:classes=5,speed=0.001", "hyperplane:magnitude=0.001,moving=10")
FILES = (
    "insects_gradual_balanced",
    "elec2",
    "noaa_weather",
    "powersupply",
    "cwru_12k_loaddrift_win",
    "covtype_first100k",
    "batteryless_rfid",
)


def worst(right: np.ndarray) -> float:
    """Percent right in the worst SPAN samples in a row, the first SPAN left out."""
    total = np.cumsum(right[SPAN:])
    if len(total) <= SPAN:
        return 100 * float(np.mean(right[SPAN:]))
    return 100 * float((total[SPAN:] - total[:-SPAN]).min()) / SPAN


def results(data: Data, budget: int) -> list[str]:
    scores = []
    for model in MODELS:
        right = data.run(model, budget).predictions == data.y
        after = worst(right)
        for position, _ in data.stream.drifts[:1]:
            after = 100 * float(right[position : position + SPAN].mean())
        scores.append((100 * float(right.mean()), after))
    best = [f"{value:.1f}" for value in np.max(scores, axis=0)]
    shown = [[f"{value:.1f}" for value in pair] for pair in scores]
    return [
        " / ".join(f"**{text}**" if text == top else text for text, top in zip(pair, best, strict=True))
        for pair in shown
    ]


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=60_000)
    given = options.parse_args()
    heading(__doc__)
    middle = given.samples // 2
    specs = [
        f"{name}{',' if ':' in name else ':'}drift={middle}{width}"
        for name in CONCEPTS
        for width in ("", f":{given.samples // 20}")
    ]
    paths = [
        path for place in given.streams for name in FILES for path in sorted(Path(place).glob(f"{name}.*"))
    ]
    table(["stream", *(f"{model} {format_size(budget)}" for budget in BUDGETS for model in MODELS)])
    for spec in (*specs, *MOVING, *map(str, paths)):
        data = load(spec, None if Path(spec).exists() else given.samples)
        row([data.name, *(cell for budget in BUDGETS for cell in results(data, budget))])


if __name__ == "__main__":
    main()
