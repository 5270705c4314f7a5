"""What the routes of scalars share: which series are asked for, how they are smoothed, and which of them there are."""

from typing import Annotated, Any, Literal

from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.payload_query import REFUSED, Problem
from toposcope.server.api.snapshot import choose_runs, not_found
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.chosen_series import Choice, ranks
from toposcope.server.runs.downsample import Scale
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection import Axis
from toposcope.server.runs.smoothing import PATTERN, Smoothing, parse_smoothing

MOST_BYTES = 16 << 20
"""Of a request: the names of a hundred thousand runs have room in it."""
MOST_TAGS, MOST_RUNS = 10_000, 100_000
"""In a posted list."""
Smooth = Annotated[
    str,
    Field(
        max_length=100,
        description="ema:WEIGHT, of what came before; time:HALF_LIFE, the distance on the axis, in steps or seconds, "
        "at which a point weighs half; median:WINDOW, an odd number of points",
        examples=["ema:0.9", "time:100", "median:31"],
        json_schema_extra={"pattern": PATTERN},
    ),
]
Since = Annotated[int, Field(ge=0, lt=2**53, description="a revision: 304 when nothing asked for changed after it")]


class SeriesQuery(BaseModel):
    """Which series, and which part of them."""

    model_config = ConfigDict(extra="forbid")

    tag: list[str] = Field(min_length=1, max_length=1000, description="tags; at least one")
    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    rank: Annotated[int, Field(ge=0, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: the lowest rank that has the series"
    )
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: stitched, what a later attempt repeats is hidden; all: every point in file order"
    )
    lo: float = Field(
        float("-inf"), description="lower bound on the axis, included", json_schema_extra={"default": None}
    )
    hi: float = Field(
        float("inf"), description="upper bound on the axis, included", json_schema_extra={"default": None}
    )
    axis: Axis = Field("step", description="relative: seconds since the start of the run")


class DrawnQuery(SeriesQuery):
    """Which series, which part of them, and how they are to be drawn."""

    points: int = Field(1000, ge=0, lt=2**31, description="points a line, about; 0: every point")
    scale: Scale = Field("linear", description="of the axis: log spreads the points evenly along its logarithm")
    smooth: Smooth | None = None
    since: Since | None = None


class LongLists(BaseModel):
    """What a body says in JSON, where a number is no text and no bool, and lists may be longer than in a URL."""

    model_config = ConfigDict(strict=True)

    tag: list[str] = Field(min_length=1, max_length=MOST_TAGS, description="tags; at least one")
    run: list[str] = Field([], max_length=MOST_RUNS, description="runs; none: all")


REPLIES: dict[int | str, dict[str, Any]] = {
    304: {"description": "Nothing asked for changed since that revision."},
    404: {"model": Problem, "description": "No run has any of the tags, or there is none of the runs."},
    422: REFUSED[422],
}
POST_REPLIES: dict[int | str, dict[str, Any]] = {
    **REPLIES,
    400: {"model": Problem, "description": "The body is no JSON in UTF-8, or it is nested too deeply."},
    413: {
        "model": Problem,
        "content": {"text/plain": {"schema": {"type": "string"}}},
        "description": f"The body has more than {MOST_BYTES} bytes.",
    },
}


def smoothing_of(text: str | None) -> Smoothing | None:
    """Return the smoothing that is asked for.

    Raises:
        HTTPException: 422 when there is no such one.
    """
    try:
        return None if text is None else parse_smoothing(text)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def is_known(current: Snapshot, since: int | None, names: list[str]) -> bool:
    """Say whether an answer about these runs (none: all) of the revision `since` would be the same now."""
    if since is None or not current.removal <= since <= current.revision:
        return False
    runs, _ = choose_runs(current, names)
    return bool(runs) and all(run.revision <= since for run in runs)


def find_series(current: Snapshot, query: SeriesQuery) -> tuple[list[tuple[str, RunView, int]], list[str]]:
    """Return (tag, run, rank) of the series asked for, and the tags and runs that have none.

    Raises:
        HTTPException: 404 when no run has any of the tags, or there is none of the runs; 422 when lo is above hi.
    """
    if not query.lo <= query.hi:
        raise HTTPException(422, f"lo={query.lo} is above hi={query.hi}: expected lo <= hi")
    runs, missing_runs = choose_runs(current, query.run)
    if query.run and not runs:
        raise not_found("run", missing_runs)
    choice = Choice(query.rank, query.attempt)
    found = [
        (tag, run, rank)
        for tag in dict.fromkeys(query.tag)
        for run in runs
        for rank in ranks(run, Tag("scalar", tag), choice)
    ]
    missing_tags = sorted(set(query.tag) - {tag for tag, _, _ in found})
    # A known tag that the chosen runs happen to lack is an empty answer: a page asks so whenever runs are switched off.
    if not found and not any(Tag("scalar", tag) in run.tags for run in current.runs.values() for tag in query.tag):
        raise not_found("scalar tag", missing_tags)
    return found, missing_tags + missing_runs
