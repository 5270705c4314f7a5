"""Adapters for PyTorch: modules, optimizers and data loaders."""
