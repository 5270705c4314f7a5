"""GET and POST /api/tags: the tags of all runs, or of chosen ones."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Body, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from toposcope.metric_direction import Direction, metric_direction
from toposcope.server.api.replies.errors import REQUEST_ERRORS, body_errors
from toposcope.server.api.replies.json_reply import Number, json_reply
from toposcope.server.api.requests.request_limits import MAX_BODY_BYTES, MAX_RUNS
from toposcope.server.api.requests.snapshot import Current, find_runs
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.overview import Overview
from toposcope.server.runs.run import RunView
from toposcope.server.runs.tag_counts import TagCounts, count_tags
from toposcope.server.search.language.literals import Pattern
from toposcope.server.text.json_values import json_value

router = APIRouter(prefix="/api")


class TagsQuery(BaseModel):
    """Selects tags."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    together: bool = Field(
        False, description="whether to return one row per tag of the chosen runs together, not one per run and tag"
    )
    sessions: bool = Field(
        True, description="whether to count the hyperparameter session that describes another run as a run"
    )
    directions: bool = Field(False, description="whether to state the direction of scalars")
    plugin: list[str] = Field([], max_length=100, description="plugins; none: all")
    search: str = Field(
        "", max_length=1000, description='a part of the name, ignoring case; "*" stands for any text; empty: all'
    )
    offset: int = Field(0, ge=0, lt=2**53, description="how many rows to omit from the beginning")
    limit: int | None = Field(None, ge=0, lt=2**53, description="how many rows to return at most; absent: all")


class TagsBody(TagsQuery):
    """A TagsQuery as JSON, which is validated strictly and whose list of runs may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    run: list[str] = Field([], max_length=MAX_RUNS, description="runs; none: all")


class TagRow(BaseModel):
    """A tag of one run, or of several runs together if the request names none or asks for them together."""

    plugin: str
    tag: str
    runs: int | None = None
    """Number of these runs with the tag; absent in the row of one run."""
    direction: Direction | None = None
    """Whether the smallest or the largest value of a scalar is its best; absent if its name does not say, or if the
    request does not ask for it."""
    run: str | None = None
    points: int | None = None
    """Points of the lowest rank that has the tag, with attempts stitched. Absent for several runs, as the following."""
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
    return _list(request, current, query)


@router.post(
    "/tags",
    response_model=Tags,
    response_model_exclude_none=True,
    responses=REQUEST_ERRORS | body_errors(MAX_BODY_BYTES),
    max_body_size=MAX_BODY_BYTES,
)
def list_tags_of_many_runs(request: Request, current: Current, query: Annotated[TagsBody, Body()]) -> Response:
    """List tags; the same as GET, for lists of runs that are too long for a URL."""
    return _list(request, current, query)


def _list(request: Request, current: Snapshot, query: TagsQuery) -> Response:
    runs = find_runs(current, query.run)
    omitted = set() if query.sessions else _only_sessions(request, current)
    if omitted:
        runs = [run for run in runs if run.name not in omitted]
    end = None if query.limit is None else query.offset + query.limit
    if query.run and not query.together:
        by_run = [(run, _matching(_sorted_tags(request, run), query)) for run in runs]
        total = sum(len(tags) for _, tags in by_run)
        every = ((run, tag) for run, tags in by_run for tag in tags)
        rows = [_row(run, tag) | _direction(tag, query) for run, tag in islice(every, query.offset, end)]
    else:
        tags, runs_of = _counted(request, current, runs if query.run or omitted else None)
        matching = _matching(tags, query)
        total = len(matching)
        rows = [
            {"plugin": tag.plugin, "tag": tag.name, "runs": runs_of[tag]} | _direction(tag, query)
            for tag in matching[query.offset : end]
        ]
    return json_reply({"revision": current.revision, "tags": rows, "total": total})


def _only_sessions(request: Request, current: Snapshot) -> set[str]:
    """Return the names of the hyperparameter sessions that describe other runs."""
    overview: Overview = request.app.state.overview
    return {session.name for below in overview.sessions(current.runs).values() for session in below}


def _counted(
    request: Request, current: Snapshot, runs: Sequence[RunView] | None
) -> tuple[Sequence[Tag], Mapping[Tag, int]]:
    if runs is None:
        counts: TagCounts = request.app.state.tag_counts
        return counts.of(current.runs)
    runs_of = count_tags(runs)
    return sorted(runs_of), runs_of


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


def _direction(tag: Tag, query: TagsQuery) -> dict[str, Any]:
    """Return the direction of a scalar whose name says it, if the request asks for it."""
    direction = metric_direction(tag.name) if query.directions and tag.plugin == "scalar" else None
    return {"direction": direction} if direction else {}


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
