"""The adapter for JAX: loss landscapes of functions of parameters."""
