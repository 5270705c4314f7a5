"""Adapters for PyTorch, MindSpore, JAX and networks without a framework; recorder.adapters imports them when needed."""
