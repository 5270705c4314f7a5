"""Principal components of vectors, computed in chunks."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.embeddings.files.vectors import Float32s

Float64s = npt.NDArray[np.float64]

_CHUNK_ELEMENTS = 1 << 20
_DENSE = 1024
"""Rows of a matrix up to which all its eigenvectors are computed."""
_OVERSAMPLED = 16
_MAX_ITERATIONS = 1000
_CONVERGED = 1e-12
_SEED = 0
_NO_LENGTH = 1e-9
"""The length of a component without variance, in proportion to the longest one."""


class Projection(NamedTuple):
    """Positions of vectors in two or three dimensions."""

    positions: Float32s
    """float32[n, components]; NaN where a vector is not finite, or was left out of the computation."""
    explained: Float64s
    """The share of the variance that each principal component explains, 0 to 1; 0 if there is no variance; empty for
    other projections."""
    left_out: int
    """Vectors that are not finite."""
    dimensions: int
    """The dimensions of the vectors."""


def pca(vectors: Float32s, components: int) -> Projection:
    """Return the principal components of vectors: of the covariance, or of the Gram matrix if that is smaller.

    The sign of a component is such that its loading of the largest magnitude is positive.

    Args:
        vectors: float32[n, dimensions].
        components: of which those beyond the rank of the vectors are 0.

    Raises:
        CancelledError: nobody waits for the result any more.
    """
    is_finite = _finite_rows(vectors)
    finite = vectors if is_finite.all() else vectors[is_finite]
    positions = np.full((len(vectors), components), np.nan, np.float32)
    explained = np.zeros(components)
    if len(finite):
        loadings, variances, total = _loadings(finite, components)
        positions[is_finite] = _projected(finite, loadings)
        explained[: len(variances)] = variances / total if total > 0 else 0.0
    return Projection(positions, explained, int(np.count_nonzero(~is_finite)), vectors.shape[1])


def _finite_rows(vectors: Float32s) -> npt.NDArray[np.bool_]:
    return np.concatenate([np.isfinite(chunk).all(axis=1) for _, chunk in _chunks(vectors)])


def _chunks(vectors: Float32s) -> Iterator[tuple[slice, Float32s]]:
    """Yield (some rows, a view of their vectors)."""
    step = max(1, _CHUNK_ELEMENTS // vectors.shape[1])
    for begin in range(0, len(vectors), step):
        check()
        rows = slice(begin, begin + step)
        yield rows, vectors[rows]


class _Centre(NamedTuple):
    mean: Float64s
    loadings: Float64s
    """float64[dimensions, components]"""


def _loadings(vectors: Float32s, components: int) -> tuple[_Centre, Float64s, float]:
    """Return (the mean and the unit vectors of the components; their variances; the sum of all), times n."""
    dimensions = vectors.shape[1]
    mean = np.zeros(dimensions)
    for _, chunk in _chunks(vectors):
        mean += chunk.sum(axis=0, dtype=np.float64) / len(vectors)
    is_wide = len(vectors) < dimensions
    matrix = _gram(vectors, mean) if is_wide else _covariance(vectors, mean)
    variances, axes = _leading(matrix, components)
    if is_wide:  # Eigenvectors of X X^T become those of X^T X.
        axes = (vectors - mean).T @ axes
        lengths = np.linalg.norm(axes, axis=0)
        axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > _NO_LENGTH * lengths.max(initial=0))
    largest = axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])]
    loadings = np.zeros((dimensions, components))
    loadings[:, : axes.shape[1]] = axes * np.where(largest < 0, -1.0, 1.0)
    return _Centre(mean, loadings), variances, float(np.trace(matrix))


def _covariance(vectors: Float32s, mean: Float64s) -> Float64s:
    """Return X^T X of the centred vectors."""
    total = np.zeros((vectors.shape[1], vectors.shape[1]))
    for _, chunk in _chunks(vectors):
        centred = chunk - mean
        total += centred.T @ centred
    return total


def _gram(vectors: Float32s, mean: Float64s) -> Float64s:
    """Return X X^T of the centred vectors, which are few."""
    centred = vectors - mean
    check()
    product: Float64s = centred @ centred.T
    return product


def _leading(matrix: Float64s, components: int) -> tuple[Float64s, Float64s]:
    """Return (the largest eigenvalues of a symmetric matrix, descending; their eigenvectors as columns)."""
    components = min(components, len(matrix))
    if len(matrix) <= _DENSE:
        values, axes = np.linalg.eigh(matrix)
        return np.maximum(values[::-1][:components], 0), axes[:, ::-1][:, :components]
    # Subspace iteration: the other eigenvectors are not needed, and would take minutes.
    block = np.random.default_rng(_SEED).standard_normal((len(matrix), components + _OVERSAMPLED))
    before = np.zeros(components)
    for _ in range(_MAX_ITERATIONS):
        check()
        block, _ = np.linalg.qr(matrix @ block)
        values, turn = np.linalg.eigh(block.T @ (matrix @ block))
        block = block @ turn[:, ::-1]
        now = values[::-1][:components]
        if np.abs(now - before).max() <= _CONVERGED * np.abs(now).max():
            break
        before = now
    return np.maximum(now, 0), block[:, :components]


def _projected(vectors: Float32s, centre: _Centre) -> Float32s:
    positions = np.empty((len(vectors), centre.loadings.shape[1]), np.float32)
    for rows, chunk in _chunks(vectors):
        positions[rows] = (chunk - centre.mean) @ centre.loadings
    return positions
