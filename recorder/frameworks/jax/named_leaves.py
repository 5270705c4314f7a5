"""Names of the arrays in JAX pytrees and Flax modules: the keys of their paths, joined by slashes."""

import sys
from typing import Any


def named_leaves(tree: Any) -> dict[str, Any]:
    """Return the leaves of a pytree by name, as in "params/Dense_0/kernel" or "layers/0/bias".

    The name of a single leaf is "parameters". Modules and states of flax.nnx have the paths of their variables.
    Checkpoints for a loss landscape are saved from this dict.
    """
    jax = sys.modules["jax"]
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    paths = [_keys(path) for path, _ in leaves]
    if is_nnx(tree) and all(path[-1:] == ["value"] for path in paths):
        # A variable of nnx is a node with one child, whose key is not part of Flax's own paths.
        paths = [path[:-1] for path in paths]
    return {"/".join(path) or "parameters": leaf for path, (_, leaf) in zip(paths, leaves, strict=True)}


def floating_leaves(tree: Any) -> dict[str, Any]:
    """Return the leaves that are arrays of floating-point numbers: neither functions nor counters nor random keys."""
    jax: Any = sys.modules["jax"]
    return {
        name: leaf
        for name, leaf in named_leaves(tree).items()
        if hasattr(leaf, "dtype") and jax.numpy.issubdtype(leaf.dtype, jax.numpy.floating)
    }


def is_nnx(thing: Any) -> bool:
    """Return whether an object is a module, an optimizer or a state of flax.nnx."""
    return any(kind.__module__.startswith("flax.nnx.") for kind in type(thing).__mro__)


def _keys(path: Any) -> list[str]:
    return [next(str(getattr(key, name)) for name in ("key", "idx", "name") if hasattr(key, name)) for key in path]
