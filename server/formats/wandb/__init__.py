"""Weights & Biases: the files run-*.wandb of its offline mode, and those that it keeps of runs that it uploads."""
