"""The curvature of each layer: Kronecker factors and their inverses."""
