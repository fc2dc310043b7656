"""java.util.Random, against values that a Java runtime printed."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from niwaki_host.streams.javarandom import (
    hash_order,
    next_boolean,
    next_double,
    next_gaussian,
    next_int,
    next_int32,
    seeded,
    strict_log,
)


def test_as_java():
    rng = seeded(42)
    assert next_int32(rng) == -1170105035
    assert next_int(rng, 10) == 3
    assert next_int(rng, 64) == 43
    assert next_double(rng) == 0.047939305137387644
    assert next_boolean(rng)
    assert next_gaussian(rng) == -1.2314225495957323
    assert next_gaussian(rng) == 0.9144954758720792
    assert next_int(rng, 1 << 30 | 1) == 969067502


def test_gaussians_to_the_last_bit():
    rng = seeded(-7)
    total = 0.0
    for i in range(100000):
        total += next_gaussian(rng) * (i % 3 - 1)
    assert total == 46.44253883691451


@given(st.floats(1e-300, 1, exclude_min=True))
def test_the_logarithm_is_one(x):
    assert strict_log(x) == pytest.approx(math.log(x), rel=3e-16, abs=3e-16)


def test_hash_sets():
    assert hash_order([17, 2, 33, 1]) == [17, 33, 1, 2]  # 17, 33 and 1 share a bucket, in order of arrival
