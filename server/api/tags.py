"""GET /api/tags: the tags of all runs, or of chosen ones."""

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.errors import REQUEST_ERRORS
from toposcope.server.api.json_reply import Number, json_reply
from toposcope.server.api.snapshot import Current, find_runs
from toposcope.server.json_values import json_value
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.runs.tag_counts import TagCounts
from toposcope.server.search.literals import Pattern

router = APIRouter()


class TagsQuery(BaseModel):
    """Selects tags."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    plugin: list[str] = Field([], max_length=100, description="plugins; none: all")
    search: str = Field(
        "", max_length=1000, description='a part of the name, ignoring case; "*" stands for any text; empty: all'
    )
    offset: int = Field(0, ge=0, lt=2**53, description="how many rows to omit from the beginning")
    limit: int | None = Field(None, ge=0, lt=2**53, description="how many rows to return at most; absent: all")


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
    total: int
    """How many rows match; more than there are in this reply if a page was requested."""


@router.get("/tags", response_model=Tags, response_model_exclude_none=True, responses=REQUEST_ERRORS)
def list_tags(request: Request, current: Current, query: Annotated[TagsQuery, Query()]) -> Response:
    """List the tags of all or of some plugins."""
    runs = find_runs(current, query.run)
    end = None if query.limit is None else query.offset + query.limit
    if query.run:
        by_run = [(run, _matching(_sorted_tags(request, run), query)) for run in runs]
        total = sum(len(tags) for _, tags in by_run)
        every = ((run, tag) for run, tags in by_run for tag in tags)
        rows = [_row(run, tag) for run, tag in islice(every, query.offset, end)]
    else:
        counts: TagCounts = request.app.state.tag_counts
        tags, runs_of = counts.of(current.runs)
        matching = _matching(tags, query)
        total = len(matching)
        rows = [{"plugin": tag.plugin, "tag": tag.name, "runs": runs_of[tag]} for tag in matching[query.offset : end]]
    return json_reply({"revision": current.revision, "tags": rows, "total": total})


def _sorted_tags(request: Request, run: RunView) -> list[Tag]:
    overview: Overview = request.app.state.overview
    answers = overview.reply_cache(run)
    if TagsQuery not in answers:
        answers[TagsQuery] = sorted(run.tags)
    tags: list[Tag] = answers[TagsQuery]
    return tags


def _matching(tags: Sequence[Tag], query: TagsQuery) -> Sequence[Tag]:
    if query.plugin:
        tags = [tag for tag in tags if tag.plugin in query.plugin]
    if query.search:
        pattern = Pattern(query.search)
        tags = [tag for tag in tags if pattern.is_in(tag.name.casefold())]
    return tags


def _row(run: RunView, tag: Tag) -> dict[str, Any]:
    rank = run.ranks_of(tag)[0]
    points = run.points(tag.name, rank) if tag.plugin == "scalar" else run.payloads(tag, rank)
    return {
        "run": run.name,
        "plugin": tag.plugin,
        "tag": tag.name,
        "points": points.total,
        "first_step": int(points.step.min()),
        "last_step": int(points.step.max()),
        "updated": json_value(float(np.fmax.reduce(points.wall_time))),
    }
