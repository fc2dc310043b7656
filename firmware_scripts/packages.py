"""Write the files that MicroPython's package installer reads: package.json and one for each part.

python firmware_scripts/packages.py            write them
python firmware_scripts/packages.py --check    exit with 1 if one of them is out of date

mpremote mip install github:OWNER/REPO                        all
mpremote mip install github:OWNER/REPO/package-tree.json      without shrubs
mpremote mip install ./package.json                           from a clone
"""

import argparse
import json
import sys
from pathlib import Path

from niwaki import __version__
from niwaki_host.deploy import bundle

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = {
    "package.json": bundle.ALL,
    "package-tree.json": ("tree", "encoder", "window"),
    "package-shrubs.json": ("shrubs", "encoder", "window"),
    "package-grove.json": ("grove", "encoder", "window"),
}


def text(parts: tuple[str, ...]) -> str:
    """The text of a package file for these parts; it names files relative to its own place."""
    urls = [[path, f"mcu/{path}"] for path in bundle.modules(parts)]
    return json.dumps({"version": __version__, "urls": urls, "deps": []}, indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look: exit with 1 if one is out of date")
    check = parser.parse_args().check
    stale = []
    for name, parts in PACKAGES.items():
        path = ROOT / name
        if not path.exists() or path.read_text() != text(parts):
            stale.append(name)
            if not check:
                path.write_text(text(parts))
    if stale:
        print(("out of date: " if check else "written: ") + ", ".join(stale))
    return 1 if stale and check else 0


if __name__ == "__main__":
    sys.exit(main())
