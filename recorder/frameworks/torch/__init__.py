"""PyTorch: modules, optimizers and data loaders, seen by what records a training."""
