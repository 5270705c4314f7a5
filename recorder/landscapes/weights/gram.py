"""Gram matrices: inner products of displacements in the space of weights, streamed over their numbers in float64.

Matrices are multiplied in small blocks, for which BLAS starts no threads: on a busy machine those waste many times the
CPU time that they save, and results would depend on their number.
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
    """Flat vectors, of which pieces are read as they are needed."""

    def __len__(self) -> int:
        """Return how many there are."""

    def read(self, row: int, start: int, stop: int) -> Float32s:
        """Return the numbers [start, stop) of one."""


def displacement_products(rows: Rows, reference: int, size: int) -> Doubles:
    """Return the Gram matrix of the displacements of all rows from one of them, shape (T, T).

    Row and column of the reference are exactly zero. One pass over the numbers, of which 64 MiB are held at a time, or
    4096 of each row where that is more.

    Args:
        rows: T vectors.
        reference: number of the row from which the others are displaced.
        size: numbers of each row that count: those that are trained.
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
    """Return coefficients (K, L) @ vectors (L, N), added up in float64, shape (K, N)."""
    combinations = np.empty((len(coefficients), vectors.shape[1]), np.float32)
    for start, stop in _chunks(vectors.shape[1], len(vectors)):
        combinations[:, start:stop] = _combined(coefficients, _padded(vectors, start, stop))[:, : stop - start]
    return combinations


def _displacements(rows: Rows, reference: int, size: int) -> Iterator[tuple[int, int, Doubles]]:
    """Yield chunks: start, stop, and the displacements of all rows there, zeros following to fill the last block.

    The array is used again for the next chunk.
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
    """Return left (K, n) @ right (L, n) transposed, of whole blocks."""
    products = np.empty((len(left), len(right)))
    ours, theirs = _blocks(left, _BLOCK), _blocks(right, _BLOCK).transpose(0, 2, 1)
    for i in range(0, len(left), _BLOCK_ROWS):
        for j in range(0, len(right), _BLOCK_ROWS):
            if left is right and j < i:  # It is symmetric.
                products[i : i + _BLOCK_ROWS, j : j + _BLOCK_ROWS] = products.T[
                    i : i + _BLOCK_ROWS, j : j + _BLOCK_ROWS
                ]
            else:
                by_block = ours[:, i : i + _BLOCK_ROWS] @ theirs[:, :, j : j + _BLOCK_ROWS]
                products[i : i + _BLOCK_ROWS, j : j + _BLOCK_ROWS] = by_block.sum(axis=0)
    return products


def _combined(coefficients: Doubles, vectors: Doubles) -> Doubles:
    """Return coefficients (K, L) @ vectors (L, n), of whole blocks."""
    width = _BLOCK
    while width < vectors.shape[1] and vectors.shape[1] % (2 * width) == 0 and 2 * width * coefficients.size <= 1 << 18:
        width *= 2
    by_block = coefficients @ _blocks(vectors, width)
    return by_block.transpose(1, 0, 2).reshape(len(coefficients), -1)


def _blocks(vectors: Doubles, width: int) -> Doubles:
    """Return vectors (L, n) as blocks (n / width, L, width), in the same memory."""
    return vectors.reshape(len(vectors), -1, width).transpose(1, 0, 2)
