"""What `firmware_scripts/on_board_measure.py` printed on a board, for the table of `niwaki bench`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from niwaki_host.errors import UsageError


def read(path: Path) -> list[dict[str, Any]]:
    """The rows of a file with a line of JSON per board; other lines, as a terminal leaves, are skipped."""
    rows: list[dict[str, Any]] = []
    for line in path.read_text(errors="replace").splitlines():
        if not line.lstrip().startswith("{"):
            continue
        try:
            record = json.loads(line)
            board = str(record["board"])
            rows += [
                {**row, "board": board, "model": row["model"], "settings": row["settings"]}
                for row in record["rows"]
            ]
        except (ValueError, KeyError, TypeError):
            raise UsageError(
                f"{path}: a line that on_board_measure.py can't have printed: {line[:60]}"
            ) from None
    if not rows:
        raise UsageError(f"{path} holds no measurements; make them with firmware_scripts/on_board_measure.py")
    return rows
