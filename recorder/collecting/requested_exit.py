"""Requests to exit: whether a signal ended a training through a callback."""

from collections.abc import Mapping
from typing import Any


def requested_exit(params: Mapping[str, Any]) -> str | None:
    """Return the name of the callback that stopped the training because of a signal; None if there is none.

    MindSpore's OnRequestExit handles SIGTERM: it stops the training after the step. Other callbacks that stop a
    training, such as EarlyStopping, finish it.
    """
    for callback in params.get("list_callback") or ():
        names = {kind.__name__ for kind in type(callback).__mro__}
        if "OnRequestExit" in names and (getattr(callback, "exit", False) or getattr(callback, "stop_train", False)):
            return "OnRequestExit"
    return None
