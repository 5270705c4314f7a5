"""What MLflow says of a run besides its metrics, the same from a database and from folders."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from toposcope.server.formats.event_writer import End, EventWriter
from toposcope.server.formats.format import State, safe_part

_ENDS: Mapping[str, End] = {"FINISHED": "finished", "FAILED": "failed", "KILLED": "interrupted"}
_ID_LETTERS = 8
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d{0,14})(\.\d+)?([eE][+-]?\d{1,3})?", re.ASCII)
NOTE, PARENT = "mlflow.note.content", "mlflow.parentRunId"
_OWN = "mlflow."


class DescribedRun(NamedTuple):
    """A run."""

    run_id: str
    name: str
    experiment: str
    status: str
    """RUNNING, SCHEDULED, FINISHED, FAILED or KILLED."""
    start: float
    """Seconds since 1970."""
    end: float | None
    params: Mapping[str, str]
    tags: Mapping[str, str]


def run_name(run: DescribedRun, parents: Mapping[str, DescribedRun]) -> str:
    """Return the name of a run: its experiment, the runs that it is nested in, and its own name, each with its id."""
    parts: list[str] = []
    seen: set[str] = set()
    each: DescribedRun | None = run
    while each is not None and each.run_id not in seen:
        seen.add(each.run_id)
        parts.append(f"{safe_part(each.name)} {each.run_id[:_ID_LETTERS]}".strip())
        each = parents.get(each.tags.get(PARENT, ""))
    return "/".join([safe_part(run.experiment), *reversed(parts)])


def _typed(text: str) -> str | float:
    """Return a parameter as the number that it was, as far as that is clear: MLflow has texts only."""
    return float(text) if _NUMBER.fullmatch(text) else text


def write_description(run: DescribedRun, state: State, output: EventWriter) -> None:
    """Write what has changed of what is said of a run.

    Args:
        run: as it is now.
        state: of the run.
        output: takes the events.
    """
    tags = {f"tags/{name}": tag for name, tag in run.tags.items() if not name.startswith(_OWN)}
    parameters = {name: _typed(text) for name, text in {**run.params, **tags}.items()}
    if parameters and parameters != state.get("parameters"):
        output.parameters(run.start, parameters)
        state["parameters"] = parameters
    note = run.tags.get(NOTE)
    if note and note != state.get("note"):
        output.text(0, run.start, "notes", note)
        state["note"] = note
    output.start(run.start)
    if run.status in _ENDS and run.status != state.get("status"):
        output.end(run.end or run.start, _ENDS[run.status])
        state["status"] = run.status
