"""What the records of a .swanlab file say: values, media, output, and how the run began and ended."""

import contextlib
from typing import NamedTuple

from toposcope.proto import summary_pb2
from toposcope.proto.swanlab_pb2 import Finish, Log, Media, Record, Scalar, Start, Timestamp
from toposcope.server.formats.event_writer import End, EventWriter
from toposcope.server.formats.files.media_files import read_media, write_image
from toposcope.server.formats.format import State
from toposcope.server.places.place import Place

_QUIET_SECONDS = 60.0
"""A third of the time after which a run that writes nothing counts as lost; it measures its machine every 10 s."""
_MACHINE = "__swanlab__."
"""Begins the keys of what it measures of the machine."""
_FOLDERS = {2: "image", 4: "text"}
"""The folders of media by their type: others are not read."""
_ENDS: dict[int, End] = {1: "finished", 2: "failed", 3: "interrupted"}
_ERROR_LEVEL = 1
_MAX_ITEMS = 64


class Records(NamedTuple):
    """Translates records."""

    media: str
    """The folder of media."""
    place: Place
    state: State
    """The state of the translation."""
    writer: EventWriter

    def add(self, record: Record) -> None:
        """Translate a record; one of another kind is skipped."""
        match record.WhichOneof("record_type"):
            case "start":
                self._add_start(record.start)
            case "scalar":
                self._add_scalar(record.scalar)
            case "media":
                self._add_media(record.media)
            case "log":
                self._add_log(record.log)
            case "finish":
                self._add_finish(record.finish)

    def _add_start(self, start: Start) -> None:
        wall_time = _seconds(start.started_at)
        self.writer.start(wall_time, summary_pb2.RecordingStart(heartbeat_seconds=_QUIET_SECONDS))
        facts = {
            "swanlab_project": start.project,
            "swanlab_name": start.name,
            "swanlab_id": start.id,
            "swanlab_group": start.group,
            "swanlab_job_type": start.job_type,
            "swanlab_tags": ", ".join(start.tags),
        }
        self.writer.environment(wall_time, {name: value for name, value in facts.items() if value})
        if start.description:
            self.writer.text(0, wall_time, "notes", start.description)

    def _add_scalar(self, scalar: Scalar) -> None:
        step, tag = scalar.step, scalar.key
        if tag.startswith(_MACHINE):  # Whose steps are counted from 0.
            step, tag = self.state.get("step", 0), f"machine/{tag.removeprefix(_MACHINE)}"
        else:
            self.state["step"] = step
        self.writer.scalars(step, _seconds(scalar.timestamp), [(tag, scalar.value.number)])

    def _add_media(self, media: Media) -> None:
        """Write images or texts; one whose file is missing or no such file is left out."""
        folder = _FOLDERS.get(media.type)
        if folder is None:
            return
        items = media.value.items[:_MAX_ITEMS]
        for number, item in enumerate(items):
            tag = media.key if len(items) == 1 else f"{media.key}/{number}"
            with contextlib.suppress(OSError, ValueError):
                content = read_media(self.media, f"{folder}/{item.filename}", self.place)
                if folder == "image":
                    write_image(self.writer, media.step, _seconds(media.timestamp), tag, content)
                else:
                    self.writer.text(media.step, _seconds(media.timestamp), tag, content.decode("utf-8", "replace"))

    def _add_log(self, log: Log) -> None:
        self.writer.console(_seconds(log.timestamp), [log.line], is_error=log.level == _ERROR_LEVEL)

    def _add_finish(self, finish: Finish) -> None:
        end = _ENDS.get(finish.state)
        if end is not None:
            self.writer.end(_seconds(finish.finished_at), end, finish.error.strip().rpartition("\n")[2])


def _seconds(timestamp: Timestamp) -> float:
    return timestamp.seconds + timestamp.nanos / 1e9
