"""Rank values: what each process of a training has measured, available to all of them."""

from typing import Any, TypeVar

from toposcope.recorder.imported import imported

_T = TypeVar("_T")


def values_of_ranks(value: _T) -> list[_T]:
    """Return the values of all processes in the order of their ranks; every process must call this.

    Without an initialized torch.distributed it is [value].
    """
    distributed: Any = imported("torch.distributed")
    if distributed is None or not (distributed.is_available() and distributed.is_initialized()):
        return [value]
    values: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    return values
