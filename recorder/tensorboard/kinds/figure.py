"""Figures of Matplotlib as pixels."""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.recorder.imported import imported
from toposcope.recorder.values.arrays.foreign_values import call_foreign, short_repr


def pixels_of(figure: Any) -> npt.NDArray[np.uint8]:
    """Return what a figure draws as uint8[height, width, 3].

    Raises:
        TypeError: it is not a Figure of Matplotlib.
        UnreadableValueError: drawing it failed.
    """
    if not hasattr(figure, "canvas") or not hasattr(figure, "savefig"):
        raise TypeError(f"figure must be a matplotlib.figure.Figure or a list of them, not {short_repr(figure)}.")
    return call_foreign(lambda: _drawn(figure))


def _drawn(figure: Any) -> npt.NDArray[np.uint8]:
    canvas = import_module("matplotlib.backends.backend_agg").FigureCanvasAgg(figure)
    canvas.draw()
    pixels: npt.NDArray[np.uint8] = np.asarray(canvas.buffer_rgba())[:, :, :3]
    return pixels


def close(figures: Iterable[Any]) -> None:
    """Close figures, so that Matplotlib no longer keeps them; those that pyplot does not know are left alone."""
    if (pyplot := imported("matplotlib.pyplot")) is not None:
        for figure in figures:
            pyplot.close(figure)
