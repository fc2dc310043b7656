"""Stage the pages for mkdocs and put the playground beside them: `make site` runs this, then mkdocs.

python docs/site.py PLAYGROUND     a directory that `niwaki playground --out` has written

The front page is the README with the playground in it. Links that leave docs/ lead to the repository, whose
address is in NIWAKI_REPOSITORY (as for `make dist`); without one they become plain text.
"""

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "build" / "site-pages"
FRAME = '<iframe src="playground/index.html" title="The playground" width="100%" height="720"></iframe>'
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")
# Pages that lie elsewhere in the repository: where, and their name on the site.
ELSEWHERE = {"README.md": "index.md", "benchmarks/README.md": "benchmarks.md"}


def sources() -> dict[str, Path]:
    """The pages of the site by their names there."""
    found = {path.name: path for path in sorted((ROOT / "docs").glob("*.md")) if path.name != "README.md"}
    return {**found, **{name: ROOT / path for path, name in ELSEWHERE.items()}}


def staged(source: Path, repository: str) -> str:
    """A page with its links as the site has them, and without what only tests read."""
    text = re.sub(r"^<!-- setup\n.*?^-->\n", "", source.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```([a-z]+)( [a-z ]+)$", r"```\1", text, flags=re.MULTILINE)
    known = {path.resolve(): name for name, path in sources().items()}

    def link(found: re.Match[str]) -> str:
        picture, words, target, part = found.groups()
        if "://" in target:
            return found.group()
        path = (source.parent / target).resolve()
        if path in known:
            return f"[{words}]({known[path]}{part or ''})"
        if picture and path.parent == ROOT / "docs":
            return f"![{words}]({path.name})"
        if repository:
            return f"{picture}[{words}]({repository}/blob/main/{path.relative_to(ROOT)})"
        return words

    return _LINK.sub(link, text)


def stage(repository: str) -> None:
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    for name, source in sources().items():
        text = staged(source, repository)
        if name == "index.md":  # the playground itself, in the place of its picture
            text = re.sub(r"^!\[[^\]]*\]\(playground\.png\)$", FRAME, text, flags=re.MULTILINE)
        (PAGES / name).write_text(text)
    for picture in (ROOT / "docs").glob("*.png"):
        shutil.copyfile(picture, PAGES / picture.name)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("playground", type=Path, help="where `niwaki playground --out` has written it")
    playground = parser.parse_args().playground
    if not (playground / "index.html").is_file():
        print(f"{playground}: no playground here; run: make playground", file=sys.stderr)
        return 2
    stage(os.environ.get("NIWAKI_REPOSITORY", "").rstrip("/"))
    shutil.copytree(playground, PAGES / "playground")
    return 0


if __name__ == "__main__":
    sys.exit(main())
