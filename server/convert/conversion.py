"""Converts runs into event files: those of the same dialect are copied, the values of the other are encoded again."""

import contextlib
import os
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from google.protobuf.message import DecodeError

from toposcope.proto import framing, summary_pb2
from toposcope.proto.file_name import parse_file_name
from toposcope.server.convert.moments import Moment, moments
from toposcope.server.convert.target import OWN_EVENTS, Target
from toposcope.server.convert.to_mindspore import lineage_events
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.places.place import OpenFile
from toposcope.server.reading.file_check import check_file
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.records.marks import RecordingEnd
from toposcope.server.reading.records.version_event import LARGEST_VERSION_EVENT, PROJECTOR
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.messages.run_messages import read_messages
from toposcope.server.runs.parameters.hparams_sessions import read_session
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.run import RunView
from toposcope.server.text.safe_name import safe_name
from toposcope.server.values.hparams import SESSION_START
from toposcope.server.values.lineage import Plain, merge, train_lineage

_LONGEST_PART = 200
_COPY_BYTES = 1 << 20
_AS_PARAMETERS = (Tag("hparams", SESSION_START), Tag("lineage", "train"), Tag("lineage", "custom"))
"""Their values are written as the hyperparameters of the run."""
_END_STATES = {
    "finished": summary_pb2.RecordingEnd.STATE_FINISHED,
    "failed": summary_pb2.RecordingEnd.STATE_FAILED,
    "interrupted": summary_pb2.RecordingEnd.STATE_INTERRUPTED,
    "unknown": summary_pb2.RecordingEnd.STATE_UNKNOWN,
}


