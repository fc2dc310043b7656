"""Run the test functions of a module, on CPython or on a board: a line per test, "ok" or "FAIL"."""

import gc
import sys

import niwaki  # noqa: F401  on CPython this provides the module `micropython`


def show(error):
    if hasattr(sys, "print_exception"):
        sys.print_exception(error)
    else:
        import traceback

        traceback.print_exception(error, file=sys.stdout)


def run(name):
    module = __import__(name)
    for test in sorted(dir(module)):
        if not test.startswith("test_"):
            continue
        gc.collect()
        try:
            getattr(module, test)()
            print("ok", test)
        except Exception as error:
            print("FAIL", test)
            show(error)
