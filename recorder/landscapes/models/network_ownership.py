"""Taken networks: those whose weights a landscape model moves, so that no other one does at the same time."""

from typing import Any
from weakref import WeakValueDictionary

_takers: WeakValueDictionary[int, Any] = WeakValueDictionary()


def take(network: object, model: object) -> None:
    """Note that model moves the weights of network; ValueError when another one does that has not given it back."""
    if id(network) in _takers:
        raise ValueError(
            f"This {type(network).__name__} is in use by another loss landscape: callback_fn makes a new network in "
            "each call."
        )
    # Held by the model, a network keeps its id.
    _takers[id(network)] = model


def give_back(network: object, model: object) -> None:
    """Note that model is done with network."""
    if _takers.get(id(network)) is model:
        del _takers[id(network)]
