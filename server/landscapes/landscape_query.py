"""Queries that select loss landscapes."""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.requests.request_limits import MAX_NAME
from toposcope.server.api.requests.snapshot import find_runs, not_found
from toposcope.server.landscapes.landscape import Landscape, read_landscape
from toposcope.server.loading.publishing.snapshot import Snapshot
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.run import RunView

MAX_BYTES = 16 << 20
"""Total size of the messages of a reply; a surface of 1000 by 1000 points has at most 12 MB."""
Publication = Annotated[int, Field(ge=0, lt=2**31)]
_PUBLICATION = "index of a landscape of the tag, from 0, the oldest; default: the newest"


class LandscapeQuery(BaseModel):
    """Selects landscapes."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    tag: list[str] = Field([], max_length=1000, description="tags; none: all")
    rank: Annotated[int, Field(ge=0, lt=2**31)] | Literal["all"] | None = Field(
        None, description="default: the lowest rank that has the tag"
    )
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None, description="default: stitched, without landscapes repeated by a later attempt; all: all attempts"
    )
    step: int | None = Field(None, ge=-(2**63), lt=2**63, description="default: the newest landscape of any step")
    publication: Publication | None = Field(None, description=_PUBLICATION)
    most: int | None = Field(
        None, ge=1, lt=2**31, description="omit the losses of surfaces with more nodes; see landscapes/losses"
    )
    digits: int | None = Field(
        None, ge=3, le=17, description="significant digits of losses; standard errors have three; default: all"
    )
    limit: int = Field(50, ge=1, le=1000, description="maximum number of landscapes")


class FileQuery(BaseModel):
    """Selects the landscape of a file."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MAX_NAME, description="name of a run")
    tag: str = Field(max_length=MAX_NAME, description="name of a tag of the run")
    publication: Publication | None = Field(None, description=_PUBLICATION)


class SelectedLandscape(NamedTuple):
    """One landscape of a series."""

    run: RunView
    tag: str
    rank: int
    payloads: Payloads
    """The landscapes of the series, by wall_time."""
    row: int
    """Index of the landscape in payloads."""


def select_landscapes(runs: list[RunView], query: LandscapeQuery) -> Iterator[SelectedLandscape]:
    """Yield one landscape of each matching tag: the newest one that the query allows."""
    tags = set(query.tag)
    for run in runs:
        for name in run.tags_of("landscape"):
            tag = Tag("landscape", name)
            for rank in _ranks(run, tag, query) if not tags or name in tags else []:
                payloads = run.payloads(tag, rank, query.attempt)
                payloads = payloads.take(np.argsort(payloads.wall_time, kind="stable"))
                rows = np.arange(payloads.total)
                if query.step is not None:
                    rows = np.flatnonzero(payloads.step == query.step)
                if query.publication is not None:
                    rows = rows[rows == query.publication]
                if rows.size:
                    yield SelectedLandscape(run, name, rank, payloads, int(rows[-1]))


def find_landscape(current: Snapshot, query: FileQuery) -> SelectedLandscape:
    """Return the selected landscape.

    Raises:
        HTTPException: 404 if there is no such landscape.
    """
    runs = find_runs(current, [query.run])
    landscape_query = LandscapeQuery.model_validate({"tag": [query.tag], "publication": query.publication})
    selected = next(select_landscapes(runs, landscape_query), None)
    if selected is None:
        raise not_found("landscape tag", [query.tag])
    return selected


def read_selected(selected: SelectedLandscape, most_bytes: int = MAX_BYTES) -> Landscape:
    """Read the landscape.

    Raises:
        ValueError: the landscape cannot be read, or its message has more than `most_bytes`.
    """
    length = int(selected.payloads.length[selected.row])
    if length > most_bytes:
        raise ValueError(
            f"the message has {length} bytes, and {most_bytes} of the limit of {MAX_BYTES} for a reply remain: "
            "select fewer landscapes"
        )
    return read_landscape(read_payload(selected.run, selected.payloads, selected.row))


def _ranks(run: RunView, tag: Tag, query: LandscapeQuery) -> list[int]:
    ranks = run.ranks_of(tag, query.attempt)
    if query.rank is None:
        return ranks[:1]
    return ranks if query.rank == "all" else [rank for rank in ranks if rank == query.rank]
