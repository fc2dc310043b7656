"""Debian's source package of MicroPython, through the machine's own apt mirror.

A machine that builds is seldom on the suite that has a recent MicroPython, and must not have its own apt
configuration changed. So a private list of `deb-src` entries is derived from the machine's own entries, with
private directories for what apt keeps.
"""

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from niwaki_host.errors import RuntimeMissing

SUITES = "trixie sid"
OWN_SOURCE = "NIWAKI_MICROPYTHON_SRC"


@dataclass
class Entry:
    """One stanza or line of an apt source list."""

    types: list[str]
    uris: list[str]
    suites: list[str]
    components: list[str]
    options: dict[str, str] = field(default_factory=dict)


def parse_deb822(text: str) -> list[Entry]:
    """Entries of a `.sources` file: stanzas of `Field: value`, with continuation lines."""
    entries = []
    for stanza in re.split(r"\n[ \t]*\n", text):
        fields: dict[str, str] = {}
        name = ""
        for line in stanza.splitlines():
            if line.startswith("#") or not line.strip():
                continue
            if line[0] in " \t":
                fields[name] = f"{fields.get(name, '')}\n{line}"
            else:
                name, _, value = line.partition(":")
                name = name.strip().lower()
                fields[name] = value.strip()
        if not {"types", "uris", "suites"} <= fields.keys():
            continue
        if fields.get("enabled", "yes").lower() in ("no", "false"):
            continue
        types, uris, suites = (fields.pop(key).split() for key in ("types", "uris", "suites"))
        entries.append(Entry(types, uris, suites, fields.pop("components", "").split(), fields))
    return entries


def parse_one_line(text: str) -> list[Entry]:
    """Entries of a `.list` file: `deb [option=value ...] uri suite component ...`."""
    entries = []
    for line in text.splitlines():
        match = re.match(r"\s*(deb|deb-src)\s+(?:\[([^]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)", line)
        if match:
            kind, options, uri, suite, components = match.groups()
            pairs = dict(pair.split("=", 1) for pair in (options or "").split() if "=" in pair)
            entries.append(Entry([kind], [uri], [suite], components.split(), pairs))
    return entries


def machine_entries(etc: Path = Path("/etc/apt")) -> list[Entry]:
    """All entries of the machine's own source lists, in both formats."""
    entries = []
    for path in [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*"))]:
        if path.is_file():
            text = path.read_text(errors="replace")
            if path.suffix == ".list":
                entries += parse_one_line(text)
            elif path.suffix == ".sources":
                entries += parse_deb822(text)
    return entries


def codename(os_release: Path = Path("/etc/os-release")) -> str:
    """The suite of a Debian machine, or an empty string on another system."""
    if not os_release.is_file():
        return ""
    pairs = dict(line.split("=", 1) for line in os_release.read_text().splitlines() if "=" in line)
    if pairs.get("ID", "").strip('"') != "debian":
        return ""
    return pairs.get("VERSION_CODENAME", "sid").strip('"')


def derive(entries: list[Entry], suite: str) -> str:
    """A private deb822 list: this machine's own mirror, asked for the sources of SUITES."""
    names = {suite, "stable", "testing", "unstable", "sid"}
    for entry in entries:
        if "main" in entry.components and names.intersection(entry.suites):
            lines = ["Types: deb-src", f"URIs: {' '.join(entry.uris)}", f"Suites: {SUITES}"]
            lines.append("Components: main")
            for option in ("signed-by", "trusted"):
                if option in entry.options:
                    value = entry.options[option]
                    lines.append(f"{option.title()}: {value}".replace(": \n", ":\n"))
            return "\n".join(lines) + "\n"
    raise RuntimeMissing(
        f"the apt source lists name no Debian mirror for {suite!r}; "
        f"set {OWN_SOURCE} to a MicroPython source tree or tarball"
    )


def obstacle() -> str | None:
    """Why MicroPython's source can't be had here, or None."""
    if own := os.environ.get(OWN_SOURCE):
        return None if Path(own).exists() else f"{OWN_SOURCE} names {own}, which does not exist"
    if shutil.which("apt-get") is None or not codename():
        return f"its source comes from Debian; elsewhere set {OWN_SOURCE} to a source tree or tarball"
    return None


def fetch(target: Path) -> Path:
    """Download the source package; returns the tarball, or what NIWAKI_MICROPYTHON_SRC names."""
    if why := obstacle():
        raise RuntimeMissing(why)
    if own := os.environ.get(OWN_SOURCE):
        return Path(own).absolute()
    text = derive(machine_entries(), codename())
    with tempfile.TemporaryDirectory(prefix="niwaki-apt-") as name:
        work = Path(name)
        for folder in ("parts", "lists/partial", "cache/archives/partial"):
            (work / folder).mkdir(parents=True)
        (work / "parts" / "micropython.sources").write_text(text)
        command = ["apt-get", "-q"]
        for key, value in {
            "Dir::Etc::SourceList": "/dev/null",
            "Dir::Etc::SourceParts": work / "parts",
            "Dir::State::Lists": work / "lists",
            "Dir::Cache": work / "cache",
            "Acquire::Check-Valid-Until": "false",  # a frozen mirror is fine: what it has is still signed
        }.items():
            command += ["-o", f"{key}={value}"]
        if os.geteuid() == 0:  # apt would otherwise drop to a user who can't write here
            command += ["-o", "APT::Sandbox::User=root"]
        for step in (["update"], ["source", "--download-only", "micropython"]):
            done = subprocess.run([*command, *step], cwd=work, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeMissing(f"apt-get {step[0]} failed: {_last_line(done.stderr)}")
        found = sorted(work.glob("micropython_*.orig.tar.*"))
        if not found:
            raise RuntimeMissing("apt-get source brought no MicroPython tarball")
        target.mkdir(parents=True, exist_ok=True)
        tarball = target / found[-1].name
        shutil.move(found[-1], tarball)
        return tarball


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("E:")]
    return (errors or lines or ["no message"])[0]
