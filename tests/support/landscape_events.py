"""The published landscapes and the journals of a computation."""

from pathlib import Path
from typing import TYPE_CHECKING

from toposcope.proto import framing
from toposcope.proto.summary_pb2 import Event
from toposcope.recorder.landscapes.sweep.job import FOLDER
from toposcope.recorder.landscapes.sweep.journal import Journal, Place

if TYPE_CHECKING:
    from toposcope.server.landscapes.landscape import Landscape


def published(directory: Path) -> list[tuple[str, bytes]]:
    """Return the tags and messages of the landscapes in all event files of a directory, in the order of publication."""
    messages = []
    for path in sorted(directory.glob("*_MS")):
        content, start = path.read_bytes(), 0
        while start < len(content):
            begin = start + framing.HEADER_BYTES
            end = begin + framing.read_header(content[start:begin]).length
            event = Event.FromString(content[begin:end])
            for value in event.summary.value:
                if value.HasField("loss_landscape"):
                    assert event.step == 0
                    messages.append((value.tag, value.loss_landscape.SerializeToString(deterministic=True)))
            start = end + framing.FOOTER_BYTES
    return messages


def newest(directory: Path) -> "dict[str, Landscape]":
    """Return the last landscape of each tag."""
    # Imported here: the environments of frameworks have no server.
    from toposcope.server.landscapes.landscape import read_landscape

    return {tag: read_landscape(message) for tag, message in published(directory)}


def journals(directory: Path) -> dict[str, dict[Place, str]]:
    """Return the measurements of all journals of a run, by hash; they are texts, in which NaN equals NaN."""
    sums = {}
    for path in sorted((directory / "ckpt_dir" / FOLDER).glob("*/journal")):
        with Journal(str(path)) as journal:
            sums[path.parent.name] = {
                place: repr((each.sums, each.difference)) for place, each in journal.measured.items()
            }
    return sums
