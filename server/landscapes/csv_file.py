"""A loss landscape as a .csv file: the grid, the measured nodes, the path, and where the training converged."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.json_values import number_text
from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.reading.series import Float64s

_COLUMNS = ("part", "interval", "step", "x", "y", "loss", "standard_error", "plane_loss", "residual")


def csv(landscape: Landscape) -> bytes:
    """Return a line for each point of the grid, each measured node, each checkpoint, and the convergence point.

    Their parts are "grid", "measured", "path" and "convergence"; cells of what there is not are empty. Every number is
    exact: the shortest text from which the same double is read. Lines end as RFC 4180 has it.
    """
    parts = chain([[",".join(_COLUMNS)]], _parts(landscape))
    return b"".join("".join(f"{line}\r\n" for line in part).encode() for part in parts)


def _parts(landscape: Landscape) -> Iterator[list[str]]:
    details, path, end = landscape.details, landscape.path, landscape.convergence_point
    yield from _surface("grid", landscape.x, landscape.y, loss=landscape.z)
    if details is not None:
        nodes = details.measured
        losses = {"loss": nodes.z, "standard_error": nodes.standard_error}
        yield from _surface("measured", nodes.x, nodes.y, nodes.known, **losses)
    if path is not None:
        truth = details.truth if details else None
        losses = {"loss": path.z} if truth is None else {"loss": truth.real, "standard_error": truth.standard_error}
        off_plane = {} if truth is None else {"plane_loss": truth.plane, "residual": truth.residual}
        moments = {"interval": path.intervals, "step": landscape.steps}
        yield _lines("path", x=path.x, y=path.y, **losses, **off_plane, **{n: c for n, c in moments.items() if c.size})
    if end is not None:
        yield _lines("convergence", x=end[:1], y=end[1:2], loss=end[2:])


def _surface(
    part: str, x: Float64s, y: Float64s, known: npt.NDArray[np.bool_] | None = None, **columns: Float64s
) -> Iterator[list[str]]:
    """Yield the lines of one row after another: all lines of a large surface would take much memory."""
    for row, down in enumerate(y):
        of_row = {"x": x, "y": np.full(x.size, down), **{name: column[row] for name, column in columns.items()}}
        yield _lines(part, **{name: column if known is None else column[known[row]] for name, column in of_row.items()})


def _lines(part: str, **columns: npt.NDArray[Any]) -> list[str]:
    count = columns["x"].size
    texts = [_texts(columns[name]) if name in columns else [""] * count for name in _COLUMNS[1:]]
    return [",".join((part, *cells)) for cells in zip(*texts, strict=True)]


def _texts(column: npt.NDArray[Any]) -> list[str]:
    return [number_text(value) if isinstance(value, float) else str(value) for value in column.tolist()]
