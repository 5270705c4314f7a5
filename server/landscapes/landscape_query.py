"""Which loss landscapes a request means, and what is read of them."""

from collections.abc import Iterator
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from toposcope.server.api.payload_query import MOST_NAME
from toposcope.server.api.snapshot import find_runs, not_found
from toposcope.server.landscapes.landscape import Landscape, landscape
from toposcope.server.loading.logdir import Snapshot
from toposcope.server.reading.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import RunView

MOST_BYTES = 16 << 20
"""Of the messages of one reply together: a surface of 1000 by 1000 points takes 12 MB at the most."""
Publication = Annotated[int, Field(ge=0, lt=2**31)]
_OF_A_PUBLICATION = "which of a tag's landscapes, from 0, the oldest; absent: the newest"


class LandscapeQuery(BaseModel):
    """Which landscapes."""

    model_config = ConfigDict(extra="forbid")

    run: list[str] = Field([], max_length=1000, description="runs; none: all")
    tag: list[str] = Field([], max_length=1000, description="tags; none: all")
    rank: Annotated[int, Field(ge=0, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: the lowest rank that has the tag"
    )
    attempt: Annotated[int, Field(ge=1, lt=2**31)] | Literal["all"] | None = Field(
        None, description="absent: stitched, what a later attempt repeats is hidden; all: every attempt"
    )
    step: int | None = Field(None, ge=-(2**63), lt=2**63, description="absent: the newest landscape, whatever its step")
    publication: Publication | None = Field(None, description=_OF_A_PUBLICATION)
    most: int | None = Field(
        None, ge=1, lt=2**31, description="surfaces of more nodes come without losses, which landscapes/losses has"
    )
    digits: int | None = Field(
        None, ge=3, le=17, description="significant digits of losses, and three of standard errors; absent: all"
    )
    limit: int = Field(50, ge=1, le=1000, description="landscapes at most")


class FileQuery(BaseModel):
    """Which landscape a file is made of."""

    model_config = ConfigDict(extra="forbid")

    run: str = Field(max_length=MOST_NAME, description="a run")
    tag: str = Field(max_length=MOST_NAME, description="a tag of it")
    publication: Publication | None = Field(None, description=_OF_A_PUBLICATION)


class Chosen(NamedTuple):
    """One landscape of a series."""

    run: RunView
    tag: str
    rank: int
    payloads: Payloads
    """Of its series, by time."""
    row: int
    """Which of them."""


def choose(runs: list[RunView], query: LandscapeQuery) -> Iterator[Chosen]:
    """Yield one landscape of each tag that matches: the newest, or the one that is asked for."""
    wanted = set(query.tag)
    for run in runs:
        for name in run.tags_of("landscape"):
            tag = Tag("landscape", name)
            for rank in _ranks(run, tag, query) if not wanted or name in wanted else []:
                payloads = run.payloads(tag, rank, query.attempt)
                payloads = payloads.take(np.argsort(payloads.wall_time, kind="stable"))
                rows = np.arange(payloads.total)
                if query.step is not None:
                    rows = np.flatnonzero(payloads.step == query.step)
                if query.publication is not None:
                    rows = rows[rows == query.publication]
                if rows.size:
                    yield Chosen(run, name, rank, payloads, int(rows[-1]))


def choose_one(current: Snapshot, query: FileQuery) -> Chosen:
    """Return the landscape that a file is made of.

    Raises:
        HTTPException: 404, there is none.
    """
    runs = find_runs(current, [query.run])
    wanted = LandscapeQuery.model_validate({"tag": [query.tag], "publication": query.publication})
    chosen = next(choose(runs, wanted), None)
    if chosen is None:
        raise not_found("landscape tag", [query.tag])
    return chosen


def read(chosen: Chosen, most_bytes: int = MOST_BYTES) -> Landscape:
    """Return the landscape.

    Raises:
        ValueError: it cannot be read, or its message has more bytes than are left.
    """
    length = int(chosen.payloads.length[chosen.row])
    if length > most_bytes:
        raise ValueError(
            f"left out, its message has {length} bytes: those of one reply have {MOST_BYTES} together, "
            f"{most_bytes} were left; ask for fewer landscapes at once"
        )
    return landscape(read_payload(chosen.run, chosen.payloads, chosen.row))


def _ranks(run: RunView, tag: Tag, query: LandscapeQuery) -> list[int]:
    ranks = run.ranks_of(tag, query.attempt)
    if query.rank is None:
        return ranks[:1]
    return ranks if query.rank == "all" else [rank for rank in ranks if rank == query.rank]
