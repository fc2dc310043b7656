"""A long life in little memory: ten abrupt drifts in a million samples.

    python benchmarks/long_drift.py > benchmarks/results/long_drift.md

Three concepts take turns, so the first and the tenth drift bring the same one. Percent right over the whole
concept that a drift brings, and over its last half; `less` is what the tenth lacks to the first. `nbytes` is
the model's size at the start and at the end.
"""

import numpy as np
from common import heading, load, parser, row, table

from niwaki_host.device import models
from niwaki_host.sizes import parse_size

CONCEPTS = (
    "sea:function=1+4+3",
    "agrawal:function=1+3+5",
    "rbf:classes=5,model=1+2+3",
    "led:swap=0+5+7",
    "stagger:function=1+2+3",
    "hyperplane:seed=1+2+3",
)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=1_000_000)
    options.add_argument("--budget", default="4k")
    options.add_argument("--models", default="vfdt,svfdt1,svfdt2,ht-reg,hat")
    args = options.parse_args()
    heading(__doc__)
    part = args.samples // 11
    drifts = "+".join(str(part * k) for k in range(1, 11))
    table(["stream", "model", "nodes", "nbytes", "first", "tenth", "less", "last half", "tenth", "less"])
    worst = 0.0
    for spec in args.streams or CONCEPTS:
        data = load(f"{spec},n={args.samples},drift={drifts}")
        shape = data.stream.n_features, data.stream.n_classes, parse_size(args.budget)
        nominal = {"nominal": list(data.stream.nominal)} if any(data.stream.nominal) else {}
        for model in args.models.split(","):
            before = models.build(model, *shape, **nominal).nbytes
            found = data.run(model, parse_size(args.budget))
            assert not np.any(found.predictions < 0)
            cells = []
            for skip in (0, part // 2):
                first, tenth = (data.accuracy(found, k * part + skip, (k + 1) * part) for k in (1, 10))
                cells += [f"{first:.2f}", f"{tenth:.2f}", f"{first - tenth:+.2f}"]
            worst = max(worst, first - tenth)
            row([spec, model, found.nodes, f"{before}, {found.model_bytes}", *cells])
    print(f"\nThe most that the tenth lacks to the first over the last half: {worst:.2f} points.")


if __name__ == "__main__":
    main()
