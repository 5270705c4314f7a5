"""Captures the current state of a network and an optimizer as a checkpoint."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Appended, Checkpoint, map_leaves
from toposcope.recorder.checkpoints.state.sharded_tensors import gather, is_sharded, local_shard
from toposcope.recorder.framework import framework_of
from toposcope.recorder.values.arrays.foreign_values import short_repr


def states_of(network: Any, optimizer: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the states of a network and an optimizer, without copying them.

    Args:
        network: a network of any framework, or a mapping of names to tensors.
        optimizer: one optimizer, a tuple or list of several, or None. The state of one that provides none is None.

    Raises:
        TypeError: network is not a network, or has no parameters.
    """
    state = dict(network) if isinstance(network, Mapping) else framework_of(network).network_state(network)
    if not state:
        raise TypeError(
            f"A checkpoint requires a network with parameters or a dict of tensors, not {short_repr(network)}."
        )
    optimizer = normalized_optimizer(optimizer)
    return state, None if optimizer is None else framework_of(optimizer).optimizer_state(optimizer)


def normalized_optimizer(optimizer: Any) -> Any:
    """Return optimizer as frameworks accept it: one optimizer, a tuple of several, or None."""
    if not isinstance(optimizer, tuple | list):
        return optimizer
    return optimizer[0] if len(optimizer) == 1 else tuple(optimizer) or None


def capture(
    network: Mapping[str, Any],
    optimizer: Mapping[str, Any] | None,
    appended: Mapping[str, Appended],
    step: int | None = None,
    *,
    gathers: bool = True,
    copies: bool = False,
) -> Checkpoint:
    """Return a checkpoint of states. Its tensors share memory with those of the training unless copies is set.

    Args:
        network: tensors by name.
        optimizer: the state of the optimizer, or None.
        appended: further values to save.
        step: the number of steps that the training has made; None: unknown.
        gathers: whether sharded tensors are gathered, which requires a call in all processes; otherwise the checkpoint
            contains the shards of this process.
        copies: whether tensors are copied to the CPU, so that the training may continue before the file is written.
    """
    unshard = gather if gathers else local_shard

    def detached(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        tensor = unshard(value) if is_sharded(value) else value
        return _copy(tensor) if copies else tensor

    return Checkpoint(
        _map_state(network, detached),
        None if optimizer is None else _map_state(optimizer, detached),
        dict(appended),
        step,
    )


def _map_state(state: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    changed: dict[str, Any] = map_leaves(state, change)
    return changed


def _copy(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if hasattr(value, "asnumpy"):  # A tensor of MindSpore.
        return value.copy()
    if hasattr(value, "detach"):
        return value.detach().to("cpu", copy=True)
    return value  # Numbers, and immutable arrays such as those of JAX.
