"""Other people's stream classifiers on the same samples: river, MOA (through CapyMOA), and two baselines."""
