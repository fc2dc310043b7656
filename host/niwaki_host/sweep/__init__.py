"""Sweeps: many runs on all cores or a cluster, kept safely, summed up in fronts, areas and ranks."""

ALPHA = 0.05  # the level at which models are told apart
TESTS = ("nemenyi", "wilcoxon")
