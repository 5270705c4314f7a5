"""What a lake says of each run, as plain data: its row in runs.parquet, and the event files that this covers."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import orjson

from toposcope.server.lake.tables.series import count_points, plain_text
from toposcope.server.runs.messages.run_messages import TemporaryProblem
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.parameters.hparams_sessions import Sessions, only_sessions, parents_of
from toposcope.server.runs.parameters.hyper_parameters import read_settings
from toposcope.server.runs.parameters.run_lineage import lineage_of
from toposcope.server.runs.run import RunView
from toposcope.server.text.json_values import json_value

Files = list[list[Any]]
"""For each event file: its path below that of the run, its inode, the bytes read, and when it was written."""


class AllRuns(NamedTuple):
    """The runs of a logdir, and which of them are hyperparameter sessions of others."""

    runs: Mapping[str, RunView]
    sessions: Sessions
    parents: Mapping[str, str]


class CoveredRun(NamedTuple):
    """A run in a part of a lake."""

    files: Files | None
    """None: the run is to be written again, as it is incomplete."""
    recorded: int
    """Points, with those that a later attempt repeats."""
    points: int
    """In the tables."""
    row: dict[str, Any]


def all_runs(runs: Mapping[str, RunView]) -> AllRuns:
    """Find the sessions among runs."""
    parents = parents_of(runs)
    return AllRuns(runs, only_sessions(runs, parents), parents)


def files_of(run: RunView, known: AllRuns) -> Files:
    """Return what changes when the values of a run or of its sessions change."""
    holders = [run, *known.sessions.get(run.name, ())]
    files = [
        [plain_text(file.path_in_run), file.inode, file.read_bytes, file.modified]
        for holder in holders
        for file in holder.files
    ]
    return sorted(files)


def cover(run: RunView, known: AllRuns, points: int) -> CoveredRun:
    """Return what the lake says of a run of which some points were written."""
    row, is_complete = _row(run, known)
    return CoveredRun(files_of(run, known) if is_complete else None, count_points(run), points, row)


def state_columns(run: RunView) -> dict[str, Any]:
    """Return the columns that change as time passes, without growth of the run."""
    state = run.state
    error = state.error
    return json_object(
        {
            "state": state.state,
            "error_type": error.type if error else None,
            "error_text": error.text if error else None,
            "ended": state.ended,
        }
    )


def json_object(content: dict[str, Any]) -> dict[str, Any]:
    """Return plain data as JSON has it: numbers that JSON lacks are strings."""
    converted: dict[str, Any] = json_value(content)
    return converted


def _row(run: RunView, known: AllRuns) -> tuple[dict[str, Any], bool]:
    """Return (a row without notes; whether everything in it could be read)."""
    sessions = known.sessions.get(run.name, [])
    settings = read_settings(run, sessions)
    lineage, more_problems = lineage_of(run, known.sessions, known.runs)
    problems = [*settings.problems, *more_problems]
    first, last = run.steps or (None, None)
    bad = Overview().first_non_finite(run)
    row = {
        "run": run.name,
        "started": run.started,
        "updated": run.updated,
        "first_step": first,
        "last_step": last,
        "ranks": list(run.attempts),
        "attempts": max(map(len, run.attempts.values()), default=1),
        "dialect": run.dialect,
        "parent": known.parents.get(run.name),
        "damaged_records": sum(len(file.damage) for file in run.files),
        "plugins": dict(run.plugins),
        "first_non_finite": bad and {"tag": bad.tag, "rank": bad.rank, **bad.point._asdict()},
        "hyper_parameters": settings.hyper_parameters,
        "environment": _text(settings.environment),
        "lineage": _text(lineage._asdict() if any(lineage) else {}),
        "problems": list(dict.fromkeys(map(str, problems))),
    }
    is_complete = not any(isinstance(problem, TemporaryProblem) for problem in problems)
    return state_columns(run) | json_object(row), is_complete


def _text(content: dict[str, Any]) -> str | None:
    return orjson.dumps(json_value(content)).decode() if content else None
