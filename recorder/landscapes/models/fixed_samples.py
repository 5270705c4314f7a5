"""Held samples: the first samples of a dataset, kept as batches, so that every loss is one of the same data."""

import hashlib
import random
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.training.batch import samples_of
from toposcope.recorder.values.foreign import shown

_SEED = 0
_PLAIN = (str, bytes, int, float)
"""What is hashed besides arrays: the text of other objects may be another one in each process."""


class FixedSamples(NamedTuple):
    """Batches of samples: arrays of any framework whose first dimension counts them, nested in tuples, lists, dicts."""

    batches: tuple[Any, ...]
    starts: tuple[int, ...]
    """The number of the first sample of each batch; and at the end how many samples there are."""

    @property
    def samples(self) -> int:
        """How many there are."""
        return self.starts[-1]

    def between(self, first: int, last: int | None) -> Iterator[tuple[Any, int]]:
        """Yield batches of the samples [first, last) with their sizes; one that cannot be cut counts where it begins.

        Raises:
            ValueError: there is no such sample.
        """
        stop = self.samples if last is None else min(last, self.samples)
        if not 0 <= first < stop:
            raise ValueError(f"Samples {first} to {last} are wanted of the {self.samples} that are held.")
        for number in range(bisect_right(self.starts, first) - 1, len(self.batches)):
            begin, end = self.starts[number : number + 2]
            if begin >= stop:
                return
            batch, size = self.batches[number], end - begin
            low, high = max(first - begin, 0), min(stop - begin, size)
            if high - low == size:
                yield batch, size
            elif is_cuttable(batch, size):
                yield cut(batch, low, high), high - low
            elif low == 0:
                yield batch, size

    def mapped(self, change: Callable[[Any], Any]) -> "FixedSamples":
        """Return samples with changed arrays."""
        return FixedSamples(tuple(mapped(change, batch) for batch in self.batches), self.starts)

    def recut(self, size: int, joined: Callable[[list[Any]], Any]) -> "FixedSamples":
        """Return batches of another size, views of one array each; as they are where they cannot be joined.

        Args:
            size: samples of all batches but the last.
            joined: makes one array of several, along the first dimension.
        """
        whole = _whole(self, joined)
        if whole is None:
            return self
        starts = (*range(0, self.samples, size), self.samples)
        return FixedSamples(tuple(cut(whole, *starts[i : i + 2]) for i in range(len(starts) - 1)), starts)

    def hash(self, array_of: Callable[[Any], npt.NDArray[Any]]) -> str:
        """Return the SHA-256 of all arrays, however they are cut, and texts; array_of gives NumPy's of one."""
        sha = hashlib.sha256()
        columns = [list(leaves(batch)) for batch in self.batches]
        for place in range(max(map(len, columns))):
            form = b""
            for column in columns:
                if place >= len(column):
                    continue
                if not hasattr(column[place], "shape"):
                    sha.update(repr(column[place]).encode() if isinstance(column[place], _PLAIN) else b"?")
                else:
                    array = np.ascontiguousarray(array_of(column[place]))
                    own = f"{array.dtype}{array.shape[1:]}".encode()
                    sha.update((own if own != form else b"") + array.tobytes())
                    form = own
        return sha.hexdigest()


def first_samples(dataset: Any, number: int, take: Callable[[Any], Any]) -> FixedSamples:
    """Return the first *number* samples of a dataset, or all that it has, read in its order and once.

    What is random in that, as a shuffling loader, begins with a fixed seed: whoever reads them again holds the same.

    Args:
        dataset: an iterable of batches.
        number: at least 1.
        take: returns its own copy of an array of a batch.

    Raises:
        TypeError: dataset is no iterable.
        ValueError: it has no samples, or a batch has none that can be counted.
    """
    batches: list[Any] = []
    starts = [0]
    if not isinstance(dataset, Iterable) and not hasattr(dataset, "__getitem__"):
        raise TypeError(f"The dataset of callback_fn is an iterable of batches, not {shown(dataset)}.")
    with fixed_randomness():
        for batch in dataset:
            size = samples_of(batch)
            if not size:
                raise ValueError(f"A batch begins with an array whose first dimension counts samples; {shown(batch)}.")
            kept = min(size, number - starts[-1])
            if kept < size and is_cuttable(batch, size):
                batch, size = cut(batch, 0, kept), kept
            batches.append(mapped(take, batch))
            starts.append(starts[-1] + size)
            if starts[-1] >= number:
                break
    if not batches:
        raise ValueError(f"The dataset of callback_fn gives no batches: {shown(dataset)}.")
    return FixedSamples(tuple(batches), tuple(starts))


@contextmanager
def fixed_randomness() -> Iterator[None]:
    """Seed the generators of Python, NumPy and PyTorch for a block, and set them back after it."""
    torch: Any = sys.modules.get("torch")
    states = random.getstate(), np.random.get_state(), None if torch is None else torch.get_rng_state()
    random.seed(_SEED)
    np.random.seed(_SEED)
    if torch is not None:
        torch.default_generator.manual_seed(_SEED)
    try:
        yield
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
        if torch is not None:
            torch.set_rng_state(states[2])


def mapped(change: Callable[[Any], Any], batch: Any) -> Any:
    """Return a batch with changed arrays."""
    if isinstance(batch, Mapping):
        return {key: mapped(change, item) for key, item in batch.items()}
    if isinstance(batch, tuple | list):
        changed = [mapped(change, item) for item in batch]
        return type(batch)(*changed) if hasattr(batch, "_fields") else type(batch)(changed)
    return change(batch) if hasattr(batch, "shape") else batch


def leaves(batch: Any) -> Iterator[Any]:
    """Yield the arrays of a batch, and whatever else is in it."""
    if isinstance(batch, Mapping | tuple | list):
        for item in batch.values() if isinstance(batch, Mapping) else batch:
            yield from leaves(item)
    else:
        yield batch


def is_cuttable(batch: Any, size: int) -> bool:
    """Say whether every part of a batch is an array of so many samples."""
    return all(tuple(getattr(leaf, "shape", ()))[:1] == (size,) for leaf in leaves(batch))


def cut(batch: Any, low: int, high: int) -> Any:
    """Return the samples [low, high) of a batch that is cuttable."""
    return mapped(lambda array: array[low:high], batch)


def _whole(held: FixedSamples, joined: Callable[[list[Any]], Any]) -> Any:
    """Return all samples as one batch; None where batches differ in more than their sizes."""
    sizes: list[int] = np.diff(held.starts).tolist()
    forms = {_form(batch) for batch in held.batches}
    if len(forms) != 1 or not all(is_cuttable(batch, size) for batch, size in zip(held.batches, sizes, strict=True)):
        return None
    columns = [leaves(batch) for batch in held.batches]
    arrays = iter([joined(list(column)) for column in zip(*columns, strict=True)])
    return mapped(lambda _: next(arrays), held.batches[0])


def _form(batch: Any) -> tuple[object, ...]:
    return tuple((str(getattr(leaf, "dtype", "")), tuple(getattr(leaf, "shape", ()))[1:]) for leaf in leaves(batch))
