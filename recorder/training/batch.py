"""Batches: what data loaders give for a step, nested as they like: its parts, its first array, its samples."""

from collections.abc import Mapping, Sequence
from typing import Any


def parts_of(batch: Any) -> tuple[Any, ...]:
    """Return what a batch consists of: the values of a mapping, the items of a tuple or a list, or itself."""
    if isinstance(batch, Mapping):
        return tuple(batch.values())
    return tuple(batch) if isinstance(batch, tuple | list) else (batch,)


def first_array(batch: object) -> Any:
    """Return the first array or tensor of a batch, in its lists, tuples and dicts; None when it has none."""
    while isinstance(batch, list | tuple | Mapping):
        items = batch.values() if isinstance(batch, Mapping) else batch
        batch = next(iter(items), None)
    return batch if hasattr(batch, "shape") else None


def sample_count(batch: object) -> int | None:
    """Return the number of samples in a batch, the first dimension of its first array; None when it has none."""
    shape: Sequence[int] = getattr(first_array(batch), "shape", ())
    return int(shape[0]) if len(shape) else None


def samples_of(batch: Any) -> int:
    """Return the number of samples of a batch; without an array in it the length of its first part, 0 when unknown."""
    if (count := sample_count(batch)) is not None:
        return count
    parts = parts_of(batch)
    try:
        return len(parts[0]) if parts else 0
    except TypeError:
        return 0
