"""Nothing changes unnoticed: what every model says and holds has the digests in golden.txt.

python tests/test_golden.py --write     # after a change that is meant to change them
"""

import sys

import pytest
from support import golden


@pytest.mark.parametrize("name", [*golden.CASES, *golden.OTHERS])
def test_digest(name):
    assert golden.computed(name) == golden.written()[name], "run: python tests/test_golden.py --write"


def test_every_digest_has_its_model():
    assert list(golden.written()) == [*golden.CASES, *golden.OTHERS]
    assert len(set(golden.written().values())) == len(golden.written())


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(f"usage: python {sys.argv[0]} --write")
    golden.write()
