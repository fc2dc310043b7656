"""Break long lines of the pages at words: paragraphs and list entries with 120 characters or more.

python docs/wrap.py            break them
python docs/wrap.py --check    exit with 1 if there is one

Tables, code and what has no blank stay as they are: they can't be broken.
"""

import argparse
import re
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST = 119
_ENTRY = re.compile(r"( *)([-*]|\d+\.) ")
_CODE = re.compile(r"`[^`]+`")  # is not broken
_KEPT = "\0"


def pages() -> list[Path]:
    """The guide, and the pages beside it; tables of results are made by scripts."""
    found = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
    found += [ROOT / name / "README.md" for name in ("benchmarks", "firmware_scripts")]
    return found + sorted((ROOT / "docs").glob("*.md"))


def long_lines(text: str) -> list[str]:
    """Lines that are too long, and could be broken."""
    kept = {*wrapped(text).split("\n")}
    return [line for line in text.split("\n") if len(line) > LONGEST and line not in kept]


def _blocks(text: str) -> list[list[str]]:
    """Paragraphs, list entries, tables, blocks of code and what is between them."""
    blocks: list[list[str]] = []
    fenced = False
    for line in text.split("\n"):
        fence = line.lstrip().startswith("```") or line.startswith(("<!--", "-->"))
        starts = not blocks or not line.strip() or _ENTRY.match(line) or line.startswith(("|", "#", "!", "<"))
        after = bool(blocks) and (not blocks[-1][-1].strip() or blocks[-1][-1].startswith("#"))
        if fenced or (fence and blocks and not starts and not after):
            if fenced:
                blocks[-1].append(line)
            else:
                blocks.append([line])
        elif starts or after or fence:
            blocks.append([line])
        else:
            blocks[-1].append(line)
        if fence:
            fenced = not fenced and not line.rstrip().endswith("-->")
    return blocks


def _breaks(block: list[str]) -> bool:
    first = block[0].lstrip()
    return bool(first) and not first.startswith(("|", "```", "#", "!", "<"))


def wrapped(text: str) -> str:
    lines: list[str] = []
    for block in _blocks(text):
        if not _breaks(block) or all(len(line) <= LONGEST for line in block):
            lines += block
            continue
        entry = _ENTRY.match(block[0])
        indent = " " * (len(block[0]) - len(block[0].lstrip()))
        further = " " * len(entry.group()) if entry else indent
        words = " ".join(line.strip() for line in block)
        words = _CODE.sub(lambda found: found.group().replace(" ", _KEPT), words)
        lines += textwrap.wrap(
            words,
            LONGEST,
            initial_indent=indent,
            subsequent_indent=further,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(lines).replace(_KEPT, " ")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="only look: exit with 1 if there is one")
    check = parser.parse_args().check
    found = 0
    for page in pages():
        text = page.read_text()
        if long_lines(text):
            found += 1
            print(page.relative_to(ROOT))
            if not check:
                page.write_text(wrapped(text))
    return int(check and found > 0)


if __name__ == "__main__":
    sys.exit(main())
