"""Shrub Ensembles, figures 2 and 3 of their paper: accuracy and bytes over time.

    python benchmarks/shrubs_figures.py > benchmarks/results/shrubs_figures.md

Buschjaeger, Hess and Morik, "Shrub Ensembles for Online Classification", AAAI 2022, on led_a (figure 3) and
gas-sensor (figure 2), which is not to be had here: any stream can be given in its place. The paper prints
pictures of 1,000,000 samples, with the best settings of each method, and no numbers; it finds HT, HTT and
their ensembles growing all the time, up to 100 MB, all methods losing accuracy at the drifts after a quarter
and a half of the stream, HT and NB most, and SE third in memory. Here all have their defaults: ours in
--budget bytes (the byte model of the device: they take them when they are made), `shrubs, exact` is
`exact=True`, and river's (river's count of its Python objects), of which --without leaves some out by a word
of their names. Percent right so far, and KiB, after each tenth of --samples of led_a, whose drifts come after
as large a part as in the paper. 4,000 samples without ARF, SRP and EFDT take half a minute. `niwaki
compare led_a --every N --plot FILE` draws the same, with MOA's.
"""

from typing import Any

from common import heading, load, parser, row, table

from niwaki_host.compare.river_peers import river_peers
from niwaki_host.evaluation.curves import curve, points
from niwaki_host.evaluation.samples import Samples
from niwaki_host.evaluation.telling import AT_ONCE
from niwaki_host.sizes import parse_size

OURS: dict[str, tuple[str, dict[str, Any]]] = {
    "vfdt": ("vfdt", {}),
    "hat": ("hat", {}),
    "shrubs": ("shrubs", {}),
    "shrubs, exact": ("shrubs", {"exact": True}),
    "grove": ("grove", {}),
}


def show(name: str, accuracies: list[float], sizes: list[int]) -> None:
    row([name, "%", *(f"{100 * accuracy:.1f}" for accuracy in accuracies)])
    row(["", "KiB", *(f"{size / 1024:,.0f}" for size in sizes)])


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=1_000_000)
    options.add_argument("--budget", default="16k")
    options.add_argument("--without", default="", help="words, with commas between them")
    args = options.parse_args()
    heading(__doc__)
    budget, left_out = parse_size(args.budget), [word for word in args.without.split(",") if word]
    if args.samples < 1_000_000:
        print(f"**{args.samples:,} samples of the paper's 1,000,000.**")
    for spec in args.streams or [f"led_a:n={args.samples}"]:
        data = load(spec, args.samples)
        every = max(len(data.y) // 10, 1)
        print(f"\n## {data.name}, {len(data.y):,} samples\n")
        at = points(len(data.y), every).tolist()
        table(["classifier", "after", *(f"{n:,}" for n in at)])
        for name, (model, settings) in OURS.items():
            found = data.run(model, budget, **settings)
            show(name, curve(data.y, found.predictions, every)["accuracy"], [found.model_bytes] * len(at))
        stream = data.stream
        samples = Samples(
            data.X, data.y, stream.feature_names, stream.class_names, list(stream.nominal), [], "codes"
        )
        for peer in river_peers(budget):
            if any(word.lower() in peer.name.lower() for word in left_out):
                continue
            result = peer.run(samples, AT_ONCE, every)
            sizes = [size or 0 for size in result.sizes]
            show(peer.name, curve(data.y, result.predictions, every)["accuracy"], sizes)


if __name__ == "__main__":
    main()
