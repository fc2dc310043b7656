"""What pyproject.toml can't say: where the repository is, which is known only when a package is built.

    NIWAKI_REPOSITORY=https://HOST/OWNER/NAME make dist

gives the package its project URLs, and the description absolute links, so that pictures and pages work on
an index. Without it links stay as they are. A wheel that is built from an sdist takes what the sdist has.
"""

import os
import re
from email.parser import Parser
from pathlib import Path

from setuptools import setup
from setuptools.command.egg_info import egg_info

_LINK = re.compile(r"(!?)(\[(?:[^\[\]]|\[[^\]]*\]\([^)]*\))*\])\((?![a-z]+:|#)([^)\s]+)\)")
_PAGES = {"Repository": "", "Issues": "/issues", "Changelog": "/blob/{tag}/CHANGELOG.md"}


def repository() -> str:
    """From the environment, or from the sdist that this is."""
    sdist = Path("PKG-INFO")
    urls = Parser().parsestr(sdist.read_text("utf-8")).get_all("Project-URL", []) if sdist.exists() else []
    known = dict(url.split(", ", 1) for url in urls)
    return os.environ.get("NIWAKI_REPOSITORY", known.get("Repository", "")).rstrip("/")


def absolute(text: str, where: str, tag: str) -> str:
    """Links between files of the repository as links to it: files to read, pictures to show."""

    def linked(found: re.Match) -> str:
        picture, words, target = found.groups()
        return f"{picture}{words}({where}/{'raw' if picture else 'blob'}/{tag}/{target})"

    return _LINK.sub(linked, text)


class WithRepository(egg_info):
    def run(self) -> None:
        metadata = self.distribution.metadata
        if where := repository():
            tag = f"v{metadata.version}"
            metadata.project_urls = {name: where + page.format(tag=tag) for name, page in _PAGES.items()}
            metadata.long_description = absolute(metadata.long_description, where, tag)
        super().run()


setup(cmdclass={"egg_info": WithRepository})
