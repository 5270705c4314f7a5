"""Graphs of PyTorch modules, traced by torch.export or read from the module tree."""
