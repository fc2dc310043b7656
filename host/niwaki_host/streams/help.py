"""The text that explains how a stream is named."""

from .generator import Param
from .packages import RIVER
from .registry import GENERATORS, PRESETS
from .synthetic import COMMON

_INTRO = """\
A STREAM is a file, a generator, or a real stream of an installed package.

Files: .csv, .arff (also .gz, .xz, .bz2), .parquet, .npy, .npz. A CSV has a header row; the label is the last
column unless --label names another. Text columns are nominal; empty, ? and NaN are missing.

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
        shown.append(f"  {name}={default}  {param.help}")
    return shown


def spec_help() -> str:
    lines = [_INTRO, "Parameters of every generator:", *_params(COMMON), ""]
    for generator in GENERATORS.values():
        lines += [f"{generator.name}: {generator.about}", *_params(generator.PARAMS), ""]
    lines += ["Presets (their parameters may be changed, such as led_a:n=1000000):"]
    lines += [f"  {name:<14} {spec}" for name, spec in PRESETS.items()]
    lines += ["", "Packages: " + ", ".join(f"river:{name}" for name in RIVER) + ", seglearn:watch", ""]
    return "\n".join(lines)


SPEC_HELP = spec_help()
