"""Hostile images and all small streams, in C under sanitizers: nothing is touched that is not there."""

import subprocess

import pytest
from conftest import lacking, need

import niwaki
from niwaki_host.device import c_build, c_fuzz

CASES = [
    ("Tree", (2, 2, 1024), {"grace": 20}),
    ("Tree", (3, 3, 2048), {"adaptive": True, "strict": 2, "grace": 20}),
    ("Tree", (6, 3, 1024), {"omega": 0.5, "lanes": 2, "drop_poor": True, "grace": 20}),
    ("Shrubs", (2, 2, 1024), {}),
    ("Shrubs", (2, 3, 1400), {"exact": True, "depth": 2}),
    ("Grove", (2, 2, 2048), {}),
    ("Shrubs", (3, 3, 2048), {"loss": "ce", "every": 4, "random": True}),
]


def sanitizers_are_there() -> None:
    need("c")
    command = [*(c_build.compiler() or []), *c_fuzz.SANITIZERS, "-x", "c", "-", "-o", "/dev/null"]
    if subprocess.run(
        command, input="int main(void) { return 0; }", text=True, capture_output=True
    ).returncode:
        lacking("the compiler has no address sanitizer")


def build(name, shape, options):
    return getattr(niwaki, name)(*shape, **options)


@pytest.mark.parametrize(("name", "shape", "options"), CASES, ids=str)
def test_hostile_images_do_no_harm(name, shape, options):
    sanitizers_are_there()
    last = c_fuzz.fuzz(build(name, shape, options), 3000).splitlines()[-1]
    assert last.startswith("3000 images") and last.endswith("harm 0")
    assert 100 < int(last.split()[2]) < 2900, "some pass the proof, some do not"


@pytest.mark.parametrize(
    ("name", "shape", "options", "length", "letters"),
    [
        ("Tree", (1, 2, 1024), {"grace": 1, "delta": 0.5, "tau": 1}, 6, 2),
        ("Tree", (1, 2, 1024), {"grace": 2, "adaptive": True}, 5, 3),
        ("Tree", (2, 2, 1024), {"grace": 1, "strict": 1, "leaf": "mc"}, 3, 3),
        ("Shrubs", (1, 2, 512), {"every": 1}, 5, 2),
        ("Shrubs", (2, 2, 640), {"every": 2, "criterion": "gain"}, 3, 3),
        ("Grove", (1, 2, 1024), {}, 5, 2),
    ],
    ids=str,
)
def test_all_small_streams_do_no_harm(name, shape, options, length, letters):
    sanitizers_are_there()
    streams = (shape[1] * letters ** shape[0]) ** length
    assert c_fuzz.exhaust(build(name, shape, options), length, letters) == f"{streams} streams, harm 0\n"


def beyond(at, x):
    words = at[0]
    words[2] = words[x[0]]
    return words[0] << 24


@pytest.mark.parametrize(("value", "index", "what"), [(1, 9, "index 9"), (1000, 1, "number 16777216000")])
def test_what_a_kernel_must_not_do_is_found(value, index, what, tmp_path):
    """The checks themselves: an index beyond the end and a number of more than 31 bits end the program."""
    need("c")
    from niwaki_host.device.c_model import Unit

    unit = Unit("test", [beyond], checked=True)
    source = f"""{unit.source()}
#include <stdio.h>
void nw_found(const char *what, const char *where, int64_t v) {{
    printf("%s %ld in %s\\n", what, (long)v, where);
}}
int main(void) {{
    int32_t words[3] = {{{value}, 0, 0}};
    const int16_t x[1] = {{{index}}};
    const niwaki_arrays at = {{words, 0, 0, 0, 3, 0, 0, 0, 1, 0}};
    {unit.names[beyond]}(&at, x);
    return 0;
}}
"""
    done = subprocess.run([c_build.build(source, ("-std=c99",), suffix="")], capture_output=True, text=True)
    assert f"{what} in test_beyond" in done.stdout
