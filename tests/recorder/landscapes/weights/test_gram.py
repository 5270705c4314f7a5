"""Inner products of displacements: of all checkpoints, and incrementally during a training."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.checkpoint_folders import leave_path

from toposcope.recorder.landscapes.weights.checkpoint_set import GRAM, CheckpointSet
from toposcope.recorder.landscapes.weights.gram import Doubles, Float32s, combined, displacement_products, products_with
from toposcope.recorder.landscapes.weights.incremental_gram import IncrementalGram, saved_gram
from toposcope.recorder.landscapes.weights.layout import layout_of

SIZE = 300_007  # More than a chunk, and not a multiple of one.
LAYOUT = layout_of([("weight", (1, SIZE), "weight")])


class ArrayRows:
    """Rows of an array."""

    def __init__(self, rows: Float32s) -> None:
        self.rows = rows

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def read(self, row: int, start: int, stop: int) -> Float32s:
        """Return numbers of one row."""
        return self.rows[row, start:stop]


def walk(points: int, size: int = SIZE) -> Float32s:
    """Return a walk with a drift, far from zero."""
    random = np.random.default_rng(1)
    steps = random.normal(0.01, 0.1, size=(points, size))
    return (100 + np.cumsum(steps, axis=0)).astype(np.float32)


def displaced(rows: Float32s, reference: int = -1) -> Doubles:
    """Return displacements in float64."""
    return rows.astype(np.float64) - rows[reference].astype(np.float64)


def test_products_equal_those_of_whole_vectors() -> None:
    """For all chunk sizes, and for many rows; with directions, and as linear combinations."""
    for points, size in ((4, SIZE), (600, 14_500)):
        rows = walk(points, size)
        displacements = displaced(rows)
        products = displacement_products(ArrayRows(rows), points - 1, size)
        assert np.allclose(products, displacements @ displacements.T, rtol=1e-12)
        directions = rows[:2] - rows[2]
        with_directions = products_with(ArrayRows(rows), points - 1, directions, size)
        assert np.allclose(with_directions, displacements @ directions.astype(np.float64).T, rtol=1e-12)
        combination = np.random.default_rng(2).normal(size=(2, points))
        vectors = combined(ArrayRows(rows), points - 1, combination, size)
        assert vectors.dtype == np.float32
        assert np.allclose(vectors, combination @ displacements, rtol=1e-5, atol=1e-4)


def test_incremental_gram_matrix_is_used(tmp_path: Path) -> None:
    """It equals the one computed from the checkpoints, for any selection of points."""
    folder = leave_path(tmp_path, rows := walk(6))
    gram = IncrementalGram(str(folder / GRAM))
    for point in range(1, 7):
        assert gram.add(point, str(folder / f"Bowl_{point}_step.safetensors"), ["weight"], np.inf)

    for points in ([1, 2, 3, 4, 5, 6], [2, 3, 5]):
        checkpoints = CheckpointSet.open(folder, points, LAYOUT)
        displacements = displaced(rows[np.array(points) - 1])
        assert np.allclose(checkpoints.products, displacements @ displacements.T, rtol=1e-9, atol=1e-6)
    saved = saved_gram(str(folder / GRAM))
    assert saved is not None
    assert checkpoints.hashes == tuple(saved.files[point].sha256 for point in points)
    with np.load(folder / GRAM) as archive:
        np.savez(folder / GRAM, products=2 * archive["products"], facts=archive["facts"])
    assert np.array_equal(CheckpointSet.open(folder, points, LAYOUT).products, 2 * checkpoints.products)


def test_gram_matrix_drops_removed_checkpoints(tmp_path: Path) -> None:
    """Also the first one, which remains the origin of displacements."""
    folder = leave_path(tmp_path, rows := walk(5))
    gram = IncrementalGram(str(folder / GRAM))
    for point in range(1, 6):
        gram.add(point, str(folder / f"Bowl_{point}_step.safetensors"), ["weight"], np.inf)
        if point == 3:
            for dropped in (1, 3):
                os.unlink(folder / f"Bowl_{dropped}_step.safetensors")
            gram.drop([1, 3])

    saved = saved_gram(str(folder / GRAM))
    assert saved is not None
    assert list(saved.files) == [2, 4, 5]
    displacements = displaced(rows[[1, 3, 4]], 0)
    from_first = displaced(rows, 0)[[1, 3, 4]]
    assert np.allclose(saved.products, from_first @ from_first.T, rtol=1e-12)
    products = CheckpointSet.open(folder, [2, 4, 5], LAYOUT).products
    assert np.allclose(np.diag(products), ((displacements - displacements[-1]) ** 2).sum(axis=1))


def test_gram_matrix_that_takes_too_long_is_removed(tmp_path: Path) -> None:
    """Training does not wait for it; the file is removed, and readers compute the matrix."""
    folder = leave_path(tmp_path, rows := walk(3))
    (folder / GRAM).write_bytes(b"of a training before")
    gram = IncrementalGram(str(folder / GRAM))
    assert not gram.add(1, str(folder / "Bowl_1_step.safetensors"), ["weight"], -1)
    assert not gram.add(2, str(folder / "Bowl_2_step.safetensors"), ["weight"], np.inf)
    gram.drop([1, 2])

    assert not (folder / GRAM).exists()
    displacements = displaced(rows)
    assert np.allclose(CheckpointSet.open(folder, [1, 2, 3], LAYOUT).products, displacements @ displacements.T)


def test_gram_matrix_of_other_files_is_not_used(tmp_path: Path) -> None:
    """A checkpoint was replaced; a folder was copied, with new times, and nothing was replaced; the file is damaged."""
    folder = leave_path(tmp_path / "run", walk(3))
    gram = IncrementalGram(str(folder / GRAM))
    for point in range(1, 4):
        gram.add(point, str(folder / f"Bowl_{point}_step.safetensors"), ["weight"], np.inf)
    grown = CheckpointSet.open(folder, [1, 2, 3], LAYOUT)
    copy = shutil.copytree(folder, tmp_path / "copy", copy_function=shutil.copyfile)
    assert np.array_equal(CheckpointSet.open(copy, [1, 2, 3], LAYOUT).products, grown.products)

    other = walk(3)
    other[1] += 1
    leave_path(folder, other)
    replaced = CheckpointSet.open(folder, [1, 2, 3], LAYOUT)
    displacements = displaced(other)
    assert np.allclose(replaced.products, displacements @ displacements.T, rtol=1e-12)
    assert replaced.hashes[1] != grown.hashes[1]
    (copy / GRAM).write_bytes((copy / GRAM).read_bytes()[:-300])
    assert saved_gram(str(copy / GRAM)) is None
    assert np.allclose(CheckpointSet.open(copy, [1, 2, 3], LAYOUT).products, grown.products)


def test_gram_matrix_of_other_tensors_is_not_used(tmp_path: Path) -> None:
    """For example, if one is a buffer in the network of the landscape."""
    folder = leave_path(tmp_path, walk(3, 10))
    gram = IncrementalGram(str(folder / GRAM))
    for point in range(1, 4):
        gram.add(point, str(folder / f"Bowl_{point}_step.safetensors"), ["weight"], np.inf)

    buffer = layout_of([("weight", (1, 10), "buffer")])
    assert not CheckpointSet.open(folder, [1, 2, 3], buffer).products.any()


def test_displacements_too_small_for_subtraction_are_recomputed(tmp_path: Path) -> None:
    """Two checkpoints that are equal have a distance of exactly zero."""
    path = walk(4, 100)
    path[3] = path[2]
    folder = leave_path(tmp_path, path)
    gram = IncrementalGram(str(folder / GRAM))
    for point in range(1, 5):
        gram.add(point, str(folder / f"Bowl_{point}_step.safetensors"), ["weight"], np.inf)

    products = CheckpointSet.open(folder, [1, 2, 3, 4]).products
    assert products[2, 2] == 0
    assert products[0, 0] == pytest.approx((displaced(path)[0] ** 2).sum(), rel=1e-12)
