"""LiveParams: MindSpore's facts of a training, read and changed by our callbacks."""

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any

from toposcope.recorder.training.events.run_context import CallbackParams


class LiveParams(CallbackParams):
    """A view of MindSpore's cb_params: callbacks read and write MindSpore's current values.

    A missing attribute raises AttributeError (MindSpore raises KeyError).
    """

    _cb_params: MutableMapping[str, Any]
    _derived: Mapping[str, Callable[[Any], Any]]

    def __init__(self, cb_params: MutableMapping[str, Any], derived: Mapping[str, Callable[[Any], Any]]) -> None:
        """View cb_params; the values of keys in derived are computed by its functions from MindSpore's values."""
        super().__init__()
        # Setting an attribute would set an item.
        object.__setattr__(self, "_cb_params", cb_params)
        object.__setattr__(self, "_derived", derived)

    def __getitem__(self, key: str) -> Any:
        value = self._cb_params[key]
        return self._derived[key](value) if key in self._derived else value

    def __setitem__(self, key: str, value: Any) -> None:
        self._cb_params[key] = value

    def __delitem__(self, key: str) -> None:
        del self._cb_params[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cb_params)

    def __len__(self) -> int:
        return len(self._cb_params)

    def __repr__(self) -> str:
        return repr(self.copy())

    def copy(self) -> dict[str, Any]:
        """Return the current facts."""
        return {key: self[key] for key in self}


# The methods of dict would use the items of the view itself, which has none.
for _method in (
    "__contains__",
    "__eq__",
    "clear",
    "get",
    "items",
    "keys",
    "pop",
    "popitem",
    "setdefault",
    "update",
    "values",
):
    setattr(LiveParams, _method, getattr(MutableMapping, _method))
