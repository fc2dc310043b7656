"""What the whole suite shares."""

import bz2
import functools
import gzip
import importlib.util
import io
import lzma
import os
import signal
import zipfile
from collections.abc import Callable
from typing import NoReturn

import numpy as np
import pytest

from niwaki_host import runtimes
from niwaki_host.cli import main
from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import system, wasm

# A shell's background job ignores Ctrl-C, and so would the programs that tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Where Ctrl-C comes while a package evaluates code, Python ends by the signal itself: the same to a shell.
SHELLS_130 = (130, -signal.SIGINT)


def need(name: str) -> None:
    """Skip the test, and say why, where a runtime, package or program is missing; in CI it fails."""
    if name in runtimes.RUNTIMES:
        why = runtimes.available()[name] or (_unfetched() if name == "wasm" else None)
    elif name in system.NEEDS:
        why = system.missing((name,))
    else:
        why = None if importlib.util.find_spec(name) else f"package {name} is not installed; run make setup"
    if why is not None:
        lacking(f"{name}: {why}")


def lacking(why: str) -> NoReturn:
    """Skip the test for want of what set-up should have brought; in CI it fails."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


@functools.cache
def _unfetched() -> str | None:
    """npm may be there and its registry out of reach: `make test` has fetched before, where it could."""
    try:
        wasm.ensure()
    except RuntimeMissing as error:
        return str(error)
    return None


@pytest.fixture(scope="session")
def small_stream() -> tuple[np.ndarray, np.ndarray]:
    """2,000 samples of six features and four classes, learnable, with some missing values and labels."""
    rng = np.random.default_rng(7)
    X = rng.integers(-1000, 1000, (2000, 6)).astype(np.int16)
    y = ((X[:, 0] > 0) * 2 + (X[:, 1] > 800)).astype(np.int16)
    X[rng.random(X.shape) < 0.02] = -32768
    y[rng.random(len(y)) < 0.05] = -1
    return X, y


def zipped(*contents: bytes) -> bytes:
    """An archive with these files in a folder."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for number, content in enumerate(contents):
            file.writestr(f"folder/data{number}.csv", content)
    return archive.getvalue()


@pytest.fixture
def write(tmp_path) -> Callable[..., str]:
    """Write a file, packed as its name says; gives its path."""

    def write(text: str | bytes, name: str = "data.csv") -> str:
        path = tmp_path / name
        data = text if isinstance(text, bytes) else text.encode()
        packers = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zip": zipped}
        pack = packers.get(path.suffix.lower())
        path.write_bytes(pack(data) if pack else data)
        return str(path)

    return write


@pytest.fixture
def niwaki(capsys):
    """Run a command; returns its exit code, stdout and stderr."""

    def call(*args):
        code = main([str(arg) for arg in args])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def complains(result, *words):
    """Exit code 2, nothing on stdout, one line on stderr with these words in it."""
    code, out, err = result
    assert (code, out) == (2, "")
    assert err.startswith("niwaki: ") and err.count("\n") == 1 and err.endswith("\n")
    for word in words:
        assert word in err
