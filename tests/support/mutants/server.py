"""Runs tests against mutants: pytest collects the tests once, and each mutant is a fork of that process.

Which tests run which lines is found out by running all of them once with coverage.py. A mutant meets those
that run its line, the quickest first, until one fails or they have taken long enough.
"""

import contextlib
import hashlib
import json
import os
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coverage
import pytest
from _pytest.runner import runtestprotocol

from support.mutants.change import PACKAGE, Mutant, modules, path_of
from support.mutants.patch import apply

TESTS = Path(__file__).resolve().parents[2]
FILES = (
    "golden policies policies_ensembles tree_input shrubs grove grove_tend fixed_point adwin adaptive "
    "encoding window image generations labels asked importance schedule merge consts surface edges "
    "kernel_edges hold"
)
# What takes other runtimes, or asks for the very text that a mutant changes, or nothing of the device.
ELSEWHERE = (
    "micropython cortex wasm numba viper board runtime river command_line heap is_missed moves_between "
    "same_bytes everywhere interrupt_features remembered_samples power_cycle stub"
)
# Seconds of CPU, with coverage:
LONGEST = 1.2  # a test that takes longer is not among the fast ones
ENOUGH = 3.5  # all that a mutant meets
LEAST_PATIENCE, PATIENCE = 2, 8  # seconds, and times what it takes, until a test is stuck
WAIT = 3600  # seconds for all tests of a file, on a machine that has other work too
MEMORY = 6 << 30

ANY = 0  # in the place of a line: of a module that has changed since the tests were run
KILLED, SURVIVED, STUCK = "killed", "survived", "timed out"


class Stuck(BaseException):
    """A test takes too long."""


class Watch:
    """Ends a test after so many seconds of CPU, and remembers that it did: pytest takes it for a failure."""

    def __init__(self, seconds: float, deadly: bool = False) -> None:
        self.seconds = seconds
        self.deadly = deadly  # end the process: a number of a million digits is interrupted by nothing else
        self.stuck = False

    def __enter__(self) -> "Watch":
        signal.signal(signal.SIGPROF, signal.SIG_DFL if self.deadly else self.stop)
        signal.setitimer(signal.ITIMER_PROF, self.seconds, 1)
        return self

    def stop(self, *_: Any) -> None:
        self.stuck = True
        raise Stuck

    def __exit__(self, *_: Any) -> bool:
        signal.setitimer(signal.ITIMER_PROF, 0)
        return self.stuck


def passes(item: pytest.Item) -> bool | None:
    """Whether a test passes; None: it was skipped."""
    reports = runtestprotocol(item, log=False, nextitem=None)
    if any(report.skipped for report in reports):
        return None
    return not any(report.failed for report in reports)


def forked(work: Callable[[], Any], seconds: float) -> Any:
    """What `work` returns in a copy of this process; None if that dies or takes too long."""
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if not child:
            try:
                os.setpgid(0, 0)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                sys.stdout = sys.stderr = open(os.devnull, "w")
                resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
                answer.write(json.dumps(work()).encode())
                answer.flush()
                os._exit(0)
            finally:
                os._exit(1)
        end = time.monotonic() + seconds
        pause = 0.002
        while os.waitpid(child, os.WNOHANG) == (0, 0):
            if time.monotonic() > end:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
            time.sleep(pause)
            pause = min(2 * pause, 0.05)
        answer.seek(0)
        data = answer.read()
        return json.loads(data) if data else None


def mark_of(*paths: Path) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(path.read_bytes())
    return total.hexdigest()[:16]


def unit(module: str) -> str:
    """The mark of one module."""
    return mark_of(path_of(module))


def fingerprint() -> str:
    """Of the device package and of the tests."""
    return mark_of(*sorted(PACKAGE.rglob("*.py")), *sorted(TESTS.rglob("*.py")), TESTS / "golden.txt")


def file_of(test: str) -> str:
    return test.split("::")[0]


def test_mark(file: str) -> str:
    """Of a file with tests, and of what it takes from support/."""
    path = TESTS.parent / file
    used = re.findall(r"support(?:\.| import )(\w+)", path.read_text())
    return mark_of(path, *(TESTS / "support" / f"{name}.py" for name in used if name != "mutants"))


