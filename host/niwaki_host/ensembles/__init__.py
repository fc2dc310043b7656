"""Ensembles of the device's own trees, in the lab: online bagging and an adaptive random forest.

Their trees are `niwaki.Tree`, byte for byte. This package decides how often each tree learns a sample, which
trees vote and which are replaced. It uses integers that a board could hold, and counts them in the budget.
"""
