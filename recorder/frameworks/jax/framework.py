"""JaxFramework: the facts of pytrees of JAX, of Flax, Equinox and Optax."""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

from toposcope.recorder.adapters import is_jax_array
from toposcope.recorder.framework import Framework
from toposcope.recorder.frameworks.jax.named_leaves import floating_leaves, is_nnx, named_leaves
from toposcope.recorder.frameworks.plain.framework import PlainFramework
from toposcope.recorder.values.arrays.deferred_array import DeferredArray

_DEEPEST = 8


class JaxFramework(PlainFramework):
    """Facts of modules of flax.nnx, which change in place, and of pytrees, which are replaced at every step.

    Parameters have the names of their paths, as Flax prints them: see named_leaves().
    """

    rates_are_of_last_step = True

    def parameters(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return the floating-point arrays of a pytree by name.

        Of a TrainState and of the variables of a linen module these are the ones in "params"; of a module of nnx its
        variables of type Param, or of the types that its optimizer changes.
        """
        if is_nnx(network) and not isinstance(network, Mapping):
            nnx: Any = sys.modules["flax.nnx"]
            return floating_leaves(nnx.state(network, getattr(optimizer, "wrt", nnx.Param)))
        leaves = floating_leaves(network)
        parameters = {name: leaf for name, leaf in leaves.items() if name.startswith("params/")}
        return parameters or leaves

    def gradients(self, network: Any, optimizer: Any) -> dict[str, Any]:
        """Return nothing: JAX keeps no gradients."""
        return {}

    def learning_rates(self, optimizer: Any) -> list[Any]:
        """Return the learning rates in the state of an optimizer of nnx or a TrainState, not read from their device.

        The state contains them if the optimizer was created by optax.inject_hyperparams().
        """
        optimizers = optimizer if type(optimizer) is tuple else (optimizer,)
        return [rate for each in optimizers for rate in _injected(getattr(each, "opt_state", None), 0)]

    def step_of(self, optimizer: Any) -> int | None:
        """Return the step of an optimizer of nnx or a TrainState."""
        step: Any = getattr(optimizer, "step", None)
        if is_nnx(step):
            step = step.get_value()
        return None if step is None or callable(step) else int(step)

    def class_name(self, thing: Any) -> str | None:
        """Return the name of a function, or of the class of a module or an optimizer; None for other pytrees."""
        if callable(apply := getattr(thing, "apply_fn", None)):  # A TrainState.
            return super().class_name(getattr(apply, "__self__", None))
        return None if isinstance(thing, Mapping | tuple | list) else super().class_name(thing)

    def network_state(self, network: Any) -> dict[str, Any]:
        """Return all arrays of a pytree by name, random keys left out."""
        jax: Any = sys.modules["jax"]
        leaves = named_leaves(sys.modules["flax.nnx"].state(network) if is_nnx(network) else network)
        is_key = jax.dtypes.prng_key
        return {
            name: leaf
            for name, leaf in leaves.items()
            if hasattr(leaf, "dtype") and not jax.numpy.issubdtype(leaf.dtype, is_key)
        }

    def histogram(self, tensor: Any) -> DeferredArray | None:
        """Return an array that is read when its computation has ended."""
        return DeferredArray(tensor) if is_jax_array(tensor) and tensor.is_fully_addressable else None


def _injected(state: Any, depth: int) -> Iterator[Any]:
    """Yield the learning rates in a state of Optax and in the states inside it."""
    hyperparams = getattr(state, "hyperparams", None)
    if isinstance(hyperparams, Mapping):
        if "learning_rate" in hyperparams:
            rate = hyperparams["learning_rate"]
            yield rate.get_value() if is_nnx(rate) else rate
    elif depth < _DEEPEST and isinstance(state, tuple | Mapping):
        for inner in state.values() if isinstance(state, Mapping) else state:
            yield from _injected(inner, depth + 1)


FRAMEWORK: Framework = JaxFramework()
