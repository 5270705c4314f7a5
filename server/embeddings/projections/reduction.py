"""UMAP and t-SNE of vectors, by the libraries umap-learn and openTSNE."""

import io
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from toposcope.server.embeddings.files.vectors import Float32s
from toposcope.server.embeddings.projections.pca import Projection, pca

Method = Literal["umap", "tsne"]
METHODS: tuple[Method, ...] = get_args(Method)
MAX_REDUCED = 100_000
"""If there are more vectors, evenly spread ones are reduced: a million would take hours."""
_FEWEST = 5
_DIMENSIONS = 50
"""Vectors with more dimensions are replaced by so many principal components first."""
_NEIGHBOURS = 15
_PERPLEXITY = 30
_EARLY_ITERATIONS, _ITERATIONS = 250, 500
_REPORTED = 10
"""Iterations between two reports."""
_LIBRARIES = {"umap": ("umap", "umap-learn"), "tsne": ("openTSNE", "openTSNE")}


class Reduction(NamedTuple):
    """What is computed; equal ones have equal results."""

    method: Method
    components: int
    """2 or 3."""
    seed: int


class MissingLibraryError(Exception):
    """The library of a method is not installed. The message says how to install it."""


def check_library(method: Method) -> None:
    """Check that the library of a method is installed.

    Raises:
        MissingLibraryError: it is not.
    """
    module, package = _LIBRARIES[method]
    if find_spec(module) is None:
        raise MissingLibraryError(f"{package} is not installed: pip install 'toposcope[embeddings]'")


def reduced(vectors: Float32s, reduction: Reduction, progress: Callable[[float], None]) -> Projection:
    """Return the positions of vectors by their Euclidean distances.

    Args:
        vectors: float32[n, dimensions].
        reduction: what is computed.
        progress: is called with the share that is done, 0 to 1.

    Raises:
        MissingLibraryError: the library is not installed.
        ValueError: fewer than 5 vectors are finite.
    """
    check_library(reduction.method)
    is_used = np.isfinite(vectors).all(axis=1)
    left_out = int(np.count_nonzero(~is_used))
    rows = np.flatnonzero(is_used)
    rows = rows[:: -(-len(rows) // MAX_REDUCED)] if len(rows) else rows
    if len(rows) < _FEWEST:
        raise ValueError(f"{len(rows)} finite vectors are too few: expected at least {_FEWEST}")
    used = vectors[rows]
    if used.shape[1] > _DIMENSIONS:
        used = pca(used, _DIMENSIONS).positions
    positions = np.full((len(vectors), reduction.components), np.nan, np.float32)
    positions[rows] = {"umap": _umap, "tsne": _tsne}[reduction.method](used, reduction, progress)
    return Projection(positions, np.empty(0), left_out, vectors.shape[1])


def _umap(vectors: Float32s, reduction: Reduction, progress: Callable[[float], None]) -> Any:
    from umap import UMAP

    mapper = UMAP(
        n_neighbors=min(_NEIGHBOURS, len(vectors) - 1),
        n_components=reduction.components,
        init="pca",
        random_state=reduction.seed,
        n_jobs=1,
        verbose=True,  # Only then it reports its epochs.
        tqdm_kwds={"file": _Epochs(progress), "bar_format": "{n}/{total} ", "mininterval": 0.5},
    )
    return mapper.fit_transform(vectors)


class _Epochs(io.StringIO):
    """Receives the text of a progress bar, "40/200 "."""

    def __init__(self, progress: Callable[[float], None]) -> None:
        super().__init__()
        self._progress = progress

    def write(self, text: str) -> int:
        """Report the share."""
        done, _, total = text.strip().partition("/")
        if done.isdecimal() and total.isdecimal() and int(total):
            self._progress(int(done) / int(total))
        return len(text)


def _tsne(vectors: Float32s, reduction: Reduction, progress: Callable[[float], None]) -> Any:
    from openTSNE import TSNE

    reports = 0

    def report(_iteration: int, _error: float, _positions: Any) -> None:
        nonlocal reports
        reports += 1
        progress(min(1.0, reports * _REPORTED / (_EARLY_ITERATIONS + _ITERATIONS)))

    mapper = TSNE(
        n_components=reduction.components,
        perplexity=min(_PERPLEXITY, (len(vectors) - 1) / 3),
        early_exaggeration_iter=_EARLY_ITERATIONS,
        n_iter=_ITERATIONS,
        negative_gradient_method="auto" if reduction.components == 2 else "bh",
        random_state=reduction.seed,
        n_jobs=1,
        callbacks=report,
        callbacks_every_iters=_REPORTED,
    )
    return np.asarray(mapper.fit(vectors))
