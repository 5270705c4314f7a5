"""GET /api/tags: the tags of all runs, or of chosen ones."""

from collections import Counter
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.errors import REQUEST_ERRORS
from toposcope.server.api.json_reply import Number, json_reply
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.json_values import json_value
from toposcope.server.runs.run import RunView

router = APIRouter()


class TagsQuery(BaseModel):
    """Selects tags."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    plugin: list[str] = Field([], max_length=100, description="plugins; none: all")


class TagRow(BaseModel):
    """A tag of one run if the request names runs, else of all runs together."""

    plugin: str
    tag: str
    runs: int | None = None
    """Number of runs with the tag; absent if the request names runs."""
    run: str | None = None
    points: int | None = None
    """Points of the lowest rank that has the tag, with attempts stitched. Absent, as the following, without runs."""
    first_step: int | None = None
    last_step: int | None = None
    updated: Number | None = None
    """Largest wall_time of these points, in seconds since 1970."""


class Tags(BaseModel):
    """Tags ordered by plugin and name."""

    revision: int
    tags: list[TagRow]


@router.get("/tags", response_model=Tags, response_model_exclude_none=True, responses=REQUEST_ERRORS)
def list_tags(current: Current, query: Annotated[TagsQuery, Query()]) -> Response:
    """List the tags of all or of some plugins."""
    runs = find_runs(current, query.run)
    plugins = query.plugin
    rows = [row for each in runs for row in _rows(each, plugins)] if query.run else _summary(runs, plugins)
    return json_reply({"revision": current.revision, "tags": rows})


def _summary(runs: list[RunView], plugins: list[str]) -> list[dict[str, Any]]:
    counts = Counter(tag for run in runs for tag in run.tags if not plugins or tag.plugin in plugins)
    return [{"plugin": tag.plugin, "tag": tag.name, "runs": counts[tag]} for tag in sorted(counts)]


def _rows(run: RunView, plugins: list[str]) -> list[dict[str, Any]]:
    rows = []
    for tag in sorted(tag for tag in run.tags if not plugins or tag.plugin in plugins):
        rank = run.ranks_of(tag)[0]
        points = run.points(tag.name, rank) if tag.plugin == "scalar" else run.payloads(tag, rank)
        row = {"run": run.name, "plugin": tag.plugin, "tag": tag.name, "points": points.total}
        steps = {"first_step": int(points.step.min()), "last_step": int(points.step.max())}
        rows.append({**row, **steps, "updated": json_value(float(np.fmax.reduce(points.wall_time)))})
    return rows
