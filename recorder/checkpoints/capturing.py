"""Capturing: the state of a network and an optimizer, as it is now, on its way into a file."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from toposcope.recorder.checkpoints.checkpoint import Appended, Checkpoint, mapped
from toposcope.recorder.checkpoints.gathering import gathered, is_sharded, local_part
from toposcope.recorder.framework import framework_of
from toposcope.recorder.values.foreign import shown


def states_of(network: Any, optimizer: Any) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return what network and optimizer consist of, not copied.

    Args:
        network: of any framework, or a mapping of names to tensors.
        optimizer: one or several; None for none; one that tells no state counts as none.

    Raises:
        TypeError: network is none, or has no parameters.
    """
    state = dict(network) if isinstance(network, Mapping) else framework_of(network).network_state(network)
    if not state:
        raise TypeError(f"A checkpoint is of a network with parameters, or of a dict of tensors, not {shown(network)}.")
    optimizer = one_or_several(optimizer)
    return state, None if optimizer is None else framework_of(optimizer).optimizer_state(optimizer)


def one_or_several(optimizer: Any) -> Any:
    """Return an optimizer as frameworks take it: a list of several as a tuple, of one its only one, of none None."""
    if not isinstance(optimizer, tuple | list):
        return optimizer
    return optimizer[0] if len(optimizer) == 1 else tuple(optimizer) or None


def captured(
    network: Mapping[str, Any],
    optimizer: Mapping[str, Any] | None,
    appended: Mapping[str, Appended],
    *,
    gathers: bool = True,
    copies: bool = False,
) -> Checkpoint:
    """Return a checkpoint of states, whose tensors stay those of the training unless they are to be copied.

    Args:
        network: names to tensors.
        optimizer: its state, or None.
        appended: goes along.
        gathers: shared tensors become whole, for which all processes have to call this; otherwise this one's parts.
        copies: whether the training may go on before the checkpoint is written: tensors are copied to the CPU.
    """
    unshared = gathered if gathers else local_part

    def taken(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        whole = unshared(value) if is_sharded(value) else value
        return _copied(whole) if copies else whole

    return Checkpoint(_mapped(network, taken), None if optimizer is None else _mapped(optimizer, taken), dict(appended))


def _mapped(state: Mapping[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    changed: dict[str, Any] = mapped(state, change)
    return changed


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if hasattr(value, "asnumpy"):  # MindSpore's.
        return value.copy()
    if hasattr(value, "detach"):
        return value.detach().to("cpu", copy=True)
    return value  # Numbers; and arrays that never change, as JAX's.
