"""Sweeps: many runs on all cores or a cluster, kept safely, summed up in fronts, areas and ranks."""
