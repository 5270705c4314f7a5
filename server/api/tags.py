"""GET /api/tags: the scalar tags of all runs, or of chosen ones."""

from collections import Counter
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from toposcope.server.api.current import Current, choose_runs, not_found
from toposcope.server.api.reply import json_reply
from toposcope.server.run import RunView

router = APIRouter()


class TagRow(BaseModel):
    """A tag of one run when runs were named, else of all runs together."""

    plugin: str
    tag: str
    runs: int | None = None
    """How many runs have it; absent when runs were named."""
    run: str | None = None
    points: int | None = None
    """Points of the lowest rank that has the tag, attempts stitched; absent, like run and steps, for all together."""
    first_step: int | None = None
    last_step: int | None = None


class Tags(BaseModel):
    """Tags in alphabetical order."""

    revision: int
    tags: list[TagRow]


@router.get("/tags", response_model=Tags, response_model_exclude_none=True, responses={404: {}})
def list_tags(
    current: Current,
    run: Annotated[list[str], Query(default_factory=list)],
    plugin: Annotated[list[str], Query(default_factory=list)],
) -> Response:
    """List scalar tags; the other plugins' tags are counted by /api/runs."""
    runs, missing = choose_runs(current, run)
    if missing:
        raise not_found("run", missing)
    rows: list[dict[str, Any]] = []
    if not plugin or "scalar" in plugin:
        rows = [row for each in runs for row in _rows(each)] if run else _summary(runs)
    return json_reply({"revision": current.revision, "tags": rows})


def _summary(runs: list[RunView]) -> list[dict[str, Any]]:
    counts = Counter(tag for run in runs for tag in run.scalar_tags)
    return [{"plugin": "scalar", "tag": tag, "runs": counts[tag]} for tag in sorted(counts)]


def _rows(run: RunView) -> list[dict[str, Any]]:
    rows = []
    for tag in sorted(run.scalar_tags):
        points = run.points(tag, run.ranks_of(tag)[0])
        first_step, last_step = int(points.step.min()), int(points.step.max())
        row = {"run": run.name, "plugin": "scalar", "tag": tag, "points": points.total}
        rows.append({**row, "first_step": first_step, "last_step": last_step})
    return rows
