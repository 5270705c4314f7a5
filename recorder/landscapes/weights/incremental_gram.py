"""IncrementalGram: the Gram matrix of a training's checkpoints, extended by one row with each checkpoint."""

import json
import os
import zipfile
from collections.abc import Collection, Iterable, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from toposcope.recorder.checkpoints.files.atomic_file import atomic_file
from toposcope.recorder.landscapes.weights.gram import Doubles
from toposcope.recorder.landscapes.weights.layout import Layout, kind_by_name, layout_of
from toposcope.recorder.landscapes.weights.mapped_checkpoint import MappedCheckpoint, MappedFiles

_FREE_SECONDS = 1.0
"""Time of a whole training that may be spent in any case; small networks need no more."""
_CHUNK, _PIECE = 1 << 16, 1 << 13


class CheckpointFile(NamedTuple):
    """The identity of a checkpoint: size and time, which are known without reading it, and the exact hash."""

    size: int
    """Bytes of the file."""
    changed: int
    """Nanoseconds since 1970."""
    sha256: str
    """The hash of the tensors."""


class SavedGram(NamedTuple):
    """The content of gram.npz, with which CheckpointSet computes axes without reading the checkpoints."""

    files: dict[int, CheckpointFile]
    """The files, by point (step or epoch), in the order of the matrix."""
    products: Doubles
    """(T, T): inner products of the displacements from the first saved checkpoint, which may have been removed."""
    tensors: tuple[str, ...]
    """Names of the trained tensors."""


class IncrementalGram:
    """Computes the inner products of each new checkpoint with all before, and gives up if that takes too long."""

    def __init__(self, path: str) -> None:
        """Start without checkpoints; *path* is that of the file to write."""
        self._path = path
        self._mapped = MappedFiles()
        self._checkpoints: dict[int, MappedCheckpoint] = {}
        self._files: dict[int, CheckpointFile] = {}
        self._products = np.empty((0, 0))
        self._first: MappedCheckpoint | None = None
        self._layout: Layout | None = None
        self._seconds = _FREE_SECONDS
        self._has_given_up = False

    def add(self, point: int, path: str, trained: Collection[str], seconds: float) -> bool:
        """Add a checkpoint and write the file, or give up and remove it.

        Args:
            point: step or epoch.
            path: of a .safetensors file.
            trained: names of the trained tensors; of the others, those named like buffers are left out.
            seconds: added to the time that may be spent, of which one second is free. When it is used up, the file is
                removed, and readers of the checkpoints compute the products themselves.

        Returns:
            Whether the file was written.

        Raises:
            OSError: the checkpoint cannot be read, or the file cannot be written; later calls do nothing.
        """
        if self._has_given_up:
            return False
        try:
            return self._add(point, path, trained, perf_counter(), seconds) or self._give_up()
        except BaseException:
            self._give_up()
            raise

    def drop(self, points: Iterable[int]) -> None:
        """Remove checkpoints whose files are removed."""
        dropped = set(points)
        kept = [i for i, point in enumerate(self._files) if point not in dropped]
        self._products = self._products[np.ix_(kept, kept)]
        for point in dropped & self._files.keys():
            del self._files[point]
            checkpoint = self._checkpoints.pop(point)
            if checkpoint is not self._first:
                self._mapped.forget(checkpoint.path)

    def _add(self, point: int, path: str, trained: Collection[str], began: float, seconds: float) -> bool:
        """Add a checkpoint; return False if the network has changed, or the time is used up."""
        self._seconds += seconds
        checkpoint = MappedCheckpoint(path, self._mapped)
        layout = layout_of(
            (name, stored.shape, "weight" if name in trained else kind_by_name(name, stored.shape))
            for name, stored in checkpoint.tensors.items()
        )
        if self._layout is not None and self._layout != layout:
            return False
        self._first, self._layout = self._first or checkpoint, layout
        self._checkpoints[point] = checkpoint
        with np.errstate(invalid="ignore", over="ignore"):  # The weights may not be finite.
            row = self._new_products([*self._checkpoints.values()], self._first, layout, began + self._seconds)
        if row is None:
            return False
        grown = np.empty((row.size, row.size))
        grown[:-1, :-1], grown[-1], grown[:, -1] = self._products, row, row
        self._products = grown
        self._files[point] = described(checkpoint)
        self._write(layout)
        self._seconds -= perf_counter() - began
        return True

    def _new_products(
        self, checkpoints: Sequence[MappedCheckpoint], first: MappedCheckpoint, layout: Layout, deadline: float
    ) -> Doubles | None:
        """Return the products of the last checkpoint with all, including itself; None if the time is used up."""
        row = np.zeros(len(checkpoints))
        numbers = np.empty(_CHUNK)
        for start in range(0, layout.parameter_count, _CHUNK):
            if perf_counter() > deadline:
                return None
            stop = min(start + _CHUNK, layout.parameter_count)
            origin = first.read(layout, start, stop).astype(np.float64)
            newest = checkpoints[-1].read(layout, start, stop) - origin
            # The product of a displacement (a - o) with b is a b - o b, which saves a subtraction for each checkpoint.
            from_origin = _inner(origin, newest)
            row[-1] += _inner(newest, newest)
            for number, checkpoint in enumerate(checkpoints[:-1]):
                np.copyto(numbers[: stop - start], checkpoint.read(layout, start, stop))
                row[number] += _inner(numbers[: stop - start], newest) - from_origin
        return row

    def _write(self, layout: Layout) -> None:
        names = [tensor.name for tensor in layout.tensors if tensor.kind != "buffer"]
        files = {str(point): file for point, file in self._files.items()}
        with atomic_file(self._path) as part, open(part, "wb") as file:
            np.savez(file, products=self._products, facts=np.array(json.dumps({"files": files, "tensors": names})))

    def _give_up(self) -> bool:
        self._has_given_up = True
        self._checkpoints.clear()
        self._files.clear()
        self._first, self._mapped, self._products = None, MappedFiles(), np.empty((0, 0))
        if os.path.exists(self._path):
            os.unlink(self._path)
        return False


def _inner(vector: Doubles, other: Doubles) -> float:
    """Return an inner product, computed in pieces for which BLAS starts no threads."""
    whole = vector.size // _PIECE * _PIECE
    pieces = vector[:whole].reshape(-1, 1, _PIECE) @ other[:whole].reshape(-1, _PIECE, 1)
    return float(pieces.sum() + vector[whole:] @ other[whole:])


def saved_gram(path: str) -> SavedGram | None:
    """Return the content of gram.npz; None if there is none, or it is damaged."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            facts, products = json.loads(str(archive["facts"])), archive["products"]
        files = {int(point): CheckpointFile(*file) for point, file in facts["files"].items()}
        if products.shape != (len(files), len(files)) or not np.isfinite(products).all():
            return None
        return SavedGram(files, products.astype(np.float64), tuple(facts["tensors"]))
    except (OSError, ValueError, TypeError, KeyError, AttributeError, zipfile.BadZipFile):
        return None


def described(checkpoint: MappedCheckpoint) -> CheckpointFile:
    """Return the identity of a checkpoint, which is read for its hash."""
    return CheckpointFile(checkpoint.state.size, checkpoint.state.changed, checkpoint.sha256())
