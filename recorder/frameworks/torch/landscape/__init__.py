"""Loss landscapes of PyTorch modules: weights moved in place, losses of fixed samples."""
