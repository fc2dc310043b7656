"""Regularised trees beside VFDT, on 500 features of which one to three matter.

    python benchmarks/ht_reg.py > benchmarks/results/ht_reg.md

The streams of the HT-REG paper as reconstructed from its authors' code; delta 1e-7, tau 0.05 (MOA's), omega
0.5, --bins bins of 16 bits, with room to grow. Beside it the figures of MOA and of the authors' code.
"""

from common import heading, load, parser, row, table

STREAMS = ("agr-500", "bg1-500", "sea-500")
# accuracy and nodes of MOA's HT and of the authors' HT-REG
AUTHORS = {
    "agr-500": (94.95, 548, 93.87, 5),
    "bg1-500": (89.95, 591, 90.00, 49),
    "sea-500": (89.13, 673, 88.97, 65),
}


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=1_000_000)
    options.add_argument("--budget", type=int, default=80_000_000)
    options.add_argument("--bins", type=int, default=64)
    args = options.parse_args()
    heading(__doc__)
    ours = ["vfdt nodes", "accuracy", "ht-reg nodes", "accuracy", "nodes of vfdt's", "less vfdt's accuracy"]
    table(["stream", *ours, "authors' HT nodes", "accuracy", "HT-REG nodes", "accuracy"])
    for spec in args.streams or STREAMS:
        data = load(f"{spec}:n={args.samples}")
        cells, found = [], []
        for model in ("vfdt", "ht-reg"):
            run = data.run(model, args.budget, bins=args.bins, count_bits=16, delta=1e-7, tau=0.05)
            found.append((run.nodes, data.accuracy(run)))
            cells += [run.nodes, f"{found[-1][1]:.2f}"]
        cells += [f"1 / {found[0][0] / found[1][0]:.1f}", f"{found[1][1] - found[0][1]:+.2f}"]
        ht, ht_nodes, reg, reg_nodes = AUTHORS.get(spec, ("", "", "", ""))
        row([f"{spec}, {len(data.y):,}", *cells, ht_nodes, ht, reg_nodes, reg])


if __name__ == "__main__":
    main()
