"""FixedSamples: the first samples of a dataset, stored as batches, so that all losses are of the same data."""

import hashlib
import random
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.recorder.imported import imported
from toposcope.recorder.training.data.batch import samples_of
from toposcope.recorder.values.arrays.foreign_values import short_repr

_SEED = 0
_PLAIN = (str, bytes, int, float)
"""Types that are hashed besides arrays; the text of other objects may differ between processes."""


class FixedSamples(NamedTuple):
    """Batches of samples: arrays of any framework whose first dimension counts them, nested in tuples, lists, dicts."""

    batches: tuple[Any, ...]
    starts: tuple[int, ...]
    """The number of the first sample of each batch, followed by the number of samples."""

    @property
    def samples(self) -> int:
        """The number of samples."""
        return self.starts[-1]

    def between(self, first: int, last: int | None) -> Iterator[tuple[Any, int]]:
        """Yield batches of the samples [first, last) with their sizes.

        A batch that cannot be cut is yielded whole if it begins in that range.

        Raises:
            ValueError: the range contains no sample.
        """
        stop = self.samples if last is None else min(last, self.samples)
        if not 0 <= first < stop:
            raise ValueError(f"There are no samples {first} to {last}: there are {self.samples}.")
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
        """Return samples whose arrays are replaced by change(array)."""
        return FixedSamples(tuple(mapped(change, batch) for batch in self.batches), self.starts)

    def recut(self, size: int, joined: Callable[[list[Any]], Any]) -> "FixedSamples":
        """Return batches of another size, views of joined arrays; these samples if their batches cannot be joined.

        Args:
            size: of all batches but the last.
            joined: concatenates arrays along the first dimension.
        """
        whole = _whole(self, joined)
        if whole is None:
            return self
        starts = (*range(0, self.samples, size), self.samples)
        return FixedSamples(tuple(cut(whole, *starts[i : i + 2]) for i in range(len(starts) - 1)), starts)

    def hash(self, array_of: Callable[[Any], npt.NDArray[Any]]) -> str:
        """Return the SHA-256 of all arrays and texts, independent of the batch sizes; array_of converts to NumPy."""
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
                    array_form = f"{array.dtype}{array.shape[1:]}".encode()
                    sha.update((array_form if array_form != form else b"") + array.tobytes())
                    form = array_form
        return sha.hexdigest()


def first_samples(dataset: Any, number: int, take: Callable[[Any], Any]) -> FixedSamples:
    """Return the first *number* samples of a dataset, or all that it has, read once and in its order.

    Random generators, as of a shuffling loader, start with a fixed seed: each call returns the same samples.

    Args:
        dataset: an iterable of batches.
        number: at least 1.
        take: returns a copy of an array of a batch.

    Raises:
        TypeError: dataset is not iterable.
        ValueError: it has no samples, or the samples of a batch cannot be counted.
    """
    batches: list[Any] = []
    starts = [0]
    if not isinstance(dataset, Iterable) and not hasattr(dataset, "__getitem__"):
        raise TypeError(f"The dataset of callback_fn is an iterable of batches, not {short_repr(dataset)}.")
    with fixed_randomness():
        for batch in dataset:
            size = samples_of(batch)
            if not size:
                raise ValueError(
                    "The first dimension of the first array of a batch must be the number of samples; "
                    f"it is not in {short_repr(batch)}."
                )
            kept = min(size, number - starts[-1])
            if kept < size and is_cuttable(batch, size):
                batch, size = cut(batch, 0, kept), kept
            batches.append(mapped(take, batch))
            starts.append(starts[-1] + size)
            if starts[-1] >= number:
                break
    if not batches:
        raise ValueError(f"The dataset of callback_fn has no batches: {short_repr(dataset)}.")
    return FixedSamples(tuple(batches), tuple(starts))


@contextmanager
def fixed_randomness() -> Iterator[None]:
    """Seed the random generators of Python, NumPy and PyTorch within the block, and restore them after it."""
    torch: Any = imported("torch")
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
    """Return a batch whose arrays are replaced by change(array)."""
    if isinstance(batch, Mapping):
        return {key: mapped(change, item) for key, item in batch.items()}
    if isinstance(batch, tuple | list):
        changed = [mapped(change, item) for item in batch]
        return type(batch)(*changed) if hasattr(batch, "_fields") else type(batch)(changed)
    return change(batch) if hasattr(batch, "shape") else batch


def leaves(batch: Any) -> Iterator[Any]:
    """Yield the arrays and other leaves of a batch."""
    if isinstance(batch, Mapping | tuple | list):
        for item in batch.values() if isinstance(batch, Mapping) else batch:
            yield from leaves(item)
    else:
        yield batch


def is_cuttable(batch: Any, size: int) -> bool:
    """Return whether every leaf of a batch is an array of *size* samples."""
    return all(tuple(getattr(leaf, "shape", ()))[:1] == (size,) for leaf in leaves(batch))


def cut(batch: Any, low: int, high: int) -> Any:
    """Return the samples [low, high) of a cuttable batch."""
    return mapped(lambda array: array[low:high], batch)


def _whole(fixed: FixedSamples, joined: Callable[[list[Any]], Any]) -> Any:
    """Return all samples as one batch; None if batches differ in more than their sizes."""
    sizes: list[int] = np.diff(fixed.starts).tolist()
    forms = {_form(batch) for batch in fixed.batches}
    if len(forms) != 1 or not all(is_cuttable(batch, size) for batch, size in zip(fixed.batches, sizes, strict=True)):
        return None
    columns = [leaves(batch) for batch in fixed.batches]
    arrays = iter([joined(list(column)) for column in zip(*columns, strict=True)])
    return mapped(lambda _: next(arrays), fixed.batches[0])


def _form(batch: Any) -> tuple[object, ...]:
    return tuple((str(getattr(leaf, "dtype", "")), tuple(getattr(leaf, "shape", ()))[1:]) for leaf in leaves(batch))
