"""Queries and reply models shared by the routes of images, histograms, tensors and texts."""

import os
import threading
from collections.abc import Callable
from contextlib import nullcontext
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from fastapi import HTTPException
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.replies.json_reply import json_number
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import find_runs
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.text.json_values import json_value

MAX_POINTS = 1000
_LARGE_BYTES = 16 << 20
_large_reads = threading.Semaphore(2)
"""Limits concurrent reads of large payloads to two, which bounds the memory of many requests for large tensors."""


class PayloadQuery(BaseModel):
    """Selects a series."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    tag: str = Field(max_length=MAX_NAME, description="name of a tag of the run")
    rank: int | None = Field(None, ge=0, lt=2**31, description="default: the lowest rank that has the series")
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None,
        description="default: stitched, without points repeated by a later attempt; all: all points in file order",
    )


class WindowQuery(PayloadQuery):
    """Selects points of a series."""

    lo: float = Field(float("-inf"), description="lowest step, inclusive", json_schema_extra={"default": None})
    hi: float = Field(float("inf"), description="highest step, inclusive", json_schema_extra={"default": None})
    limit: int = Field(50, ge=1, le=MAX_POINTS, description="maximum number of points, spread evenly over the window")


class PayloadList(BaseModel):
    """Points of one series, ordered by step; in file order with attempt=all."""

    revision: int
    run: str
    tag: str
    rank: int | None
    """Null if no rank has points of the series in this attempt."""
    attempt: int | Literal["all"] | None
    total: int
    """Points in the window, listed or not."""
    damaged: int
    """Points omitted because they cannot be read or are malformed."""


class Series(NamedTuple):
    """The selected series of a run."""

    run: RunView
    rank: int | None
    payloads: Payloads


class Window(NamedTuple):
    """The points of a series that a query selects."""

    series: Series
    rows: list[int]
    """The listed ones."""
    total: int
    """Points in the window, listed or not."""


class Point(NamedTuple):
    """One point of a series and its location."""

    step: int
    wall_time: float
    """Seconds since 1970."""
    file: str
    """Name of the event file in the run's directory."""
    inode: int
    """Changes when the file is replaced."""
    record: int
    """Offset of the record in the file; start is the offset of the payload in the record. Neither ever changes."""
    start: int
    kind: str
    """The field that contained the payload, one of scan.KINDS."""
    dialect: str


def find_series(current: Snapshot, plugin: str, query: PayloadQuery) -> Series:
    """Return the selected series of a plugin, ordered by step; in file order with attempt=all.

    Raises:
        HTTPException: 404 if there is no such run, or it has no such tag.
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
        json_value(os.path.basename(file.path)),
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
    longest: int | None = None,
    unread: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return a reply with points of a series, see PayloadList.

    Args:
        current: the snapshot to read.
        plugin: of the series.
        query: selects the points.
        name: of the list in the reply.
        read: returns the entries for a point and its payload; raises ValueError if the payload is malformed.
        most_bytes: limit on the total size of the payloads; None for no limit, as each is released after reading.
        longest: payloads with more bytes are not read, whatever their total size; None: all are read.
        unread: the entry for such a payload.

    Raises:
        HTTPException: 404 as find_series; 422 if lo is above hi or the payloads exceed most_bytes.
    """
    window = find_window(current, plugin, query)
    series = window.series
    length = series.payloads.length
    is_read = {row: longest is None or length[row] <= longest for row in window.rows}
    _check_size(series.payloads.take(np.array([row for row in window.rows if is_read[row]], np.intp)), most_bytes)
    entries: list[dict[str, Any]] = []
    damaged = 0
    for row in window.rows:
        point = point_at(series, row)
        position = {"step": point.step, "wall_time": json_number(point.wall_time)}
        if not is_read[row]:
            entries.append(position | (unread or {}))
            continue
        try:
            with _large_reads if length[row] > _LARGE_BYTES else nullcontext():
                entries += [position | entry for entry in read(point, read_payload(series.run, series.payloads, row))]
        except ValueError:
            damaged += 1
    return window_reply(current, query, window, {name: entries, "damaged": damaged})


def find_window(current: Snapshot, plugin: str, query: WindowQuery) -> Window:
    """Return the points that a query selects.

    Raises:
        HTTPException: 404 as find_series; 422 if lo is above hi.
    """
    if not query.lo <= query.hi:
        raise HTTPException(422, f"lo={query.lo} is above hi={query.hi}: expected lo <= hi")
    series = find_series(current, plugin, query)
    step = series.payloads.step
    inside = np.flatnonzero((step >= query.lo) & (step <= query.hi))
    return Window(series, inside[_spread(len(inside), query.limit)].tolist(), len(inside))


def window_reply(current: Snapshot, query: WindowQuery, window: Window, listed: dict[str, Any]) -> dict[str, Any]:
    """Return a reply with points of a series, see PayloadList."""
    return {
        "revision": current.revision,
        "run": query.run,
        "tag": query.tag,
        "rank": window.series.rank,
        "attempt": query.attempt,
        "total": window.total,
        **listed,
    }


def _spread(total: int, limit: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Return at most `limit` indices below `total`, evenly spread and including the last."""
    if total <= limit:
        return np.arange(total)
    return np.linspace(0, total - 1, limit).round().astype(np.intp) if limit > 1 else np.array([total - 1])


def _check_size(payloads: Payloads, most_bytes: int | None) -> None:
    size = int(payloads.length.sum(dtype=np.int64))
    if most_bytes is not None and size > most_bytes:
        raise HTTPException(
            422,
            f"the {payloads.total} selected points have {size} bytes, and the limit is {most_bytes}: "
            "select fewer with lo, hi or limit",
        )
