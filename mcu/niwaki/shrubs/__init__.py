"""Shrub Ensembles: small trees on a sliding window, weighed by their votes.

shrubs       the class, and what is done after a sample, in which order: start reading here
layout, plan, options   where everything lies in the arrays, and how a budget is divided
header       what a new ensemble's arrays hold
predict      the weighted votes
learn        take a sample into the window
grow         grow a shrub on the window
agree        count where a new shrub agrees with the others
weigh        a gradient step on the weights
novelty, margin, importances loaded on first use
check        proof of a stored ensemble
"""
