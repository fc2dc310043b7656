"""A page of HTML that needs nothing but itself: no script, no font, no picture from elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #24262b; background: #fff; max-width: 62rem;
  margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; border-bottom: 1px solid #e4e6ea; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .4rem 0 1rem; }
.wide { overflow-x: auto; }
th, td { padding: .2rem .7rem; text-align: right; border-bottom: 1px solid #eceef1; }
th:first-child, td:first-child, .text th, .text td { text-align: left; }
th { color: #5f6368; font-weight: 600; }
figure { margin: 1rem 0; } figure svg { max-width: 100%; height: auto; }
figcaption { color: #5f6368; font-size: .9rem; }
summary { cursor: pointer; margin-top: 2rem; font-weight: 600; }
"""


def page(title: str, parts: Iterable[str]) -> str:
    title = escape(title)
    lines = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<link rel="icon" href="data:,">',  # an empty one: a browser would otherwise ask for it
        f"<title>{title}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>",
        *parts,
        "</body>\n</html>\n",
    ]
    return "\n".join(lines)


def section(title: str, *contents: str) -> str:
    return f"<section>\n<h2>{escape(title)}</h2>\n" + "\n".join(contents) + "\n</section>"


def details(title: str, content: str) -> str:
    return f"<details>\n<summary>{escape(title)}</summary>\n{content}\n</details>"


def figure(svg: str, caption: str) -> str:
    return f"<figure>{svg}<figcaption>{escape(caption)}</figcaption></figure>"


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], text: bool = False) -> str:
    """Cells are HTML already; numbers are set right, `text` left."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    kind = ' class="text"' if text else ""
    return f'<div class="wide"><table{kind}>\n<tr>{head}</tr>\n{body}\n</table></div>'
