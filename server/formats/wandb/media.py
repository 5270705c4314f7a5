"""Images, tables and histograms in a history: values with a "_type", most of them in files beside the log."""

import contextlib
import json
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.files.media_files import read_media, write_image, write_table
from toposcope.server.places.place import Place

_MAX_IMAGES = 64
_MAX_BINS = 10_000


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
                names = value["filenames"][:_MAX_IMAGES]
                for number, name in enumerate(names):
                    each = tag if len(names) == 1 else f"{tag}/{number}"
                    write_image(output, step, wall_time, each, read_media(folder, name, place))
            case "image-file":
                write_image(output, step, wall_time, tag, read_media(folder, value["path"], place))
            case "table-file":
                table = json.loads(read_media(folder, value["path"], place), parse_constant=str)
                write_table(output, step, wall_time, tag, table["columns"], table["data"])


def _histogram(value: dict[str, Any]) -> tuple[list[float], list[float]]:
    counts = [float(count) for count in value["values"]]
    if "packedBins" in value:
        packed = value["packedBins"]
        edges = [packed["min"] + number * packed["size"] for number in range(min(packed["count"], _MAX_BINS) + 1)]
    else:
        edges = [float(edge) for edge in value["bins"]]
    if not 0 < len(counts) < _MAX_BINS or len(edges) != len(counts) + 1:
        raise ValueError("the histogram has no bins, too many, or others than its counts")
    return edges, counts
