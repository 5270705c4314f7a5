"""GET /api/samples: samples of a text, searched and sorted; GET /api/samples/sample: one of them as a whole."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple

import numpy as np
from fastapi import APIRouter, HTTPException, Query, Request, Response
from pydantic import BaseModel, Field

from toposcope.server.api.payloads.payload_query import PayloadQuery, Point, Series, find_series, point_at
from toposcope.server.api.replies.errors import REQUEST_ERRORS, Problem, Replies
from toposcope.server.api.replies.json_reply import json_reply
from toposcope.server.api.requests.budgeted import Work, within_budget
from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import Current
from toposcope.server.budget.cache import Cache
from toposcope.server.budget.cost import Cost
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.samples.cells import Turn, cell_of
from toposcope.server.samples.order import found_rows, sorted_rows
from toposcope.server.samples.samples import Samples, is_samples, read_samples
from toposcope.server.values.text import read_text

router = APIRouter(prefix="/api")
MAX_BYTES = 64 << 20
"""Limit on a text."""
_MAX_LISTED = 25_000
_MAX_CHARACTERS, _MAX_OF_ONE = 1000, 200_000
"""Limits on a cell in a list, and in the reply of one sample."""
_MAX_IN_REPLY = 8 << 20
_MAX_NAMED = 20
"""Damaged lines of which the number is named."""
_COPIES = 8
"""Bytes of memory for each byte of a text."""
_BYTES_PER_SECOND = 30e6
_cache = Cache(256 << 20)


class SampleQuery(PayloadQuery):
    """Selects a text."""

    step: int = Field(ge=-(2**63), lt=2**63, description="a step of the text; of several records the last one counts")


class ListQuery(SampleQuery):
    """Selects samples of a text."""

    search: str = Field("", max_length=1000, description="a text that a cell contains, in any case")
    sort: str = Field("", max_length=MAX_NAME, description="a column; default, or if there is none: as recorded")
    descending: bool = Field(False, description="whether the largest is first; empty cells are last in any case")
    offset: int = Field(0, ge=0, lt=2**31, description="samples before the first one that is listed")
    limit: int = Field(50, ge=1, le=_MAX_LISTED, description="maximum number of samples")


class OneQuery(SampleQuery):
    """Selects a sample."""

    key: str = Field(max_length=100, description="the key of a sample, of any step or run")


class TurnReply(BaseModel):
    """What one side says in a conversation."""

    role: str
    text: str


class SampleRow(BaseModel):
    """A sample. It is untrusted: never insert it as HTML."""

    row: int
    """Its number in the text, from 0 on."""
    key: str
    """The same for the same prompt at other steps and in other runs; of a prompt with several samples, the n-th."""
    cells: list[bool | int | float | str | list[TurnReply] | None]
    """One for each column. Objects and other lists are JSON texts."""
    is_cut: bool
    """Whether a cell is longer."""


class SamplesReply(BaseModel):
    """Samples of a text."""

    run: str
    tag: str
    step: int
    rank: int | None
    is_samples: bool
    """Whether the text is JSON lines or a JSON array of objects; if not, there are no columns."""
    columns: list[str]
    """The keys of the objects, at most 100."""
    left_out_columns: int
    total: int
    """Samples of the text, at most 200,000."""
    left_out_rows: int
    damaged: int
    """Lines or elements that are no objects."""
    damaged_lines: list[int]
    """The numbers of the first ones, from 1 on."""
    found: int
    """Samples that the search finds."""
    rows: list[SampleRow]
    """Fewer than the limit if the reply would be too large."""


_REPLIES: Replies = {
    **REQUEST_ERRORS,
    410: {"model": Problem, "description": "The text is damaged or malformed, or its event file was replaced."},
}


@router.get("/samples", response_model=SamplesReply, responses=_REPLIES)
async def list_samples(request: Request, current: Current, query: Annotated[ListQuery, Query()]) -> Response:
    """List samples of a text."""

    def rows_of(samples: Samples) -> tuple[int, list[dict[str, Any]]]:
        found = found_rows(samples, query.search) if query.search else list(range(len(samples.rows)))
        found = sorted_rows(samples, found, query.sort, query.descending) if query.sort else found
        listed = found[query.offset : query.offset + query.limit]
        return len(found), list(_within_reply(_row(samples, row, _MAX_CHARACTERS) for row in listed))

    return await _reply(request, current, query, rows_of)


@router.get("/samples/sample", response_model=SamplesReply, responses=_REPLIES)
async def read_sample(request: Request, current: Current, query: Annotated[OneQuery, Query()]) -> Response:
    """Read a sample as a whole; without rows if the text has no sample with the key."""

    def rows_of(samples: Samples) -> tuple[int, list[dict[str, Any]]]:
        rows = [samples.keys.index(query.key)] if query.key in samples.keys else []
        return len(rows), [_row(samples, row, _MAX_OF_ONE) for row in rows]

    return await _reply(request, current, query, rows_of)


async def _reply(
    request: Request,
    current: Snapshot,
    query: SampleQuery,
    rows_of: Callable[[Samples], tuple[int, list[dict[str, Any]]]],
) -> Response:
    """Return the reply with the rows that a function selects, and their number."""

    def plan() -> Work:
        recorded = _recorded(current, query)
        size = int(recorded.series.payloads.length[recorded.row])
        if size > MAX_BYTES:
            raise HTTPException(422, f"the text has {size} bytes: expected at most {MAX_BYTES}")
        return Work(Cost(size / _BYTES_PER_SECOND, size * _COPIES), lambda: compute(recorded))

    def compute(recorded: _Recorded) -> Response:
        with _refusals():
            samples = recorded.samples()
        found, rows = rows_of(samples) if samples else (0, [])
        return json_reply(
            {
                "run": query.run,
                "tag": query.tag,
                "step": query.step,
                "rank": recorded.series.rank,
                "is_samples": samples is not None,
                **_facts(samples or _NONE),
                "found": found,
                "rows": rows,
            }
        )

    return await within_budget(request, plan)


class _Recorded(NamedTuple):
    """A recorded text."""

    series: Series
    row: int

    def samples(self) -> Samples | None:
        """Return the samples of the text; None if it is another text.

        Raises:
            ValueError: it is malformed or lost.
        """
        point = point_at(self.series, self.row)
        file = self.series.run.files[int(self.series.payloads.file[self.row])]
        size = int(self.series.payloads.length[self.row]) * _COPIES
        return _cache.get(
            (file.path, point.inode, point.record, point.start), lambda: self._read(point), lambda _: size
        )

    def _read(self, point: Point) -> Samples | None:
        _, texts = read_text(read_payload(self.series.run, self.series.payloads, self.row), point.kind)
        return read_samples(texts[0]) if len(texts) == 1 and is_samples(texts[0]) else None


_NONE = Samples([], [], [], 0, 0, [])


def _recorded(current: Snapshot, query: SampleQuery) -> _Recorded:
    """Return what was recorded last at a step.

    Raises:
        HTTPException: 404 if nothing was.
    """
    series = find_series(current, "text", query)
    rows = np.flatnonzero(series.payloads.step == query.step)
    if not len(rows):
        raise HTTPException(404, f"no text {query.tag!r} at step {query.step} in run {query.run!r}")
    return _Recorded(series, int(rows[-1]))


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise HTTPException(410, str(error)) from error


def _facts(samples: Samples) -> dict[str, Any]:
    return {
        "columns": [name[:_MAX_CHARACTERS] for name in samples.columns],
        "left_out_columns": samples.left_out_columns,
        "total": len(samples.rows),
        "left_out_rows": samples.left_out_rows,
        "damaged": len(samples.damaged),
        "damaged_lines": samples.damaged[:_MAX_NAMED],
    }


def _row(samples: Samples, row: int, most: int) -> dict[str, Any]:
    cells = [cell_of(value, most) for value in samples.rows[row]]
    return {
        "row": row,
        "key": samples.keys[row],
        "cells": [cell for cell, _ in cells],
        "is_cut": any(is_cut for _, is_cut in cells),
    }


def _within_reply(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the first rows that a reply has room for, and at least one."""
    room = _MAX_IN_REPLY
    for row in rows:
        yield row
        room -= sum(_length(cell) for cell in row["cells"])
        if room < 0:
            return


def _length(cell: str | Sequence[Turn] | float | None) -> int:
    if isinstance(cell, str):
        return len(cell)
    return sum(len(turn["text"]) for turn in cell) if isinstance(cell, list) else 8
