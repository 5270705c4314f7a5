"""CheckpointSet: checkpoints of one or several trainings of a network, as flat vectors of its weights."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, overload

import numpy as np

from toposcope.recorder.checkpoints import load_checkpoint
from toposcope.recorder.landscapes.weights.gram import Doubles, displacement_products
from toposcope.recorder.landscapes.weights.incremental_gram import CheckpointFile, SavedGram, saved_gram
from toposcope.recorder.landscapes.weights.layout import Layout, kind_by_name, layout_of
from toposcope.recorder.landscapes.weights.mapped_checkpoint import (
    Float32s,
    MappedCheckpoint,
    MappedFiles,
    write_tensors,
)
from toposcope.recorder.values.arrays.arrays import array_from

METADATA, GRAM = "train_metadata.json", "gram.npz"
_CONVERTED = "converted"
_MIN_SHARE = 1e-9
"""The least product relative to the largest; smaller ones have lost their digits to a change of the origin."""


class Rows(Sequence[Float32s]):
    """The flat vectors of checkpoints; rows[t] is read on access, from a memory-mapped file."""

    def __init__(self, checkpoints: Sequence[MappedCheckpoint], layout: Layout) -> None:
        """Read *checkpoints* in the order of *layout*."""
        self._checkpoints, self._layout = checkpoints, layout

    @property
    def shape(self) -> tuple[int, int]:
        """(T, N): the number of checkpoints, and the length of each vector."""
        return len(self._checkpoints), self._layout.size

    def __len__(self) -> int:
        """Return the number of checkpoints."""
        return len(self._checkpoints)

    @overload
    def __getitem__(self, index: int) -> Float32s: ...

    @overload
    def __getitem__(self, index: slice) -> list[Float32s]: ...

    def __getitem__(self, index: int | slice) -> Float32s | list[Float32s]:
        """Return a new vector of shape (N,)."""
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        vector = np.empty(self._layout.size, np.float32)
        for tensor in self._layout.tensors:
            vector[tensor.start : tensor.stop] = self._checkpoints[index].read(self._layout, tensor.start, tensor.stop)
        return vector

    def read(self, row: int, start: int, stop: int) -> Float32s:
        """Return the numbers [start, stop) of one vector, read-only: they may be views of the map."""
        return self._checkpoints[row].read(self._layout, start, stop)


class Checkpoint(NamedTuple):
    """One checkpoint."""

    point: int
    """Step or epoch."""
    file: MappedCheckpoint
    recorded: CheckpointFile | None
    """The record of the training about it, if there is one."""


class CheckpointSet:
    """Checkpoints of one network; the last one is the model, relative to which displacements are computed."""

    def __init__(self, checkpoints: Sequence[Checkpoint], layout: Layout, saved: SavedGram | None) -> None:
        """Use mapped checkpoints and the Gram matrix that the training has saved; see open()."""
        self._checkpoints, self._saved = tuple(checkpoints), saved
        self.layout = layout
        self.points = tuple(checkpoint.point for checkpoint in checkpoints)
        files = [checkpoint.file for checkpoint in checkpoints]
        for file in files:
            file.check(layout)
        self.rows = Rows(files, layout)

    @classmethod
    def open(
        cls, ckpt_dir: str | os.PathLike[str], points: Iterable[int], layout: Layout | None = None
    ) -> "CheckpointSet":
        """Open the checkpoints of some points of a training.

        Files other than .safetensors are converted once, into the folder "converted" in the same directory.

        Args:
            ckpt_dir: folder with train_metadata.json, which contains the paths of the files: relative to it or, as in
                MindSpore, absolute; files of these names in the folder are preferred.
            points: steps or epochs, in the order of the training.
            layout: of the network; None: derived from the names in the last checkpoint.

        Raises:
            FileNotFoundError: the metadata or a checkpoint is missing; the message names it.
            ValueError: the metadata or a checkpoint is damaged, or of another network, or a point has no checkpoint.
        """
        folder = os.path.abspath(os.fspath(ckpt_dir))
        selected = list(points)
        if not selected:
            raise ValueError("points contains the steps or epochs of at least one checkpoint; it is empty.")
        named = _named_files(os.path.join(folder, METADATA))
        if missing := [point for point in selected if point not in named]:
            raise ValueError(f"There is no checkpoint of {missing[0]}; {folder!r} contains those of {sorted(named)}.")
        saved, files = saved_gram(os.path.join(folder, GRAM)), MappedFiles()
        recorded = saved.files if saved else {}
        mapped = [
            MappedCheckpoint(_mappable(_existing_path(named[point], folder, point), folder), files)
            for point in selected
        ]
        checkpoints = [
            Checkpoint(point, file, recorded.get(point)) for point, file in zip(selected, mapped, strict=True)
        ]
        return cls(checkpoints, layout or _layout_by_names(mapped[-1]), saved)

    @classmethod
    def open_together(cls, trainings: Iterable[tuple[str, Iterable[int]]], layout: Layout) -> "CheckpointSet":
        """Open the checkpoints of other trainings, each in reverse, followed by those of a training.

        So the first checkpoint is the end of another training, and the last one is the end of the training itself.

        Args:
            trainings: ckpt_dir and points of the training, then of the others; errors are those of open().
            layout: of the common network.
        """
        own, *others = (cls.open(ckpt_dir, points, layout) for ckpt_dir, points in trainings)
        before = [checkpoint for other in others for checkpoint in reversed(other._checkpoints)]
        return cls([*before, *own._checkpoints], layout, None if before else own._saved)

    @cached_property
    def hashes(self) -> tuple[str, ...]:
        """The SHA-256 of each checkpoint's tensors; files that have not changed since the training are not read."""
        return tuple(_sha256(checkpoint) for checkpoint in self._checkpoints)

    @cached_property
    def products(self) -> Doubles:
        """The Gram matrix (T, T), float64, of the displacements from the last checkpoint in the trained weights.

        It is read from gram.npz if that is complete, of the same files and exact enough; otherwise it is computed.

        Raises:
            ValueError: weights of a checkpoint are not finite.
        """
        products = self._saved_products()
        if products is None:
            with np.errstate(invalid="ignore", over="ignore"):
                products = displacement_products(self.rows, len(self.rows) - 1, self.layout.parameter_count)
        if not np.isfinite(products).all():
            raise ValueError(self._not_finite(products))
        return products

    def _saved_products(self) -> Doubles | None:
        saved = self._saved
        if saved is None or not set(self.points) <= saved.files.keys() or set(saved.tensors) != self._trained_names():
            return None
        if any(saved.files[point].sha256 != sha for point, sha in zip(self.points, self.hashes, strict=True)):
            return None
        return _from_last(saved, self.points)

    def _trained_names(self) -> set[str]:
        return {tensor.name for tensor in self.layout.tensors if tensor.kind != "buffer"}

    def _not_finite(self, products: Doubles) -> str:
        if not np.isfinite(self.rows[-1][: self.layout.parameter_count]).all():
            return f"The checkpoint of {self.points[-1]}, the last one, has weights that are not finite."
        points = [str(p) for p, square in zip(self.points, np.diag(products), strict=True) if not np.isfinite(square)]
        return f"Weights are not finite in the checkpoint of {', '.join(points)}: choose intervals without it."


