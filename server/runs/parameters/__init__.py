"""Hyperparameters and lineage: the sessions, environments and pipelines that describe a run."""
