"""Prequential evaluation: from a stream, a model and a budget to the numbers and curves of one run."""
