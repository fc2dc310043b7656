"""The report in a real browser: its pictures show, it asks for nothing, it complains of nothing.

Runs where Chromium is there. `make browser` installs it when it may, then runs this. Unlike
the rest of the suite it is skipped where Chromium is missing, in CI as elsewhere: not every system has it.
"""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import lacking
from matplotlib import image

from niwaki_host.sweep.analysis import analyse
from niwaki_host.sweep.report import write_report
from niwaki_host.sweep.store import SCHEMA
from niwaki_host.toolchain import system

BROWSER = system.browser()


@pytest.fixture
def report(tmp_path):
    rows = [
        {
            "status": "ok",
            "stream": s,
            "model": m,
            "budget_bytes": b,
            "model_bytes": b - 8,
            "seed": 1,
            "accuracy": a,
        }
        for i, s in enumerate(("sea", "led", "rbf"))
        for j, m in enumerate(("vfdt", "hat", "shrubs"))
        for b, a in ((2048, 0.6 + 0.05 * i + 0.01 * j), (4096, 0.8 + 0.02 * j * i))
    ]
    return write_report(
        analyse(pd.DataFrame(rows).reindex(columns=SCHEMA.names)), tmp_path, {"streams": "three"}
    )


def requests(net_log):
    """The addresses that a page asked for, from Chromium's log of the network."""
    text = net_log.read_text().rstrip()
    events = json.loads(text if text.endswith("}") else text.rstrip(",") + "]}")["events"]
    urls = {event["params"].get("url", "") for event in events if isinstance(event.get("params"), dict)}
    return {url for url in urls if url.startswith(("http", "ws", "ftp"))}


def test_the_report_opens_offline(report, tmp_path):
    if BROWSER is None:
        lacking("no Chromium here; make test installs it when it may")
    shot, net_log = tmp_path / "shot.png", tmp_path / "net.json"
    done = subprocess.run(
        [
            *(
                BROWSER,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                f"--user-data-dir={tmp_path / 'profile'}",
            ),
            *("--enable-logging=stderr", "--v=0", f"--log-net-log={net_log}", "--window-size=1000,2400"),
            *(f"--screenshot={shot}", f"file://{report}"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr
    assert requests(net_log) == set()
    pixels = image.imread(shot)[..., :3] * 255
    for colour in ((0, 114, 178), (0, 158, 115), (230, 159, 0)):  # of the three models' points and lines
        assert (np.abs(pixels - colour).max(axis=-1) < 3).sum() > 50
