"""Images and tables that tools keep in files beside their logs."""

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

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


def table_lines(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> str:
    """Return the first rows of a table as JSON lines, which the page shows as samples: those that fit in a text.

    A name of a column that occurred before gets the number of the column.

    Raises:
        ValueError: a row has another number of values.
    """
    names: list[str] = []
    for number, column in enumerate(map(str, columns), 1):
        names.append(f"{column} ({number})" if column in names else column)
    lines: list[str] = []
    room = LONGEST_TEXT
    for row in rows:
        line = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False)
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    return "\n".join(lines)
