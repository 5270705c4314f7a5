"""Writes whole recordings quickly, as our recorder would have: marks, scalars in batches, settings and results."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import event_logs
import numpy as np
import numpy.typing as npt

from toposcope.proto.file_name import event_file_name
from toposcope.proto.framing import frame
from toposcope.proto.lineage_pb2 import LineageEvent
from toposcope.proto.summary_pb2 import Event, RecordingEnd, RecordingStart
from toposcope.recorder import custom_lineage, eval_lineage

FINISHED = RecordingEnd(state=RecordingEnd.STATE_FINISHED)
_HOST = "gpu-node-07"


class Batch(NamedTuple):
    """Scalars of some steps: one event a step, with a value of each tag."""

    steps: event_logs.Int64s
    """Ascending."""
    wall_times: event_logs.Float64s
    """In seconds since 1970."""
    columns: Mapping[str, npt.NDArray[np.floating]]
    """By tag."""


def write_recording(
    run: Path, batches: Iterable[Batch], start: float, command_line: str, end: RecordingEnd, resume: int | None = None
) -> None:
    """Write one recording of a run.

    Args:
        run: the folder, which may contain earlier recordings.
        batches: what was recorded, in order of time.
        start: when the recording began, in seconds since 1970.
        command_line: of the training.
        end: how it ended.
        resume: the step from which on it replaces earlier recordings; None: it resumes nothing.
    """
    run.mkdir(parents=True, exist_ok=True)
    began = RecordingStart(host=_HOST, process_id=4711, rank=0, command_line=command_line, heartbeat_seconds=30)
    session = f"{run.name} {start:.0f}".encode()
    first = Event(wall_time=start, version="MindSpore.Event:1", session_id=session, rotation=0, start=began)
    if resume is not None:
        first.resume_step = resume
    last = start
    with (run / event_file_name("events", int(start), 0, _HOST, "_MS")).open("xb") as file:
        file.write(frame(first.SerializeToString()))
        for batch in batches:
            columns = [column.astype(np.float64) for column in batch.columns.values()]
            file.writelines(event_logs.given_events("own", list(batch.columns), batch.steps, batch.wall_times, columns))
            last = float(batch.wall_times[-1])
        file.write(frame(Event(wall_time=last, end=end).SerializeToString()))


def write_lineage(run: Path, start: float, settings: Mapping[str, object], results: Mapping[str, float]) -> None:
    """Write the settings of a training, and the results of its evaluation by metric if there are any."""
    events = [LineageEvent(wall_time=start, version="MindSpore.Event:1")]
    if results:
        events.append(LineageEvent(wall_time=start, evaluation_lineage=eval_lineage(results)))
    events.append(LineageEvent(wall_time=start, user_defined_info=custom_lineage(settings)))
    run.mkdir(parents=True, exist_ok=True)
    path = run / event_file_name("events", int(start), 0, _HOST, "_MS_lineage")
    path.write_bytes(b"".join(frame(event.SerializeToString()) for event in events))
