"""Draw docs/demo.png, the picture in the README: the demo's own, in 64 colours to keep the repository small.

python docs/picture.py
"""

import tempfile
from pathlib import Path

from PIL import Image

from niwaki_host.cli import main

OUT = Path(__file__).parent / "demo.png"

with tempfile.TemporaryDirectory() as work:
    drawn = Path(work) / "demo.png"
    assert main(["demo", "--out", str(drawn)]) == 0
    Image.open(drawn).convert("RGB").quantize(64).save(OUT, optimize=True)
print(f"{OUT.name}: {OUT.stat().st_size:,} bytes")
