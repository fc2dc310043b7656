"""The private source list for MicroPython is derived from the machine's own, in both formats of apt."""

import pytest

from niwaki_host.errors import RuntimeMissing
from niwaki_host.toolchain import aptsource

DEB822 = """\
# comment
Types: deb
URIs: http://mirror.invalid/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/archive.gpg

Types: deb
URIs: http://mirror.invalid/debian-security
Suites: bookworm-security
Components: main
"""
ONE_LINE = """\
# deb http://old.invalid/debian bookworm main
deb [arch=amd64 signed-by=/k.gpg] http://mirror.invalid/debian bookworm main contrib  # comment
deb-src http://mirror.invalid/debian bookworm main
deb http://mirror.invalid/debian-security bookworm-security main
"""
EXPECTED = "Types: deb-src\nURIs: http://mirror.invalid/debian\nSuites: trixie sid\nComponents: main\n"


def lists(tmp_path, **files):
    (tmp_path / "sources.list.d").mkdir()
    for name, text in files.items():
        (tmp_path / name.replace("__", "/").replace("_dot_", ".")).write_text(text)
    return aptsource.machine_entries(tmp_path)


def test_deb822(tmp_path):
    entries = lists(tmp_path, **{"sources.list.d__debian_dot_sources": DEB822})
    assert aptsource.derive(entries, "bookworm") == EXPECTED + "Signed-By: /usr/share/keyrings/archive.gpg\n"


def test_one_line(tmp_path):
    entries = lists(tmp_path, sources_dot_list=ONE_LINE)
    assert len(entries) == 3
    assert aptsource.derive(entries, "bookworm") == EXPECTED + "Signed-By: /k.gpg\n"


def test_key_inside_the_stanza_is_kept():
    key = "Signed-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n -----END PGP PUBLIC KEY BLOCK-----"
    text = f"Types: deb\nURIs: http://mirror.invalid/debian\nSuites: sid\nComponents: main\n{key}\n"
    assert aptsource.derive(aptsource.parse_deb822(text), "trixie").endswith(key + "\n")


def test_foreign_and_disabled_entries_are_ignored(tmp_path):
    other = "deb http://vendor.invalid/apt cloud-bookworm main\n"
    disabled = DEB822.replace("Types: deb\n", "Enabled: no\nTypes: deb\n")
    named = {
        "sources.list.d__a_dot_list": other,
        "sources.list.d__b_dot_sources": disabled,
        "sources.list.d__c_dot_sources_dot_disabled": DEB822,
    }
    with pytest.raises(RuntimeMissing, match="NIWAKI_MICROPYTHON_SRC"):
        aptsource.derive(lists(tmp_path, **named), "bookworm")


@pytest.mark.parametrize(
    ("text", "suite"),
    [
        ('ID=debian\nVERSION_CODENAME="trixie"\n', "trixie"),
        ("ID=debian\n", "sid"),
        ("ID=ubuntu\nVERSION_CODENAME=noble\n", ""),
    ],
)
def test_codename(tmp_path, text, suite):
    path = tmp_path / "os-release"
    path.write_text(text)
    assert aptsource.codename(path) == suite
