"""Finds and reads the .swanlab files of SwanLab."""

import contextlib
import os
import re

from google.protobuf.message import DecodeError

from toposcope.proto.swanlab_pb2 import Record, Start
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.files.chunked_log import Framed, new_frames, note_damage, read_frames
from toposcope.server.formats.files.settings_file import LARGEST_FILE, read_yaml, settings_stamp
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, State, file_stamp, safe_part
from toposcope.server.formats.nested import flat
from toposcope.server.formats.swanlab.records import Records
from toposcope.server.places.place import Place

FILE_HEAD = b":SWL\xd6\xe1\x02"
"""Its last byte is the version: 0.8 and later write this one."""


class SwanLab:
    """The format of SwanLab."""

    name = "swanlab"
    names = re.compile(r"\.swanlab$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file is, once it says which run it is of; otherwise why it is none."""
        head = candidate.head()
        if not head.startswith(FILE_HEAD):
            return "it does not begin with ':SWL'"
        start = _start_in(head)
        if start is None:
            return "its beginning does not say which run it is of"
        above = os.path.dirname(candidate.run) or "."
        run = os.path.normpath(os.path.join(above, safe_part(f"{start.name or start.id} {start.id}")))
        why = "its name ends with '.swanlab' and it begins with ':SWL'"
        return Source(self.name, candidate.path, run, why, candidate.path, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the file and of its configuration."""
        return [*file_stamp(source.path, place), settings_stamp(_config_of(source), place)]

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the records that were appended, and the configuration if it is new."""
        frames, has_more = new_frames(source.path, place, state)
        writer = output.run()
        records = Records(os.path.join(os.path.dirname(source.path), "media"), place, state, writer)
        for frame in frames:
            _translate(frame, records, state)
            state["offset"] = frame.end
        _read_config(_config_of(source), place, state, writer)
        return has_more


def _start_in(head: bytes) -> Start | None:
    """Return how the run began, from the first records of a file; None if that is not there yet."""
    for frame in read_frames(head[len(FILE_HEAD) :], len(FILE_HEAD)):
        record = _parsed(frame)
        if record is not None and record.HasField("start"):
            return record.start
    return None


def _translate(frame: Framed, records: Records, state: State) -> None:
    record = _parsed(frame)
    if record is None:
        note_damage(frame.start, state)
    else:
        records.add(record)


def _parsed(frame: Framed) -> Record | None:
    """Return a record; None if it is damaged."""
    try:
        return None if frame.payload is None else Record.FromString(frame.payload)
    except DecodeError:
        return None


def _config_of(source: Source) -> str:
    return os.path.join(os.path.dirname(source.path), "files", "config.yaml")


def _read_config(path: str, place: Place, state: State, writer: EventWriter) -> None:
    """Write the hyperparameters if they have changed."""
    stamp = settings_stamp(path, place)
    if stamp is None or stamp == state.get("config"):
        return
    with contextlib.closing(place.open(path)) as file:
        try:
            settings = read_yaml(file.read(0, LARGEST_FILE + 1))
        except ValueError:  # It is written just now, or something else: the values matter more.
            return
    state["config"] = stamp
    values = {name: item["value"] for name, item in settings.items() if isinstance(item, dict) and "value" in item}
    writer.parameters(file.status.modified, flat(values))


SWANLAB = SwanLab()
