"""Restores the state of a network and an optimizer from a checkpoint."""

from collections.abc import Mapping
from itertools import filterfalse
from typing import Any

from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.formats.torch_file import is_extra_state
from toposcope.recorder.checkpoints.state.capturing import normalized_optimizer
from toposcope.recorder.checkpoints.state.sharded_tensors import optimizer_sharded_like, sharded_like
from toposcope.recorder.checkpoints.state.step_count import restore_step
from toposcope.recorder.framework import SEVERAL_OPTIMIZERS, framework_of
from toposcope.recorder.values.arrays.foreign_values import short_repr


def restore(checkpoint: Checkpoint, network: Any, optimizer: Any = None) -> None:
    """Set the state of a network, and of an optimizer, to that of a checkpoint, on the devices of their tensors.

    Sharded tensors are set from whole tensors, or from the shards in the file of this rank. The next training with the
    optimizer, or with the network and no optimizer, goes on counting at the step of the checkpoint.

    Args:
        checkpoint: the result of load_checkpoint().
        network: a network with the structure of the saved one.
        optimizer: an optimizer like the saved one, or a tuple or list of the same number of optimizers; None: none.

    Raises:
        ValueError: names, shapes or the number of optimizers differ, or the checkpoint has no optimizer state. The
            message names the difference; the network is unchanged.
        TypeError: checkpoint is not a Checkpoint, or the state of the network or optimizer cannot be set.
    """
    if not isinstance(checkpoint, Checkpoint):
        raise TypeError(
            f"checkpoint must be a Checkpoint as returned by load_checkpoint(), not {short_repr(checkpoint)}."
        )
    optimizer = normalized_optimizer(optimizer)
    if optimizer is not None:
        _require_number(checkpoint.optimizer, optimizer)
    framework = framework_of(network)
    current = framework.network_state(network)
    state = sharded_like(checkpoint.network, current)
    _require_shapes(state, current)
    framework.load_network_state(network, state)
    if optimizer is not None:
        optimizer_state = optimizer_sharded_like(checkpoint.optimizer or {}, optimizer)
        framework_of(optimizer).load_optimizer_state(optimizer, optimizer_state)
    restore_step(checkpoint.step, network, optimizer)


def _require_number(state: Mapping[str, Any] | None, optimizer: Any) -> None:
    """Raise ValueError if the number of optimizers differs from that in the state."""
    if state is None:
        raise ValueError("The checkpoint was saved without an optimizer.")
    saved = len(state[SEVERAL_OPTIMIZERS]) if SEVERAL_OPTIMIZERS in state else 1
    given = len(optimizer) if isinstance(optimizer, tuple) else 1
    if saved != given:
        raise ValueError(f"The checkpoint holds the state of {saved} optimizers, and {given} are to take it.")


def _require_shapes(state: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Raise ValueError if tensors of the same name have different shapes."""
    for name in filterfalse(is_extra_state, state.keys() & current.keys()):
        saved_shape, shape = (tuple(getattr(tensor, "shape", ())) for tensor in (state[name], current[name]))
        if saved_shape != shape:
            raise ValueError(f"{name} has shape {saved_shape} in the checkpoint, and shape {shape} in the network.")
