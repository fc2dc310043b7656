"""The text that explains how a stream is named."""

from typing import Any

from niwaki_host.streams.generator import Param
from niwaki_host.streams.packages import RIVER
from niwaki_host.streams.registry import GENERATORS, PRESETS
from niwaki_host.streams.synthetic import COMMON

_INTRO = """\
A STREAM is a file, a generator, or a real stream of an installed package.

Files: .csv, .tsv, .arff (also .gz, .xz, .bz2, .zip), .parquet, .npy, .npz. A CSV has a header row, or else
--no-header; the label is the last column unless --label names another. Texts are UTF-8, or else
--encoding latin-1. Text columns are nominal; empty, ? and NaN are missing.

Generators: NAME[:parameter=value,...], for example
  sea
  sea:function=2,noise=10,seed=3
  agrawal:function=2,irrelevant=20,drift=50000
  bg1:attributes=200,features=0/1/2+10/20/50,drift=50000:1000

drift=POSITION[:WIDTH][+...] changes the concept around these samples, along MOA's sigmoid; percentages are of
n (drift=25%+50%:1%), a position without a width has that of the next one, or 1. What the new concept is, a
parameter with a list says (function=1+2+4, features=0/1/2+3/4/5; a short list starts again), otherwise it is
the generator's next one. The same seed gives the same samples everywhere; for MOA's generators, MOA's own.
"""


def _params(params: dict[str, Param]) -> list[str]:
    shown = []
    for name, param in params.items():
        default = "/".join(map(str, param.default)) if isinstance(param.default, tuple) else param.default
        shown.append((f"  {name}={default}", param.help))
    width = max(len(left) for left, _ in shown)
    return [f"{left:<{width}}  {text}" for left, text in shown]


def about(name: str) -> str:
    """One generator and its parameters, or what a preset stands for."""
    if name in PRESETS:
        kind = PRESETS[name].partition(":")[0]
        own = f"{name}: {PRESETS[name]}\nIts parameters may be changed, such as {name}:n=50000."
        return f"{own}\n\n{about(kind)}"
    generator = GENERATORS[name]
    lines = [f"{generator.name}: {generator.about}", *_params(generator.PARAMS)]
    shared = {key: param for key, param in COMMON.items() if key not in generator.PARAMS}
    return "\n".join([*lines, "", "As every generator:", *_params(shared), ""])


def spec_help() -> str:
    """How a stream is named, and the names; `about` has the parameters."""
    lines = [_INTRO, "Generators (niwaki streams NAME lists the parameters):"]
    lines += [f"  {name:<14} {generator.about}" for name, generator in GENERATORS.items()]
    lines += ["", "Presets (their parameters may be changed, such as led_a:n=1000000):"]
    lines += [f"  {name:<14} {spec}" for name, spec in PRESETS.items()]
    lines += ["", "Packages: " + ", ".join(f"river:{name}" for name in RIVER) + ", seglearn:watch", ""]
    return "\n".join(lines)


def record(only: str | None = None) -> dict[str, Any]:
    """The text's content as data for programs: everything, or one generator or preset."""
    kind = PRESETS.get(only, only).partition(":")[0] if only else None

    def params(known: dict[str, Param]) -> dict[str, Any]:
        return {key: {"default": param.default, "help": param.help} for key, param in known.items()}

    return {
        "common": params(COMMON),
        "generators": {
            name: {"about": generator.about, "parameters": params(generator.PARAMS)}
            for name, generator in GENERATORS.items()
            if kind in (None, name)
        },
        "presets": {name: spec for name, spec in PRESETS.items() if only in (None, name)},
        "packages": [] if only else [*(f"river:{name}" for name in RIVER), "seglearn:watch"],
    }
