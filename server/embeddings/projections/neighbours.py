"""The nearest neighbours of a vector in the original space: exact, computed in chunks."""

from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.budget.cancellation import check
from toposcope.server.embeddings.files.vectors import Float32s

Metric = Literal["cosine", "euclidean"]
_CHUNK_ELEMENTS = 1 << 20


class Neighbours(NamedTuple):
    """The nearest vectors, nearest first; those at equal distances by their rows."""

    rows: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float64]
    """Euclidean, or 1 - cosine, which is from 0 to 2."""


def nearest(vectors: Float32s, row: int, count: int, metric: Metric) -> Neighbours:
    """Return the nearest neighbours of a vector, without itself and those that are not finite.

    Args:
        vectors: float32[n, dimensions].
        row: of the vector.
        count: how many; there may be fewer.
        metric: cosine has no neighbours of a vector whose length is 0.

    Raises:
        CancelledError: nobody waits for the result any more.
    """
    distances = _distances(vectors, vectors[row].astype(np.float64), metric)
    distances[row] = np.nan
    found = np.flatnonzero(np.isfinite(distances))
    if len(found) > count:
        limit = np.partition(distances[found], count - 1)[count - 1]
        found = found[distances[found] <= limit]
    order = np.argsort(distances[found], kind="stable")[:count]
    return Neighbours(found[order], distances[found[order]])


def _distances(vectors: Float32s, centre: npt.NDArray[np.float64], metric: Metric) -> npt.NDArray[np.float64]:
    distances = np.empty(len(vectors))
    step = max(1, _CHUNK_ELEMENTS // vectors.shape[1])
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        for begin in range(0, len(vectors), step):
            check()
            chunk = vectors[begin : begin + step].astype(np.float64)
            if metric == "euclidean":
                distances[begin : begin + step] = np.linalg.norm(chunk - centre, axis=1)
            else:
                lengths = np.linalg.norm(chunk, axis=1) * np.linalg.norm(centre)
                distances[begin : begin + step] = np.clip(1 - (chunk @ centre) / lengths, 0, 2)
    return distances
