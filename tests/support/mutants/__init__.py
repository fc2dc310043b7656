"""Mutants of the device package: which tests notice a change of one operator, constant or statement."""
