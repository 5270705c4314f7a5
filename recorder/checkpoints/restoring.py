"""Restoring: a checkpoint put back into a network and an optimizer."""

from collections.abc import Mapping
from typing import Any

from toposcope.recorder.checkpoints.checkpoint import Checkpoint
from toposcope.recorder.checkpoints.gathering import optimizer_shared_out, shared_out
from toposcope.recorder.frameworks.framework import framework_of


def restore(checkpoint: Checkpoint, network: Any, optimizer: Any = None) -> None:
    """Give a network, and an optimizer, the state of a checkpoint, wherever their tensors are.

    Tensors that processes share get their parts of whole ones, or those of the file of this rank.

    Raises:
        ValueError: names or shapes differ, and which, or there is no optimizer's state; the network is as it was.
        TypeError: the network or the optimizer has no way to be set.
    """
    if optimizer is not None and checkpoint.optimizer is None:
        raise ValueError("The checkpoint was saved without an optimizer.")
    framework = framework_of(network)
    own = framework.network_state(network)
    state = shared_out(checkpoint.network, own)
    _require_shapes(state, own)
    framework.load_network_state(network, state)
    if optimizer is not None:
        remembered = optimizer_shared_out(checkpoint.optimizer or {}, optimizer)
        framework_of(optimizer).load_optimizer_state(optimizer, remembered)


def _require_shapes(state: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """Raise ValueError when tensors of the same name are of different shapes."""
    for name in state.keys() & own.keys():
        theirs, ours = (tuple(getattr(tensor, "shape", ())) for tensor in (state[name], own[name]))
        if theirs != ours:
            raise ValueError(f"{name} is of shape {theirs} in the checkpoint, and of shape {ours} in the network.")
