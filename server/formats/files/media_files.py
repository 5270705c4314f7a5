"""Images and tables that tools keep in files beside their logs."""

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

from toposcope.distinct_names import distinct_names
from toposcope.server.formats.event_writer import LONGEST_TEXT, EventWriter
from toposcope.server.places.place import Place
from toposcope.server.values.image_format import image_size

_LARGEST_FILE = 16 << 20


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


def write_table(
    output: EventWriter, step: int, wall_time: float, tag: str, columns: Sequence[Any], rows: Iterable[Sequence[Any]]
) -> None:
    """Write a table as JSON lines, which the page shows as samples.

    Of a table that is longer than a text may be, the first rows are written, and how many there are as a text below
    its tag. A cell without a column has its number as name.
    """
    names = distinct_names(columns)
    lines: list[str] = []
    left_out, room = 0, LONGEST_TEXT
    for row in rows:
        line = "" if left_out else json.dumps(_object(names, row), ensure_ascii=False)
        room -= len(line) + 1
        if left_out or room < 0:
            left_out += 1
        else:
            lines.append(line)
    output.text(step, wall_time, tag, "\n".join(lines))
    if left_out:
        count = len(lines) + left_out
        output.text(step, wall_time, f"{tag}/left_out", f"{len(lines):,} of {count:,} rows are shown.")


def _object(names: list[str], row: Sequence[Any]) -> dict[str, Any]:
    others = {f"column {number}": cell for number, cell in enumerate(row[len(names) :], len(names) + 1)}
    return {**others, **dict(zip(names, row, strict=False))}
