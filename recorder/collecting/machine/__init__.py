"""Metrics of the machine, and its GPUs."""
