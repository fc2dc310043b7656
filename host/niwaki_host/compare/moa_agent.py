"""Starts MOA's Java so that it can measure its own models.

MOA asks a Java agent for the size of an object; without one every size is -1 and `max_byte_size` does
nothing. The agent's classes are in moa.jar, but a Java agent must be a jar whose manifest says so. This
module makes such a jar in the cache. Since Java 17 the agent also needs leave to look into the standard
library's objects; without that leave MOA's trees seem twenty times smaller than they are.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
from importlib.util import find_spec
from pathlib import Path

from niwaki_host.errors import UsageError
from niwaki_host.toolchain import cache

_OPENED = ("lang", "util", "util.concurrent", "util.concurrent.atomic", "util.random", "text", "math", "io")
_MANIFEST = "Manifest-Version: 1.0\nPremain-Class: sizeof.agent.SizeOfAgent\n\n"


def start_moa() -> None:
    """Import CapyMOA, with the agent if its Java is not running yet."""
    if find_spec("capymoa") is None:
        raise UsageError("MOA needs CapyMOA: pip install 'niwaki-ml[compare]'")
    import jpype

    if not jpype.isJVMStarted():
        own = os.environ.get("CAPYMOA_JVM_ARGS", "-Xmx2g -Xss10M")
        opened = " ".join(f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in _OPENED)
        # -Xrs leaves Ctrl-C to Python; Java would end the program in its own way.
        os.environ["CAPYMOA_JVM_ARGS"] = f"{own} -Xrs -javaagent:{_agent()} {opened}"
        # CapyMOA makes a directory for downloads: keep it out of the user's own directories.
        os.environ.setdefault("CAPYMOA_DATASETS_DIR", tempfile.gettempdir())
    try:
        import capymoa  # noqa: F401
    except Exception as error:
        raise UsageError(
            f"MOA can't start: {' '.join(str(error).split())} (it needs a Java runtime, for example "
            "apt install default-jre-headless)"
        ) from None


def _agent() -> Path:
    """The agent's jar, made from the classes that moa.jar has."""
    spec = find_spec("capymoa")
    assert spec and spec.origin
    moa = Path(spec.origin).parent / "jar" / "moa.jar"
    target = cache.root() / "moa" / f"sizeof-agent-{moa.stat().st_size}.jar"
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(moa) as source, zipfile.ZipFile(partial, "w") as jar:
            jar.writestr("META-INF/MANIFEST.MF", _MANIFEST)
            for name in source.namelist():
                if name.startswith("sizeof/agent/") and name.endswith(".class"):
                    jar.writestr(name, source.read(name))
        partial.replace(target)
    return target
