"""MOA's streams, sample by sample: ours are the very same numbers. MOA comes with CapyMOA."""

import numpy as np
import pytest
from conftest import need

from niwaki_host.streams import open_stream

SAMPLES = 3000


def _appended(stream: str, numeric: int, nominal: int) -> str:
    return f"IrrelevantFeatureAppenderStream -s ({stream}) -n {numeric} -c {nominal}"


def _drift(old: str, new: str, position: int, width: int, more: str = "") -> str:
    return f"ConceptDriftStream -s ({old}) -d ({new}) -p {position} -w {width} {more}"


def _led(swap: int) -> str:
    return f"generators.LEDGeneratorDrift -d {swap}"


CASES = [
    *((f"sea:function={f}", f"generators.SEAGenerator -f {f}") for f in (1, 2, 3, 4)),
    ("sea:noise=0,balance=1,seed=7", "generators.SEAGenerator -p 0 -b -i 7"),
    *((f"agrawal:function={f}", f"generators.AgrawalGenerator -f {f}") for f in range(1, 11)),
    ("agrawal:function=3,balance=1,seed=-5", "generators.AgrawalGenerator -f 3 -b -i -5"),
    ("agrawal:function=9,perturbation=0", "generators.AgrawalGenerator -f 9 -p 0"),
    ("led", "generators.LEDGenerator"),
    ("led:noise=20,seed=3", "generators.LEDGenerator -n 20 -i 3"),
    ("led:attributes=7", "generators.LEDGenerator -s"),
    ("led:swap=5", _led(5)),
    ("rbf", "generators.RandomRBFGenerator"),
    (
        "rbf:classes=5,attributes=4,centroids=7,model=3,seed=2",
        "generators.RandomRBFGenerator -c 5 -a 4 -n 7 -r 3 -i 2",
    ),
    ("rbf:speed=0.001", "generators.RandomRBFGeneratorDrift -s 0.001"),
    ("rbf:speed=0.01,moving=10,classes=3", "generators.RandomRBFGeneratorDrift -s 0.01 -k 10 -c 3"),
    *((f"stagger:function={f}", f"generators.STAGGERGenerator -f {f}") for f in (1, 2, 3)),
    ("stagger:balance=1", "generators.STAGGERGenerator -b"),
    ("hyperplane", "generators.HyperplaneGenerator"),
    (
        "hyperplane:attributes=5,moving=3,magnitude=0.01,turning=20,noise=8,seed=4",
        "generators.HyperplaneGenerator -a 5 -k 3 -t 0.01 -s 20 -n 8 -i 4",
    ),
    ("waveform", "generators.WaveformGenerator"),
    ("waveform:attributes=40,seed=2", "generators.WaveformGenerator -n -i 2"),
    ("waveform:attributes=40,moved=10", "generators.WaveformGeneratorDrift -n -d 10"),
    ("sea:irrelevant=5,irrelevant_nominal=4", _appended("generators.SEAGenerator", 5, 4)),
    (
        "sea:function=1+2,drift=1500:1000",
        _drift("generators.SEAGenerator", "generators.SEAGenerator -f 2", 1500, 1000),
    ),
    (
        "agrawal:function=1+4,balance=1,drift=1000,seed=3",
        _drift(
            "generators.AgrawalGenerator -b -i 3", "generators.AgrawalGenerator -f 4 -b -i 3", 1000, 1, "-r 3"
        ),
    ),
    (
        "led_a:n=3000",
        _drift(_led(1), _drift(_led(3), _drift(_led(5), _led(7), 750, 50), 750, 50), 750, 50),
    ),
    (
        "agr-500-drift:n=600",
        _appended(
            _drift("generators.AgrawalGenerator -b", "generators.AgrawalGenerator -f 2 -b", 300, 30), 245, 246
        ),
    ),
]


@pytest.fixture(scope="module")
def moa():
    """A function from MOA's command line for a stream to its first samples."""
    need("capymoa")
    need("java")
    import capymoa  # noqa: F401  (starts the JVM)
    from com.github.javacliparser import ClassOption  # type: ignore
    from moa.streams import ExampleStream  # type: ignore

    def first(command: str, count: int) -> np.ndarray:
        stream = ClassOption.cliStringToObject(command, ExampleStream, None)
        stream.prepareForUse()
        return np.array([stream.nextInstance().getData().toDoubleArray() for _ in range(count)])

    return first


@pytest.mark.parametrize(("spec", "command"), CASES, ids=[spec for spec, _ in CASES])
def test_same_samples_as_moa(moa, spec, command):
    stream = open_stream(spec, limit=SAMPLES)
    expected = moa(command, stream.length)
    X, y = stream.read()
    assert np.array_equal(X, expected[:, :-1])
    assert np.array_equal(y, expected[:, -1])
