"""MLflow's folders mlruns/EXPERIMENT/RUN: a file for each metric, parameter and tag; only what was appended is read."""

import contextlib
import hashlib
import math
import os
import re
from collections.abc import Iterator
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.files.settings_file import LARGEST_FILE, read_yaml
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, StartOver, State
from toposcope.server.formats.mlflow.described_run import PARENT, DescribedRun, run_name, write_description
from toposcope.server.places.place import Place, Status, is_gone

_META = "meta.yaml"
_STATUSES = {1: "RUNNING", 2: "SCHEDULED", 3: "FINISHED", 4: "FAILED", 5: "KILLED"}
_DEEPEST = 16
_MAX_FILES = 10_000
_WINDOW_BYTES = 4 << 20
_MAX_PARENTS = 16


class MlflowFolders:
    """The format of MLflow's folders."""

    name = "mlruns"
    names = re.compile(rf"^{re.escape(_META)}$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file describes: the folder of a run that is not deleted; if there is none, why."""
        if b"experiment_id:" not in candidate.head(LARGEST_FILE):
            return "it has no 'experiment_id'"
        run = _described(candidate.directory, candidate.place)
        if run is None:
            return "it describes no run in an experiment, or one that was deleted"
        parents: dict[str, DescribedRun] = {}
        each: DescribedRun | None = run
        while each is not None and (parent := each.tags.get(PARENT)) and len(parents) < _MAX_PARENTS:
            if os.path.basename(parent) != parent or parent in parents:
                break
            each = _described(os.path.join(os.path.dirname(candidate.directory), parent), candidate.place)
            parents |= {parent: each} if each else {}
        above = os.path.dirname(os.path.dirname(candidate.run))
        name = os.path.normpath(os.path.join(above, run_name(run, parents)))
        why = "its meta.yaml describes a run of MLflow"
        return Source(self.name, candidate.directory, name, why, candidate.directory, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of all files of the run."""
        statuses = {_META: place.stat(os.path.join(source.path, _META))}
        for folder in ("metrics", "params", "tags"):
            statuses |= {
                f"{folder}/{name}": status for name, status in _files(os.path.join(source.path, folder), place)
            }
        content = repr(sorted((name, *status) for name, status in statuses.items()))
        identity = hashlib.blake2b(content.encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()
        return [max(status.modified for status in statuses.values()), identity]

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the lines of metrics that are new, then what has changed of the description."""
        run = _described(source.path, place)
        if run is None:
            return False
        writer = output.run()
        writer.start(run.start)
        folder = os.path.join(source.path, "metrics")
        offsets: dict[str, list[int]] = state.setdefault("metrics", {})
        left = _WINDOW_BYTES
        for name, status in _files(folder, place):
            known = offsets.get(name, [0, status.inode])
            if status.size < known[0] or status.inode != known[1]:
                raise StartOver  # The metric was written again.
            while left > 0 and known[0] < status.size:
                read = _read_metric(os.path.join(folder, name), known[0], name, place, writer)
                if not read:
                    break
                known = offsets[name] = [known[0] + read, status.inode]
                left -= read
        if left <= 0:
            return True
        write_description(run, state, writer)
        return False


def _described(folder: str, place: Place) -> DescribedRun | None:
    """Return what the folder of a run says of it; None if it is deleted, or the folder is none of a run."""
    try:
        meta = read_yaml(_content(os.path.join(folder, _META), place))
        experiment = read_yaml(_content(os.path.join(os.path.dirname(folder), _META), place))
    except (ValueError, FileNotFoundError):
        return None
    run_id = meta.get("run_id") or meta.get("run_uuid")
    if not run_id or meta.get("lifecycle_stage") != "active" or experiment.get("lifecycle_stage") != "active":
        return None
    params, tags = (_texts(os.path.join(folder, name), place) for name in ("params", "tags"))
    return DescribedRun(
        str(run_id),
        str(meta.get("run_name") or tags.get("mlflow.runName", "")),
        str(experiment.get("name", "")),
        _STATUSES.get(meta["status"], "") if isinstance(meta.get("status"), int) else str(meta.get("status")),
        _seconds(meta.get("start_time")) or 0.0,
        _seconds(meta.get("end_time")),
        params,
        tags,
    )


def _seconds(milliseconds: Any) -> float | None:
    return milliseconds / 1000 if isinstance(milliseconds, int) else None


def _texts(folder: str, place: Place) -> dict[str, str]:
    """Return the contents of the files in a folder, by name."""
    return {
        name: _content(os.path.join(folder, name), place).decode("utf-8", "replace")
        for name, _ in _files(folder, place)
    }


def _content(path: str, place: Place) -> bytes:
    with contextlib.closing(place.open(path)) as file:
        return file.read(0, LARGEST_FILE)


def _files(folder: str, place: Place, prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Status]]:
    """Yield the names, relative to a folder, and the statuses of all files below it."""
    try:
        entries = place.list(folder).entries
    except OSError as error:
        if is_gone(error):
            return
        raise
    for entry in entries[:_MAX_FILES]:
        if entry.kind == "directory" and not entry.is_link and depth < _DEEPEST:
            yield from _files(entry.path, place, f"{prefix}{entry.name}/", depth + 1)
        elif entry.status is not None:
            yield f"{prefix}{entry.name}", entry.status


def _read_metric(path: str, offset: int, tag: str, place: Place, writer: EventWriter) -> int:
    """Write the complete lines from an offset on, at most a window of them; return how many bytes they have."""
    with contextlib.closing(place.open(path)) as file:
        content = file.read(offset, _WINDOW_BYTES)
    end = content.rfind(b"\n") + 1
    for line in content[:end].splitlines():
        point = _point(line)
        if point is not None:
            step, wall_time, value = point
            writer.scalars(step, wall_time, [(tag, value)])
    return end


def _point(line: bytes) -> tuple[int, float, float] | None:
    """Return (step, wall time, value) of a line "TIMESTAMP VALUE [STEP]"; None if it is none."""
    fields = line.split()
    try:
        step = int(fields[2]) if len(fields) > 2 else 0
        wall_time, value = int(fields[0]) / 1000, float(fields[1])
    except (ValueError, IndexError, OverflowError):
        return None
    return (step, wall_time, value) if abs(step) < 2**62 and math.isfinite(wall_time) else None


MLFLOW_FOLDERS = MlflowFolders()
