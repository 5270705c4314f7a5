"""RunContext: what a callback is given: the facts of the training, and the way to stop it."""

from collections.abc import Callable
from typing import Any

from toposcope.recorder.values.foreign import shown


class CallbackParams(dict[str, Any]):
    """The facts of a training at this moment (`cb_params`): a dict whose items are attributes too.

    A missing attribute is an AttributeError, so that hasattr() and getattr() with a default work; MindSpore's raises
    KeyError.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"cb_params has no {name!r} now; it has {', '.join(sorted(self))}.") from None

    def __setattr__(self, name: str, value: object) -> None:
        self[name] = value

    def __delattr__(self, name: str) -> None:
        try:
            del self[name]
        except KeyError:
            raise AttributeError(f"cb_params has no {name!r} to delete.") from None


class RunContext:
    """Facts of the training for callbacks, who may add their own, and the request to stop; MindSpore's class."""

    def __init__(self, original_args: dict[str, Any], *, on_stop: Callable[[], None] | None = None) -> None:
        """Take the facts, of which a CallbackParams stays the same object; on_stop is called at the first request.

        Raises:
            TypeError: original_args is no dict.
        """
        if not isinstance(original_args, dict):
            raise TypeError(f"original_args is a dict, not {shown(original_args)}.")
        self._params = original_args if isinstance(original_args, CallbackParams) else CallbackParams(original_args)
        self._on_stop = on_stop
        self._is_stop_requested = False

    def original_args(self) -> CallbackParams:
        """Return the facts of the training (see CallbackParams), always the same object."""
        return self._params

    def request_stop(self) -> None:
        """Ask the training, or in an evaluation the evaluation, to end after this step."""
        if not self._is_stop_requested:
            self._is_stop_requested = True
            if self._on_stop is not None:
                self._on_stop()

    def get_stop_requested(self) -> bool:
        """Say whether a stop was asked for."""
        return self._is_stop_requested
