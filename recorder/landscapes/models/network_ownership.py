"""Ownership of networks: a network's weights are moved by one landscape model at a time."""

from typing import Any
from weakref import WeakValueDictionary

_owners: WeakValueDictionary[int, Any] = WeakValueDictionary()


def acquire(network: object, model: object) -> None:
    """Make model the owner of network; ValueError if another model owns it."""
    if id(network) in _owners:
        raise ValueError(
            f"This {type(network).__name__} is in use by another loss landscape: callback_fn makes a new network in "
            "each call."
        )
    # The model refers to the network, so its id is not reused meanwhile.
    _owners[id(network)] = model


def release(network: object, model: object) -> None:
    """End the ownership of network by model."""
    if _owners.get(id(network)) is model:
        del _owners[id(network)]
