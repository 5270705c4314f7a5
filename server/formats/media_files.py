"""Images and tables that tools keep in files beside their logs."""

import contextlib
import os
from collections.abc import Sequence
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.places.place import Place
from toposcope.server.values.image_format import image_size

_LARGEST_FILE = 16 << 20
_MAX_ROWS, _MAX_COLUMNS = 100, 50
"""Rows and columns of a table that are shown."""
_LONGEST_CELL = 200


def read_media(folder: str, name: str, place: Place) -> bytes:
    """Return the contents of a file below a folder.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not below the folder, or too large.
    """
    path = os.path.normpath(os.path.join(folder, name))
    if not path.startswith(folder + os.sep):
        raise ValueError("the file is not below the folder")
    with contextlib.closing(place.open(path)) as file:
        if file.status.size > _LARGEST_FILE:
            raise ValueError(f"{file.status.size} bytes exceed the limit of {_LARGEST_FILE}")
        return file.read(0, file.status.size)


def write_image(output: EventWriter, step: int, wall_time: float, tag: str, encoded: bytes) -> None:
    """Write an image, unless it is none that browsers know."""
    size = image_size(memoryview(encoded))
    if size is not None:
        output.image(step, wall_time, tag, encoded, size)


def markdown(columns: Sequence[Any], rows: Sequence[Sequence[Any]]) -> str:
    """Return the first rows of a table in Markdown."""
    shown = columns[:_MAX_COLUMNS]
    lines = [_line(shown), "|" + "---|" * len(shown), *(_line(row[:_MAX_COLUMNS]) for row in rows[:_MAX_ROWS])]
    if len(rows) > _MAX_ROWS:
        lines += ["", f"{len(rows) - _MAX_ROWS} more rows are not shown."]
    return "\n".join(lines)


def _line(cells: Sequence[Any]) -> str:
    texts = (str(cell)[:_LONGEST_CELL].replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(texts)} |"
