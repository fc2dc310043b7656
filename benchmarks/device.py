"""What each model costs on a Cortex-M3: instructions, garbage, flash and heap.

    python benchmarks/device.py > benchmarks/results/device.md

Instructions are exact, on the emulated board, and count from the Python call to its return; `worst` is the
dearest of --samples learned samples. Flash is the size of the .mpy files that the model needs, code heap what
importing them from ROMFS takes, model heap what building the model takes. 6 features, 4 classes, 8 KB.
"""

import json
import subprocess
import sys
from pathlib import Path

from common import heading, parser, row, table

from niwaki_host.device.models import MODELS
from niwaki_host.evaluation.bench import VARIANTS, bench, staircase
from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source

SCRIPTS = Path(__file__).resolve().parent.parent / "firmware_scripts"
FIELDS = (
    "instructions_per_learn",
    "max_instructions_per_learn",
    "instructions_per_predict",
    "garbage_per_learn_bytes",
    "garbage_per_predict_bytes",
    "flash_bytes",
    "code_heap_bytes",
    "model_heap_bytes",
    "model_bytes",
)


def script(name: str) -> dict:
    command = [sys.executable, str(SCRIPTS / name), "--json"]
    if name == "build.py":
        command += ["--out", str(SCRIPTS.parent / "build")]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--samples", type=int, default=4000)
    options.add_argument("--budget", type=int, default=8192)
    args = options.parse_args()
    heading(__doc__)
    data = staircase(6, 4, args.samples)
    heads = ["learn", "worst", "predict", "garbage of learn", "of predict"]
    table(["model", *heads, "flash", "code heap", "model heap", "model"])
    for model in MODELS:
        for settings in VARIANTS.get(model, ({},)):
            task = Task(Source("staircase"), model, args.budget, "cortex-m3", tuple(settings.items()))
            found = bench("cortex-m3", task, data)
            name = " ".join([model, *(f"{key}={value}" for key, value in settings.items())])
            row([name, *(f"{found[field]:,.0f}" for field in FIELDS)])

    print("\nThe package by architecture (`firmware_scripts/build.py`): bytes of its .mpy files and ROMFS")
    print("image, of heap after the import, and for 4 KB models, where the emulated board can run it.\n")
    table(["architecture", "parts", "files", ".mpy", "ROMFS", "code heap", "models' heap"])
    for found in script("build.py")["rows"]:
        sizes = (found.get(key) for key in ("files", "mpy", "romfs", "heap_code", "heap_models"))
        row([found["target"], found["parts"], *("-" if n is None else f"{n:,}" for n in sizes)])

    print("\nThe smallest heap in which a 4 KB tree learns (`firmware_scripts/smallest_heap.py`).\n")
    table(["code", "heap"])
    for name, size in script("smallest_heap.py").items():
        row([name, f"{size:,}"])


if __name__ == "__main__":
    main()
