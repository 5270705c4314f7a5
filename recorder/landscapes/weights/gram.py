"""Gram matrices: inner products of displacements in weight space, streamed in float64.

Matrices are multiplied in small blocks, for which BLAS starts no threads: on a busy machine threads waste many times
the CPU time that they save, and the results would depend on their number.
"""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

Float32s = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
_LONGEST_CHUNK, _SHORTEST_CHUNK, _CHUNK_BYTES = 1 << 18, 1 << 12, 64 << 20
_BLOCK, _BLOCK_ROWS = 256, 32
"""OpenBLAS multiplies matrices (m, k) and (k, n) in the calling thread when m * n * k is 2^18 at most."""


class Rows(Protocol):
    """Flat vectors that are read in pieces."""

    def __len__(self) -> int:
        """Return the number of vectors."""

    def read(self, row: int, start: int, stop: int) -> Float32s:
        """Return the numbers [start, stop) of one vector."""


def displacement_products(rows: Rows, reference: int, size: int) -> Doubles:
    """Return the Gram matrix of the displacements of all rows from one of them, shape (T, T).

    Row and column of the reference are exactly zero. The numbers are read once, at most 64 MiB at a time, or 4096 of
    each row if that is more.

    Args:
        rows: T vectors.
        reference: number of the row relative to which displacements are computed.
        size: how many numbers of each row are used: the trained ones.
    """
    products = np.zeros((len(rows), len(rows)))
    for _, _, displacements in _displacements(rows, reference, size):
        products += _inner(displacements, displacements)
    return products


def products_with(rows: Rows, reference: int, directions: Float32s, size: int) -> Doubles:
    """Return the inner products of the displacements (T) with directions (K, N), shape (T, K), over the first size."""
    products = np.zeros((len(rows), len(directions)))
    for start, stop, displacements in _displacements(rows, reference, size):
        products += _inner(displacements, _padded(directions, start, stop))
    return products


def combined(rows: Rows, reference: int, combination: Doubles, size: int) -> Float32s:
    """Return the linear combinations (K, T) of the displacements as float32 vectors, shape (K, size)."""
    combinations = np.empty((len(combination), size), np.float32)
    for start, stop, displacements in _displacements(rows, reference, size):
        combinations[:, start:stop] = _combined(combination, displacements)[:, : stop - start]
    return combinations


def inner_products(vectors: Float32s, others: Float32s) -> Doubles:
    """Return the inner products of vectors (K, N) with others (L, N), shape (K, L)."""
    products = np.zeros((len(vectors), len(others)))
    for start, stop in _chunks(vectors.shape[1], len(vectors) + len(others)):
        products += _inner(_padded(vectors, start, stop), _padded(others, start, stop))
    return products


def linear_combinations(coefficients: Doubles, vectors: Float32s) -> Float32s:
    """Return coefficients (K, L) @ vectors (L, N), accumulated in float64, shape (K, N)."""
    combinations = np.empty((len(coefficients), vectors.shape[1]), np.float32)
    for start, stop in _chunks(vectors.shape[1], len(vectors)):
        combinations[:, start:stop] = _combined(coefficients, _padded(vectors, start, stop))[:, : stop - start]
    return combinations


def _displacements(rows: Rows, reference: int, size: int) -> Iterator[tuple[int, int, Doubles]]:
    """Yield chunks: start, stop, and the displacements of all rows in that range, padded with zeros to whole blocks.

    The array is reused for the next chunk.
    """
    buffer = np.empty((len(rows), 0))
    for start, stop in _chunks(size, len(rows)):
        length = _whole_blocks(stop - start)
        if buffer.shape[1] < length:
            buffer = np.empty((len(rows), length))
        chunk = buffer[:, :length]
        chunk[:, stop - start :] = 0
        origin = rows.read(reference, start, stop).astype(np.float64)
        for row, displacement in enumerate(chunk):
            np.subtract(rows.read(row, start, stop), origin, out=displacement[: stop - start])
        yield start, stop, chunk


def _chunks(size: int, rows: int) -> Iterator[tuple[int, int]]:
    longest = min(_LONGEST_CHUNK, max(_SHORTEST_CHUNK, _CHUNK_BYTES // (8 * rows) // _BLOCK * _BLOCK))
    for start in range(0, size, longest):
        yield start, min(start + longest, size)


def _whole_blocks(length: int) -> int:
    return -(-length // _BLOCK) * _BLOCK


def _padded(vectors: Float32s, start: int, stop: int) -> Doubles:
    padded = np.zeros((len(vectors), _whole_blocks(stop - start)))
    padded[:, : stop - start] = vectors[:, start:stop]
    return padded


def _inner(left: Doubles, right: Doubles) -> Doubles:
    """Return left (K, n) @ right (L, n) transposed, where n is a multiple of the block size."""
    products = np.empty((len(left), len(right)))
    left_blocks, right_blocks = _blocks(left, _BLOCK), _blocks(right, _BLOCK).transpose(0, 2, 1)
    for i in range(0, len(left), _BLOCK_ROWS):
        for j in range(0, len(right), _BLOCK_ROWS):
            if left is right and j < i:  # It is symmetric.
                products[i : i + _BLOCK_ROWS, j : j + _BLOCK_ROWS] = products.T[
                    i : i + _BLOCK_ROWS, j : j + _BLOCK_ROWS
                ]
            else:
                by_block = left_blocks[:, i : i + _BLOCK_ROWS] @ right_blocks[:, :, j : j + _BLOCK_ROWS]
                products[i : i + _BLOCK_ROWS, j : j + _BLOCK_ROWS] = by_block.sum(axis=0)
    return products


def _combined(coefficients: Doubles, vectors: Doubles) -> Doubles:
    """Return coefficients (K, L) @ vectors (L, n), where n is a multiple of the block size."""
    width = _BLOCK
    while width < vectors.shape[1] and vectors.shape[1] % (2 * width) == 0 and 2 * width * coefficients.size <= 1 << 18:
        width *= 2
    by_block = coefficients @ _blocks(vectors, width)
    return by_block.transpose(1, 0, 2).reshape(len(coefficients), -1)


def _blocks(vectors: Doubles, width: int) -> Doubles:
    """Return a view of vectors (L, n) as blocks (n / width, L, width)."""
    return vectors.reshape(len(vectors), -1, width).transpose(1, 0, 2)
