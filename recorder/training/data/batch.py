"""Batches, nested in any way, and data loaders: the parts, the first array and the samples of a batch; lengths."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any


def parts_of(batch: Any) -> tuple[Any, ...]:
    """Return the parts of a batch: the values of a mapping, the items of a tuple or a list, else the batch itself."""
    if isinstance(batch, Mapping):
        return tuple(batch.values())
    return tuple(batch) if isinstance(batch, tuple | list) else (batch,)


def first_array(batch: object) -> Any:
    """Return the first array or tensor in the nested lists, tuples and dicts of a batch; None if it has none."""
    while isinstance(batch, list | tuple | Mapping):
        items = batch.values() if isinstance(batch, Mapping) else batch
        batch = next(iter(items), None)
    return batch if hasattr(batch, "shape") else None


def sample_count(batch: object) -> int | None:
    """Return the number of samples of a batch, the first dimension of its first array; None if it has no array."""
    shape: Sequence[int] = getattr(first_array(batch), "shape", ())
    return int(shape[0]) if len(shape) else None


def samples_of(batch: Any) -> int:
    """Return the number of samples of a batch: by its first array, else the length of its first part, else 0."""
    first = batch[0] if type(batch) is tuple and batch else batch
    if shape := getattr(first, "shape", None):  # The usual batch, at every step.
        return int(shape[0])
    if (count := sample_count(batch)) is not None:
        return count
    parts = parts_of(batch)
    try:
        return len(parts[0]) if parts else 0
    except TypeError:
        return 0


def tokens_of(batch: Any, loader: Any) -> int:
    """Return the number of tokens of a batch, padding included; 0 if it is unknown.

    It is the size of the item "input_ids" of a mapping, as of Hugging Face; otherwise the samples times the attribute
    max_seq_len of the loader's dataset, if it has one. Composer counts the same.
    """
    if type(batch) is not tuple and isinstance(batch, Mapping) and "input_ids" in batch:
        shape: Sequence[int] = getattr(batch["input_ids"], "shape", ())
        return int(shape[0]) * int(shape[1]) if len(shape) > 1 else 0
    length = getattr(getattr(loader, "dataset", None), "max_seq_len", None)
    return samples_of(batch) * length if type(length) is int else 0


def number_used(batches: Any, number: int) -> int:
    """Return how many batches the first *number* are, at most all of them; -1 for all."""
    length = length_of(batches)
    return number if length is None or number < 0 else min(number, length)


def length_of(batches: Any) -> int | None:
    """Return the number of items of a data loader or dataset; None if it has none or it raises."""
    with suppress(Exception):
        return len(batches)
    with suppress(Exception):
        return int(batches.get_dataset_size())  # MindSpore's datasets.
    return None
