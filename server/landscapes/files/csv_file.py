"""A loss landscape as a CSV file: the grid, the measured nodes, the path and the convergence point."""

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from toposcope.server.landscapes.landscape import Landscape
from toposcope.server.reading.series.series import Float64s
from toposcope.server.text.json_values import number_text

_EXACT = ("standard_error", "plane_loss", "residual", "difference_error", "gap_error")
_COLUMNS = ("part", "interval", "step", "x", "y", "loss", *_EXACT)


def csv_file(landscape: Landscape) -> bytes:
    """Return CSV (RFC 4180) with a line for each grid point, measured node, checkpoint, and the convergence point.

    The column `part` is "grid", "measured", "path" or "convergence"; cells without a value are empty. Numbers are
    exact: the shortest text that parses to the same double.
    """
    parts = chain([[",".join(_COLUMNS)]], _parts(landscape))
    return b"".join("".join(f"{line}\r\n" for line in part).encode() for part in parts)


def _parts(landscape: Landscape) -> Iterator[list[str]]:
    details, path, end = landscape.details, landscape.path, landscape.convergence_point
    yield from _surface("grid", landscape.x, landscape.y, loss=landscape.z)
    if details is not None:
        nodes = details.measured
        losses = _known(loss=nodes.z, standard_error=nodes.standard_error, difference_error=nodes.difference_error)
        yield from _surface("measured", nodes.x, nodes.y, nodes.known, **losses)
    if path is not None:
        exact = details.truth if details else None
        losses = {"loss": path.z} if exact is None else {"loss": exact.real, "standard_error": exact.standard_error}
        projection = {}
        if exact is not None:
            projection = _known(plane_loss=exact.plane, gap_error=exact.gap_error, residual=exact.residual)
        positions = {"interval": path.intervals, "step": landscape.steps}
        positions = {name: column for name, column in positions.items() if column.size}
        yield _lines("path", x=path.x, y=path.y, **losses, **projection, **positions)
    if end is not None:
        yield _lines("convergence", x=end[:1], y=end[1:2], loss=end[2:])


def _known(**columns: Float64s | None) -> dict[str, Float64s]:
    return {name: column for name, column in columns.items() if column is not None}


def _surface(
    part: str, x: Float64s, y: Float64s, known: npt.NDArray[np.bool_] | None = None, **columns: Float64s
) -> Iterator[list[str]]:
    """Yield the lines of each row of the grid, which bounds the memory for large surfaces."""
    for row, y_coordinate in enumerate(y):
        columns_of_row = {
            "x": x,
            "y": np.full(x.size, y_coordinate),
            **{name: column[row] for name, column in columns.items()},
        }
        yield _lines(
            part, **{name: column if known is None else column[known[row]] for name, column in columns_of_row.items()}
        )


def _lines(part: str, **columns: npt.NDArray[Any]) -> list[str]:
    count = columns["x"].size
    texts = [_texts(columns[name]) if name in columns else [""] * count for name in _COLUMNS[1:]]
    return [",".join((part, *cells)) for cells in zip(*texts, strict=True)]


def _texts(column: npt.NDArray[Any]) -> list[str]:
    return [number_text(value) if isinstance(value, float) else str(value) for value in column.tolist()]
