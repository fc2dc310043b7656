"""The Hoeffding tree: VFDT, and by option SVFDT, HT-REG, HAT and HAT-REG.

tree         the class, and what is done after a sample, in which order: start reading here
layout, room, plan, options   where everything lies in the arrays, and how a budget is divided
header, fresh what a new tree's arrays hold
predict      sort a sample to its leaf; naive Bayes
learn        count a sample at its leaf
gain, gini, hellinger        the best split of every feature
rule, strict may the leaf split?
prune        make room for the split
sides, grow  carry the split out
shrink       halve, inherit or clear what an observer slot has counted
drift, alternates, replace   monitors and alternate subtrees of adaptive trees
novelty, margin, importances loaded on first use
check, drift_check           proofs of stored trees
"""