class Conversion:
    """Writes runs into a folder, and remembers what it has left out.

    Args:
        target: the dialect of the event files.
        folder: exists, and is empty.
    """

    def __init__(self, target: Target, folder: str) -> None:
        self._target = target
        self._no_place = f"left out: files of {target.viewer} have no place for them"
        self._folder = folder
        self._folders: set[str] = set()
        """Those of runs, in lower case."""
        self.files = 0
        """How many were written."""
        self.left_out: Counter[tuple[str, str]] = Counter()
        """The numbers of values that are not in the files, or not shown, by plugin and reason."""

    def add(self, run: RunView) -> None:
        """Convert a run.

        Raises:
            OSError: a file cannot be read, or written.
        """
        folder = self._folder_of(run.name)
        seconds = 0
        parameters = self._parameters(run)
        for file in run.files:
            seconds = max(seconds + 1, int(file.wall_times[0]) if file.wall_times else 0)
            if file.version.source_format == PROJECTOR:
                self._leave_out(file, "left out: event files have no place for them")
            elif file.version.dialect == self._target.dialect:
                self._copy(file, folder, seconds)
            elif file.is_lineage:
                self._leave_out(file, self._no_place)
            else:
                self._encode(run.name, file, os.path.join(folder, self._target.file_name(seconds, file.rank or 0)))
        if self._target.dialect == "tensorboard":
            self._leave_out_lineage(run)
        if parameters:
            self._write_parameters(parameters, run.started or 0.0, folder, seconds + 1)

    def _folder_of(self, run: str) -> str:
        """Return the directory of a run; for a viewer that finds no nested ones, its names are joined by dots."""
        parts = [] if run == "." else [_safe_part(part) for part in run.split("/")]
        name = "/".join(parts) if self._target.has_nested_runs else ".".join(parts)
        number = 1
        while (claimed := f"{name}~{number}" if number > 1 else name).lower() in self._folders:
            number += 1
        self._folders.add(claimed.lower())
        return os.path.join(self._folder, claimed) if claimed else self._folder

    @contextlib.contextmanager
    def _create(self, path: str) -> Iterator[BinaryIO]:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "xb") as file:
            yield file
        self.files += 1

    def _leave_out(self, file: FileView, reason: str) -> None:
        for tag, series in file.series.items():
            if tag not in _AS_PARAMETERS:
                self.left_out[tag.plugin, reason] += series.total

    def _leave_out_lineage(self, run: RunView) -> None:
        """Count the values of trainings that are no hyperparameters: of data sets, and of the model."""
        messages, _ = read_messages(run, Tag("lineage", "train"), train_lineage)
        lineage = merge(messages)
        if count := len(lineage.train_dataset) + len(lineage.model):
            self.left_out["lineage", self._no_place] += count

    def _copy(self, file: FileView, folder: str, seconds: int) -> None:
        """Copy the intact records of a file, but for the name of a source format in the version event."""
        name = self._target.file_name(seconds, 0) if file.version.source_format else file.path_in_run
        file_name = parse_file_name(os.path.basename(name))
        assert file_name is not None
        with contextlib.closing(file.place.open(file.path)) as source, self._create(os.path.join(folder, name)) as out:
            version, end = (None, 0) if file.is_lineage else _version_event(source)
            if version is not None:
                version.version = self._target.version
                out.write(framing.frame(version.SerializeToString()))
            for first, last in check_file(source, file_name).intact_ranges:
                for at in range(max(first, end), last, _COPY_BYTES):
                    out.write(source.read(at, min(_COPY_BYTES, last - at)))
        for tag, series in file.series.items():
            self._note_kept(tag, series.total)

    def _encode(self, run: str, file: FileView, path: str) -> None:
        """Encode the values of a file again."""
        view = RunView(run, [file], 0, live=False)
        with self._create(path) as out:
            with contextlib.closing(file.place.open(file.path)) as source:
                version, _ = _version_event(source)
            version = version or summary_pb2.Event(wall_time=file.wall_times[0] if file.wall_times else 0.0)
            version.version = self._target.version
            out.write(framing.frame(version.SerializeToString()))
            writer = EventWriter(out.write, "", is_new=False, scalar_field=self._target.scalar_field)
            for moment in moments(file):
                writer.scalars(moment.step, moment.wall_time, moment.scalars)
                for tag, row in moment.others:
                    self._encode_value(view, tag, row, moment, writer)
            if file.counters.end is not None and file.counters.end.state:
                writer.event(_end_event(file.counters.end))

    def _encode_value(self, view: RunView, tag: Tag, row: int, moment: Moment, writer: EventWriter) -> None:
        if tag in _AS_PARAMETERS or tag.plugin == "metadata":
            return
        payloads = view.files[0].series[tag]
        assert isinstance(payloads, Payloads)
        try:
            payload = read_payload(view, payloads, row)
            if tag.plugin in OWN_EVENTS:
                event = summary_pb2.Event(wall_time=moment.wall_time, step=moment.step)
                getattr(event, tag.plugin).MergeFromString(payload)
                writer.event(event)
            elif (encoded := self._target.encode(tag, payload, KINDS[payloads.kind[row]])) is not None:
                writer.summary(moment.step, moment.wall_time, encoded)
            else:
                self.left_out[tag.plugin, self._no_place] += 1
                return
        except (DecodeError, ValueError, LookupError):
            self.left_out[tag.plugin, "left out: damaged"] += 1
            return
        self._note_kept(tag, 1)

    def _note_kept(self, tag: Tag, count: int) -> None:
        if tag.plugin in self._target.not_shown:
            self.left_out[tag.plugin, f"kept, but not shown by {self._target.viewer}"] += count

    def _parameters(self, run: RunView) -> dict[str, Plain]:
        """Return the hyperparameters of a run that are in files of the other dialect only."""
        if all(file.version.dialect == self._target.dialect for file in run.files):
            return {}
        if self._target.dialect == "tensorboard":
            return {**read_settings(run, []).hyper_parameters}
        session, _ = read_session(run)
        named = {name: each.value for name, each in session.hparams.items()} if session else {}
        return {name: value for name, value in named.items() if value is not None}

    def _write_parameters(self, parameters: dict[str, Plain], wall_time: float, folder: str, seconds: int) -> None:
        """Write hyperparameters into a file of their own."""
        suffix = "_lineage" if self._target.dialect == "mindspore" else ""
        with self._create(os.path.join(folder, self._target.file_name(seconds, 0) + suffix)) as out:
            version = summary_pb2.Event(wall_time=wall_time, version=self._target.version)
            out.write(framing.frame(version.SerializeToString()))
            if suffix:
                for event in lineage_events(wall_time, parameters):
                    out.write(framing.frame(event.SerializeToString()))
            else:
                EventWriter(out.write, "", is_new=False).parameters(wall_time, parameters)


def _safe_part(part: str) -> str:
    """Return a part of the name of a run as the name of a directory."""
    is_safe = part.isprintable() and part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_PART
    return part if is_safe else safe_name(part)


def _version_event(source: OpenFile) -> tuple[summary_pb2.Event | None, int]:
    """Return (the version event of a file, where it ends); (None, 0) if there is none."""
    head = source.read(0, LARGEST_VERSION_EVENT)
    header = framing.read_header(head[: framing.HEADER_BYTES])
    end = framing.HEADER_BYTES + header.length
    try:
        event = summary_pb2.Event.FromString(head[framing.HEADER_BYTES : end])
    except DecodeError:
        return None, 0
    return (event, end + framing.FOOTER_BYTES) if event.WhichOneof("what") == "version" else (None, 0)


def _end_event(end: RecordingEnd) -> summary_pb2.Event:
    mark = summary_pb2.RecordingEnd(state=_END_STATES[end.state])
    mark.error_type, mark.error_text, mark.traceback = end.error_type, end.error_text, end.traceback
    return summary_pb2.Event(wall_time=end.wall_time, end=mark)
