"""Images, tables and histograms in a history: values with a "_type", most of them in files beside the log."""

import contextlib
import json
import os
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.places.place import Place
from toposcope.server.values.image_format import image_size

_LARGEST_FILE = 16 << 20
_MOST_IMAGES = 64
_MOST_ROWS, _MOST_COLUMNS = 100, 50
"""Of a table that are shown."""
_LONGEST_CELL = 200
_MOST_BINS = 10_000


def write_media(
    output: EventWriter, step: int, wall_time: float, tag: str, value: dict[str, Any], folder: str, place: Place
) -> None:
    """Write a value with a "_type"; one of another type, or whose file is missing or no such file, is left out."""
    with contextlib.suppress(OSError, ValueError, TypeError, LookupError):
        match value["_type"]:
            case "histogram":
                edges, counts = _histogram(value)
                output.histogram(step, wall_time, tag, edges, counts)
            case "images/separated":
                names = value["filenames"][:_MOST_IMAGES]
                for number, name in enumerate(names):
                    each = tag if len(names) == 1 else f"{tag}/{number}"
                    _write_image(output, step, wall_time, each, _read(folder, name, place))
            case "image-file":
                _write_image(output, step, wall_time, tag, _read(folder, value["path"], place))
            case "table-file":
                output.text(step, wall_time, tag, _markdown(json.loads(_read(folder, value["path"], place))))


def _histogram(value: dict[str, Any]) -> tuple[list[float], list[float]]:
    counts = [float(count) for count in value["values"]]
    if "packedBins" in value:
        packed = value["packedBins"]
        edges = [packed["min"] + number * packed["size"] for number in range(packed["count"] + 1)]
    else:
        edges = [float(edge) for edge in value["bins"]]
    if not 0 < len(counts) < _MOST_BINS or len(edges) != len(counts) + 1:
        raise ValueError("the histogram has no bins, too many, or others than its counts")
    return edges, counts


def _write_image(output: EventWriter, step: int, wall_time: float, tag: str, encoded: bytes) -> None:
    size = image_size(memoryview(encoded))
    if size is not None:
        output.image(step, wall_time, tag, encoded, size)


def _read(folder: str, name: str, place: Place) -> bytes:
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


def _markdown(table: dict[str, Any]) -> str:
    """Return the first rows of a table in Markdown."""
    columns, rows = table["columns"][:_MOST_COLUMNS], table["data"]
    lines = [_line(columns), "|" + "---|" * len(columns), *(_line(row[:_MOST_COLUMNS]) for row in rows[:_MOST_ROWS])]
    if len(rows) > _MOST_ROWS:
        lines += ["", f"{len(rows) - _MOST_ROWS} more rows are not shown."]
    return "\n".join(lines)


def _line(cells: list[Any]) -> str:
    texts = (str(cell)[:_LONGEST_CELL].replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(texts)} |"
