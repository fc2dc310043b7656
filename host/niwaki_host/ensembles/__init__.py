"""Ensembles of the device's own trees, in the lab: online bagging and an adaptive random forest.

Their trees are `niwaki.Tree`, byte for byte. Who gets which sample how often, who votes and who is replaced
is decided here, in integers that a board could hold, and all of it counts in the budget.
"""
