"""Changes of single lines of the device package that the fast tests notice.

One operator, constant, comparison, condition or statement is changed at a time, a few in every module, the
others by its size, drawn by a seed. Each meets the fast tests that run its line. Noticed is what fails a
test, or lets one run into its timeout; an equivalent change is one that nobody can notice, and
tests/equivalent_mutants.md says why.

    make mutants SEED=1 COUNT=400        # the same: python benchmarks/mutants.py --seed 1 --count 400

A run that was interrupted goes on where it was; after a new test only what survived is tried again.
"""

import sys
from pathlib import Path

from common import heading

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.mutants import program

if __name__ == "__main__":
    assert __doc__
    sys.exit(program.main(program.parser(__doc__).parse_args(), lambda: heading(__doc__ or "")))