class Server:
    """A plugin of pytest that, in the place of running tests, hands them to `work`."""

    def __init__(self, folder: Path, work: Callable[["Server"], None]) -> None:
        self.folder = folder
        self.work = work
        self.items: dict[str, pytest.Item] = {}
        self.seconds: dict[str, float] = {}
        self.runs: dict[str, dict[int, list[str]]] = {}  # module -> line -> tests
        self.tell: Callable[[str], None] = lambda text: None

    def start(self) -> None:
        from hypothesis import Phase, settings

        phases = (Phase.explicit, Phase.generate)  # an example that fails is enough: no smaller one is sought
        settings.register_profile("mutants", derandomize=True, database=None, deadline=None, phases=phases)
        settings.load_profile("mutants")
        files = [str(TESTS / f"test_{name}.py") for name in FILES.split()]
        options = [
            "-q",
            "-p",
            "no:cacheprovider",
            f"--basetemp={self.folder / 'tmp'}",
            f"--rootdir={TESTS.parent}",
        ]
        options += ["-k", "not (" + " or ".join(ELSEWHERE.split()) + ")"]
        files.append(str(Path(__file__).with_name("device_suite.py")))
        with contextlib.redirect_stdout(sys.stderr):
            code = pytest.main([*options, *files], plugins=[self])
        if code not in (0, 5):
            raise SystemExit(f"mutants: pytest ended with {code}")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise SystemExit("mutants: some tests could not be collected")
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        self.items = {item.nodeid: item for item in session.items}
        capture = session.config.pluginmanager.getplugin("capturemanager")
        with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
            self.profile()
            self.work(self)
        return True

    def profile(self) -> None:
        """Learn which tests run which lines, and how long they take; of tests in files that have changed."""
        path = self.folder / "profile.json"
        known = json.loads(path.read_text()) if path.exists() else {"files": {}, "tests": {}, "units": {}}
        marks = {file: test_mark(file) for file in {file_of(name) for name in self.items}}
        new = [name for name in self.items if known["files"].get(file_of(name)) != marks[file_of(name)]]
        if new:
            self.tell(f"running {len(new)} tests with coverage, to see which lines each of them runs")
        known["units"] = known["units"] or {module: unit(module) for module in modules()}
        for file in sorted({file_of(name) for name in new}):
            names = [name for name in self.items if file_of(name) == file]
            found = forked(lambda names=names: self._profile(names), WAIT)
            if not found:
                raise SystemExit(f"mutants: the tests in {file} could not be run")
            for failed in found["failed"]:
                self.tell(f"fails without any change, and is left out: {failed}")
            self.tell(f"{file}: {len(found['tests'])} of {len(names)} tests are fast enough")
            tests = {name: one for name, one in known["tests"].items() if file_of(name) != file}
            known["tests"] = {**tests, **found["tests"]}
            known["files"][file] = marks[file]
            path.write_text(json.dumps(known))
        for name, (seconds, lines) in known["tests"].items():
            if name in self.items:
                self.seconds[name] = seconds
                for module, numbers in lines.items():
                    runs = self.runs.setdefault(module, {})
                    same = known["units"].get(module) == unit(module)
                    for number in numbers if same else [ANY]:
                        runs.setdefault(number, []).append(name)

    def _profile(self, names: list[str]) -> dict[str, Any]:
        trace = coverage.Coverage(source=[str(PACKAGE)], data_file=None, config_file=False)
        trace.start()
        seconds: dict[str, float] = {}
        failed = []
        for name in names:
            trace.switch_context(name)
            start = time.process_time()
            good = None
            with Watch(LONGEST) as watch:
                good = passes(self.items[name])
            if watch.stuck:
                self.items[name].session._setupstate.teardown_exact(None)
            elif good:
                seconds[name] = time.process_time() - start
            elif good is False:
                failed.append(name)
        trace.stop()
        data = trace.get_data()
        lines: dict[str, dict[str, list[int]]] = {name: {} for name in seconds}
        for path in data.measured_files():
            module = ".".join(Path(path).relative_to(PACKAGE).with_suffix("").parts)
            for number, tests in data.contexts_by_lineno(path).items():
                for name in tests:
                    if name in lines:
                        lines[name].setdefault(module, []).append(number)
        return {"tests": {name: (seconds[name], lines[name]) for name in seconds}, "failed": failed}

    def tests_for(self, mutant: Mutant) -> list[str]:
        """The quickest that run one of its lines; for what only an import runs, tests of tables and texts."""
        runs = self.runs.get(mutant.module, {})
        names = {name for line in (*mutant.lines, ANY) for name in runs.get(line, [])}
        if not names:  # called by an import: who uses the module may notice
            names = {name for tests in runs.values() for name in tests}
        if not mutant.lines:
            names |= {name for name in self.seconds if "test_golden" in name or "test_surface" in name}
        if not mutant.scope:
            names |= {name for name in self.seconds if "test_consts" in name}
        chosen: list[str] = []
        total = 0.0
        for name in sorted(names, key=self.seconds.__getitem__):
            total += self.seconds[name]
            if total > ENOUGH:
                break
            chosen.append(name)
        return chosen

    def meet(self, mutant: Mutant) -> tuple[str, str]:
        """killed, survived or timed out, and by which test."""
        tests = self.tests_for(mutant)
        file = self.folder / "mutant.py"
        patience = {name: LEAST_PATIENCE + PATIENCE * self.seconds[name] for name in tests}

        def work() -> list[str]:
            try:
                with Watch(LEAST_PATIENCE, deadly=True):
                    apply(mutant, file)
            except Exception as error:
                return [KILLED, f"import: {type(error).__name__}"]
            for name in tests:
                with Watch(patience[name], deadly=True):
                    good = passes(self.items[name])
                if good is False:
                    return [KILLED, name]
            return [SURVIVED, f"{len(tests)} tests"]

        answer = forked(work, 60 + 10 * sum(patience.values()))
        return tuple(answer) if answer else (STUCK, "the process died")
