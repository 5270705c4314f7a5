"""Training steps of PyTorch modules, and the hook that observes their calls."""
