"""Restoring: a checkpoint put back into a network and an optimizer."""

from collections.abc import Mapping
from itertools import filterfalse
from typing import Any

from toposcope.recorder.checkpoints.capturing import one_or_several
from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.gathering import optimizer_shared_out, shared_out
from toposcope.recorder.checkpoints.torch_file import is_extra_state
from toposcope.recorder.framework import SEVERAL, framework_of
from toposcope.recorder.values.foreign import shown


def restore(checkpoint: Checkpoint, network: Any, optimizer: Any = None) -> None:
    """Give a network, and an optimizer, the state of a checkpoint, wherever their tensors are.

    Tensors that processes share get their parts of whole ones, or those of the file of this rank.

    Args:
        checkpoint: as load_checkpoint() returns it.
        network: of the kind that was saved.
        optimizer: of the kind that was saved; a tuple or list of as many as were saved; None: none.

    Raises:
        ValueError: names or shapes differ, and which, or the number of optimizers does, or there is no optimizer's
            state; the network is as it was.
        TypeError: checkpoint is none, or the network or the optimizer has no way to be set.
    """
    if not isinstance(checkpoint, Checkpoint):
        raise TypeError(f"checkpoint is a Checkpoint, as load_checkpoint() returns it, not {shown(checkpoint)}.")
    optimizer = one_or_several(optimizer)
    if optimizer is not None:
        _require_number(checkpoint.optimizer, optimizer)
    framework = framework_of(network)
    own = framework.network_state(network)
    state = shared_out(checkpoint.network, own)
    _require_shapes(state, own)
    framework.load_network_state(network, state)
    if optimizer is not None:
        remembered = optimizer_shared_out(checkpoint.optimizer or {}, optimizer)
        framework_of(optimizer).load_optimizer_state(optimizer, remembered)


def _require_number(state: Mapping[str, Any] | None, optimizer: Any) -> None:
    """Raise ValueError when the state is not of as many optimizers."""
    if state is None:
        raise ValueError("The checkpoint was saved without an optimizer.")
    saved = len(state[SEVERAL]) if SEVERAL in state else 1
    given = len(optimizer) if isinstance(optimizer, tuple) else 1
    if saved != given:
        raise ValueError(f"The checkpoint holds the state of {saved} optimizers, and {given} are to take it.")


def _require_shapes(state: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Raise ValueError when tensors of the same name are of different shapes."""
    for name in filterfalse(is_extra_state, state.keys() & own.keys()):
        theirs, ours = (tuple(getattr(tensor, "shape", ())) for tensor in (state[name], own[name]))
        if theirs != ours:
            raise ValueError(f"{name} is of shape {theirs} in the checkpoint, and of shape {ours} in the network.")
