"""The buckets of a histogram, as numpy.histogram() and the writers of PyTorch and tensorboardX name them."""

from typing import Any

import numpy as np

from toposcope.recorder.values.arrays.foreign_values import short_repr

_NAMES = ("auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt")


def checked_bins(bins: Any) -> Any:
    """Return bins for numpy.histogram(); None for "tensorflow", TensorBoard's own.

    Raises:
        TypeError: bins is neither a name, nor a number of buckets, nor their edges.
        ValueError: the name is unknown, the number is not positive, or the edges are not ascending numbers.
    """
    if isinstance(bins, str):
        if bins == "tensorflow":
            return None
        if bins not in _NAMES:
            raise ValueError(f"bins must be 'tensorflow' or one of {', '.join(map(repr, _NAMES))}; not {bins!r}.")
        return bins
    if isinstance(bins, int | np.integer) and not isinstance(bins, bool):
        if bins < 1:
            raise ValueError(f"bins must be at least one bucket, not {bins}.")
        return int(bins)
    try:
        edges = np.array(bins, np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"bins must be a name, a number or edges, not {short_repr(bins)}: {error}") from None
    if edges.ndim != 1 or edges.size < 2 or not (edges[1:] >= edges[:-1]).all():
        raise ValueError(f"bins must be two ascending edges or more, not {short_repr(bins)}.")
    return edges
