"""What the routes of images, histograms, tensors and texts share: which points are asked for, and the reply's frame."""

import math
import os
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.snapshot import find_runs
from toposcope.server.json_values import in_json, number_text
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import ALL, RunView

MOST_POINTS = 1000
MOST_NAME = 10_000
"""Characters of a name in a request."""
_HEAVY_BYTES = 16 << 20
_heavy = threading.Semaphore(2)
"""Lists read heavier payloads two at a time: many cards of large tensors take no more memory than two of them."""


class PayloadQuery(BaseModel):
    """Which series."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="name of a run")
    tag: str = Field(max_length=MOST_NAME, description="name of a tag of it")
    rank: int | None = Field(None, ge=0, lt=2**31, description="absent: the lowest rank that has the series")
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: stitched, what a later attempt repeats is hidden; all: every point in file order"
    )


class WindowQuery(PayloadQuery):
    """Which series, and which of its points."""

    lo: float = Field(float("-inf"), description="lowest step, included", json_schema_extra={"default": None})
    hi: float = Field(float("inf"), description="highest step, included", json_schema_extra={"default": None})
    limit: int = Field(50, ge=1, le=MOST_POINTS, description="points at most, evenly spread over those in the window")


class PayloadList(BaseModel):
    """Some points of one series of one rank of one run, by step; by file when every attempt is asked for."""

    revision: int
    run: str
    tag: str
    rank: int | None
    """None: no rank has points of it in that attempt."""
    attempt: int | Literal["all"] | None
    total: int
    """Points in the window, listed or not."""
    damaged: int
    """Points that would be listed, but cannot be read or make no sense."""


class Problem(BaseModel):
    """Why a request has no answer."""

    detail: str


REFUSED: dict[int | str, dict[str, Any]] = {
    404: {"model": Problem, "description": "There is no such run, or it has no such tag."},
    422: {"model": Problem, "description": "A value of the request is not what was expected."},
}


class Series(NamedTuple):
    """The series that was asked for."""

    run: RunView
    rank: int | None
    payloads: Payloads


class Point(NamedTuple):
    """One point of a series, and where it comes from."""

    step: int
    wall_time: float
    """Seconds since 1970."""
    file: str
    """Name of the event file in the run's directory."""
    inode: int
    """Tells it from another file that takes its place."""
    record: int
    """Where in the file the record begins; start: where in the record the payload does. Both never change."""
    start: int
    kind: str
    """What field the payload stood in, one of scan.KINDS."""
    dialect: str


def number(value: float | None) -> float | str | None:
    """Return a number for json_reply; None stays None."""
    return value if value is None or math.isfinite(value) else number_text(value)


def find_series(current: Snapshot, plugin: str, query: PayloadQuery) -> Series:
    """Return the series of a plugin that is asked for, ordered by step, or by file when every attempt is asked for.

    Raises:
        HTTPException: 404 when there is no such run, or it has no such tag.
    """
    runs = find_runs(current, [query.run])
    run, tag = runs[0], Tag(plugin, query.tag)
    ranks = run.ranks_of(tag, query.attempt)
    if not ranks and not run.ranks_of(tag, ALL):
        raise HTTPException(404, f"no {plugin} tag {query.tag!r} in run {query.run!r}")
    rank = query.rank if query.rank is not None else next(iter(ranks), None)
    payloads = run.payloads(tag, rank if rank is not None else 0, query.attempt)
    if query.attempt != ALL:
        payloads = payloads.take(np.argsort(payloads.step, kind="stable"))
    return Series(run, rank, payloads)


def point_at(series: Series, row: int) -> Point:
    """Return one point of a series."""
    payloads = series.payloads
    file = series.run.files[int(payloads.file[row])]
    return Point(
        int(payloads.step[row]),
        float(payloads.wall_time[row]),
        in_json(os.path.basename(file.path)),
        file.inode,
        int(payloads.record[row]),
        int(payloads.start[row]),
        KINDS[payloads.kind[row]],
        file.version.dialect,
    )


def list_payloads(
    current: Snapshot,
    plugin: str,
    query: WindowQuery,
    name: str,
    read: Callable[[Point, bytes], list[dict[str, Any]]],
    most_bytes: int | None = None,
) -> dict[str, Any]:
    """Return a reply, see PayloadList, that lists some points of a series.

    Args:
        current: the snapshot that answers.
        plugin: of the tag.
        query: what is asked for.
        name: of the list in the reply.
        read: returns the entries of a point and its payload, or raises ValueError when that is malformed.
        most_bytes: that the listed payloads may have together; None: any number, each is let go when it was read.

    Raises:
        HTTPException: 404 as find_series; 422 when the window is upside down or most_bytes is not enough.
    """
    if not query.lo <= query.hi:
        raise HTTPException(422, f"lo={query.lo} is above hi={query.hi}: expected lo <= hi")
    series = find_series(current, plugin, query)
    step = series.payloads.step
    inside = np.flatnonzero((step >= query.lo) & (step <= query.hi))
    rows = inside[_spread(len(inside), query.limit)]
    _check_size(series.payloads.take(rows), most_bytes)
    entries: list[dict[str, Any]] = []
    damaged = 0
    for row in rows.tolist():
        point = point_at(series, row)
        frame = {"step": point.step, "wall_time": number(point.wall_time)}
        try:
            with _heavy if series.payloads.length[row] > _HEAVY_BYTES else nullcontext():
                entries += [frame | entry for entry in read(point, read_payload(series.run, series.payloads, row))]
        except ValueError:
            damaged += 1
    return {
        "revision": current.revision,
        "run": query.run,
        "tag": query.tag,
        "rank": series.rank,
        "attempt": query.attempt,
        name: entries,
        "total": len(inside),
        "damaged": damaged,
    }


def _spread(total: int, limit: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return at most `limit` of the numbers below `total`, evenly spread; the last one is always there."""
    if total <= limit:
        return np.arange(total)
    return np.linspace(0, total - 1, limit).round().astype(np.intp) if limit > 1 else np.array([total - 1])


def _check_size(payloads: Payloads, most_bytes: int | None) -> None:
    size = int(payloads.length.sum(dtype=np.int64))
    if most_bytes is not None and size > most_bytes:
        raise HTTPException(
            422,
            f"the {payloads.total} points that would be listed have {size} bytes, a reply has room for {most_bytes}: "
            "ask for fewer by lo, hi or limit",
        )
