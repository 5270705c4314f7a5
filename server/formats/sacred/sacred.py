"""Finds and reads the folders of Sacred's FileStorageObserver: run.json, config.json, metrics.json and cout.txt."""

import contextlib
import json
import os
import re
from datetime import UTC, datetime
from typing import Any

from toposcope.proto import summary_pb2
from toposcope.server.formats.event_writer import End, EventWriter
from toposcope.server.formats.files.settings_file import settings_stamp
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, StartOver, State
from toposcope.server.formats.nested import flat
from toposcope.server.places.place import Place, is_gone

_LARGEST_FILE = 256 << 20
_WINDOW_BYTES = 4 << 20
_FILES = ("run.json", "config.json", "metrics.json", "cout.txt")
_QUIET_SECONDS = 60.0
"""A third of the time after which a run counts as lost; Sacred writes a heartbeat every 10 s."""
_ENDS: dict[str, End] = {"COMPLETED": "finished", "FAILED": "failed", "INTERRUPTED": "interrupted"}


class Sacred:
    """The format of Sacred's file storage."""

    name = "sacred"
    names = re.compile(r"^run\.json$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a run.json belongs to: its folder; otherwise why it is none."""
        if "config.json" not in candidate.siblings:
            return "there is no 'config.json' beside it"
        head = candidate.head()
        if b'"experiment"' not in head or b'"artifacts"' not in head:
            return "it has no 'experiment' or no 'artifacts'"
        why = "it is a 'run.json' with an 'experiment', beside a 'config.json'"
        return Source(self.name, candidate.path, candidate.run, why, candidate.path, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the four files."""
        folder = os.path.dirname(source.path)
        stamps = [settings_stamp(os.path.join(folder, name), place) for name in _FILES]
        return [max((stamp[1] for stamp in stamps if stamp), default=0.0), *stamps]

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate what is new; Sacred writes all files but the console again as a whole."""
        folder = os.path.dirname(source.path)
        run = _read_json(source.path, place)
        writer = output.run()
        wall_time = _seconds(run.get("heartbeat") or run.get("start_time"))
        if not state:
            _write_start(run, writer)
        _write_parameters(_read_json(os.path.join(folder, "config.json"), place), wall_time, state, writer)
        _write_metrics(_read_json(os.path.join(folder, "metrics.json"), place), state, writer)
        end = _ENDS.get(run.get("status", ""))
        has_more = _write_console(os.path.join(folder, "cout.txt"), wall_time, state, place, writer, is_all=bool(end))
        if has_more:
            return True
        if end is None:
            if state.get("heartbeat") != wall_time:
                writer.event(summary_pb2.Event(wall_time=wall_time, heartbeat=summary_pb2.PHASE_TRAINING))
        elif not state.get("ended"):
            result = run.get("result")
            if isinstance(result, int | float):
                writer.scalars(state.get("step", 0), wall_time, [("result", float(result))])
            trace = "".join(map(str, run.get("fail_trace") or ())).strip()
            writer.end(_seconds(run.get("stop_time")) or wall_time, end, trace.rpartition("\n")[2])
            state["ended"] = True
        state["heartbeat"] = wall_time
        return False


def _read_json(path: str, place: Place) -> dict[str, Any]:
    """Return the object in a file; an empty one if there is no file.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too large, or no complete object.
    """
    try:
        file = place.open(path)
    except OSError as error:
        if is_gone(error):
            return {}
        raise
    with contextlib.closing(file):
        if file.status.size > _LARGEST_FILE:
            raise ValueError(f"{file.status.size} bytes exceed the limit of {_LARGEST_FILE}")
        content = file.read(0, file.status.size)
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError(f"{os.path.basename(path)} is no complete JSON") from None
    if not isinstance(parsed, dict):
        raise ValueError(f"{os.path.basename(path)} is no object")
    return parsed


def _write_start(run: dict[str, Any], writer: EventWriter) -> None:
    host, experiment = _object(run.get("host")), _object(run.get("experiment"))
    wall_time = _seconds(run.get("start_time"))
    name = str(host.get("hostname", ""))
    writer.start(wall_time, summary_pb2.RecordingStart(host=_utf8(name), heartbeat_seconds=_QUIET_SECONDS))
    facts = {
        "sacred_experiment": experiment.get("name"),
        "sacred_command": run.get("command"),
        "host": host.get("hostname"),
        "python": host.get("python_version"),
    }
    writer.environment(wall_time, {key: _utf8(str(value)) for key, value in facts.items() if value})


def _write_parameters(config: dict[str, Any], wall_time: float, state: State, writer: EventWriter) -> None:
    if config and config != state.get("config"):
        writer.parameters(wall_time, flat(config))
        state["config"] = config


def _write_metrics(metrics: dict[str, Any], state: State, writer: EventWriter) -> None:
    """Write the points that are new of each metric."""
    known: dict[str, int] = state.setdefault("points", {})
    if any(name not in metrics for name in known):
        raise StartOver
    for name, metric in metrics.items():
        columns = [_list(_object(metric).get(column)) for column in ("steps", "timestamps", "values")]
        total = min(map(len, columns))
        if total < known.get(name, 0):
            raise StartOver
        for step, time, value in zip(*(column[known.get(name, 0) : total] for column in columns), strict=True):
            if isinstance(step, int) and abs(step) < 2**63 and isinstance(value, int | float):
                writer.scalars(step, _seconds(time), [(name, _number(value))])
                state["step"] = max(step, state.get("step", 0))
        known[name] = total


def _write_console(
    path: str, wall_time: float, state: State, place: Place, writer: EventWriter, *, is_all: bool
) -> bool:
    """Write the complete lines that are new; of a run that has ended, the last line too. Return whether more follow."""
    try:
        file = place.open(path)
    except OSError as error:
        if is_gone(error):
            return False
        raise
    with contextlib.closing(file):
        offset: int = state.get("console", 0)
        if file.status.size < offset:
            raise StartOver
        content = file.read(offset, min(_WINDOW_BYTES, file.status.size - offset))
        has_more = offset + len(content) < file.status.size
    end = content.rfind(b"\n") + 1
    if (is_all and not has_more) or (has_more and not end):  # The last line, or a part of a very long one.
        end = len(content)
    if end:
        lines = content[:end].decode("utf-8", "replace").removesuffix("\n").split("\n")
        writer.console(wall_time, [line.rstrip("\r").rpartition("\r")[2] for line in lines], is_error=False)
        state["console"] = offset + end
    return has_more


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # An integer beyond the range of doubles.
        return float("inf") if value > 0 else float("-inf")


def _utf8(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _seconds(text: Any) -> float:
    """Return a time of Sacred, which is in UTC without saying so, in seconds since 1970; 0 if it is none."""
    try:
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0


SACRED = Sacred()
