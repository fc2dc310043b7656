"""Where MicroPython comes from: Debian's source package, built here, kept in a cache.

Only the standard library is used, so that `make setup` can start building before the packages are installed.
"""