def products_from_last(products: Doubles, chosen: Sequence[int]) -> Doubles:
    """Return the Gram matrix of the displacements of some checkpoints from the last of these.

    Args:
        products: (T, T), of displacements from any origin.
        chosen: numbers of the checkpoints.
    """
    of_chosen = products[np.ix_(chosen, chosen)]
    displaced: Doubles = of_chosen - of_chosen[:, -1:] - of_chosen[-1:] + of_chosen[-1, -1]
    return displaced


def _from_last(saved: SavedGram, points: Sequence[int]) -> Doubles | None:
    """Return products of displacements from the last of *points*; None if the subtraction leaves too few digits."""
    places = {point: place for place, point in enumerate(saved.files)}
    chosen = [places[point] for point in points]
    products = products_from_last(saved.products, chosen)
    squares, before = np.diag(products)[:-1], np.diag(saved.products)[chosen]
    return products if (squares > _MIN_SHARE * before.max()).all() else None


def _named_files(path: str) -> dict[int, str]:
    try:
        with open(path, encoding="utf-8") as file:
            files: Mapping[str, Any] = json.load(file)["model_params_file_map"]
        return {int(point): os.fspath(named) for point, named in files.items()}
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{path!r} does not exist: train with SummaryCollector(directory, collect_specified_data="
            "{'collect_landscape': {...}})."
        ) from None
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(f"{path!r} contains no checkpoints: it is damaged, or another file.") from None


def _existing_path(named: str, folder: str, point: int) -> str:
    # In the folder first: it may be a copy of a folder whose files have changed since.
    for path in (os.path.join(folder, os.path.basename(named)), os.path.join(folder, named)):
        if os.path.isfile(path):
            return path
    raise FileNotFoundError(f"The checkpoint of {point} is missing: {os.path.join(folder, named)!r}.")


def _mappable(path: str, folder: str) -> str:
    """Return the path of a .safetensors file with the tensors of a checkpoint; convert the file if necessary."""
    if path.endswith(".safetensors"):
        return path
    stat = os.stat(path)
    name = f"{os.path.basename(path)}.{stat.st_size}.{stat.st_mtime_ns}.safetensors"
    converted = os.path.join(folder, _CONVERTED, name)
    if not os.path.exists(converted):
        os.makedirs(os.path.dirname(converted), exist_ok=True)
        network = load_checkpoint(path).network
        write_tensors(
            {name: array_from(tensor).numbers() for name, tensor in network.items() if _is_array(tensor)}, converted
        )
    return converted


def _is_array(tensor: object) -> bool:
    return hasattr(tensor, "shape") and hasattr(tensor, "dtype")


def _layout_by_names(checkpoint: MappedCheckpoint) -> Layout:
    shapes = {name: stored.shape for name, stored in checkpoint.tensors.items()}
    return layout_of((name, shape, kind_by_name(name, shape)) for name, shape in shapes.items())


def _sha256(checkpoint: Checkpoint) -> str:
    recorded, state = checkpoint.recorded, checkpoint.file.state
    if recorded is not None and (recorded.size, recorded.changed) == (state.size, state.changed):
        return recorded.sha256
    return checkpoint.file.sha256()
