"""Grove: a learner that knows what it was taught.

grove        the class, and what is done after a sample, in which order: start reading here
layout, plan where everything lies in the arrays, and how a budget is divided
predict      ask shrubs, histograms, neighbours and the newest samples
learn        take a sample into histograms and memory; give credit
grow         grow a shrub on the memory, some splits a call
credit       keep who said what until the label comes
"""
