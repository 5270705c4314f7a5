"""Adapters for JAX: pytrees, Flax, Equinox and Optax, and loss landscapes of functions of parameters."""
