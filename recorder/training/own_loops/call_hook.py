"""Call hook: observes when a network is first called in each step of a user-written loop, and how often."""

from collections.abc import Callable
from typing import Any, Protocol

from toposcope.recorder.adapters import adapter, is_module


class CallHook(Protocol):
    """Reports the first training call of a network after arm(), and counts its training calls."""

    calls: int
    """Training calls since it was set to 0, those after disarm() excluded."""

    def arm(self) -> None:
        """Observe the network: report its next training call."""

    def disarm(self) -> None:
        """Stop observing until the next arm()."""

    def remove(self) -> None:
        """Stop observing for good, and release the network."""


class _NoCallHook:
    """The CallHook of a network whose calls cannot be observed."""

    calls = 0

    def arm(self) -> None:
        """Do nothing."""

    disarm = remove = arm


def call_hook(network: Any, on_call: Callable[[Any], None]) -> CallHook:
    """Return a hook that calls on_call with the arguments of the network's first training call after arm()."""
    if not is_module(network):
        return _NoCallHook()
    hook: CallHook = adapter("torch", "call_hook").TrainingCallHook(network, on_call)
    return hook
