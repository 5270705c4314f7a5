"""Finds and reads the .wandb files of Weights & Biases."""

import os
import re

from google.protobuf.message import DecodeError

from toposcope.proto.wandb_pb2 import Record, Run
from toposcope.server.formats.files.chunked_log import Framed, new_frames, note_damage, read_frames
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, State, file_stamp, safe_part
from toposcope.server.formats.wandb.records import Records
from toposcope.server.places.place import Place

FILE_HEAD = b":W&B\xe1\xbe\x00"


class Wandb:
    """The format of Weights & Biases."""

    name = "wandb"
    names = re.compile(r"\.wandb$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file is, once it says which run it is of; otherwise why it is none."""
        head = candidate.head()
        if not head.startswith(FILE_HEAD):
            return "it does not begin with ':W&B'"
        run = _run_in(head)
        if run is None:
            return "its first records do not describe a run"
        name = safe_part(f"{run.display_name or run.run_id} {run.run_id}")
        above = os.path.dirname(candidate.run) or "."
        why = "its name ends with '.wandb' and it begins with ':W&B'"
        return Source(
            self.name,
            candidate.path,
            os.path.normpath(os.path.join(above, name)),
            why,
            candidate.path,
            candidate.status.modified,
        )

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the file."""
        return file_stamp(source.path, place)

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the records that were appended."""
        frames, has_more = new_frames(source.path, place, state)
        records = Records(os.path.join(os.path.dirname(source.path), "files"), place, state, output.run())
        for frame in frames:
            _translate(frame, records, state)
            state["offset"] = frame.end
        records.finish()
        return has_more


def _run_in(head: bytes) -> Run | None:
    """Return the description of the run in the first records of a file; None if there is none yet."""
    for frame in read_frames(head[len(FILE_HEAD) :], len(FILE_HEAD)):
        if frame.payload is not None:
            try:
                record = Record.FromString(frame.payload)
            except DecodeError:
                continue
            if record.HasField("run"):
                return record.run
    return None


def _translate(frame: Framed, records: Records, state: State) -> None:
    if frame.payload is None:
        note_damage(frame.start, state)
        return
    try:
        record = Record.FromString(frame.payload)
    except DecodeError:
        note_damage(frame.start, state)
        return
    kind = record.WhichOneof("record_type")
    if kind is None:
        state["skipped"] = state.get("skipped", 0) + 1
    else:
        records.add(record, kind)


WANDB = Wandb()
