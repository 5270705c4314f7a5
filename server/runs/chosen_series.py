"""Which ranks and attempts of a tag are asked for, by the rules of the HTTP API, and their points in order."""

from typing import Literal, NamedTuple

import numpy as np

from toposcope.server.reading.series import Payloads, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import ALL, RunView


class Choice(NamedTuple):
    """Which series of a tag."""

    rank: int | Literal["all"] | None = None
    """None: the lowest that has the tag."""
    attempt: int | Literal["all"] | None = None
    """None: stitched, what a later attempt repeats is hidden; ALL: every point in file order."""


def ranks(run: RunView, tag: Tag, choice: Choice) -> list[int]:
    """Return the ranks that are asked for and have points of the tag."""
    having = run.ranks_of(tag, choice.attempt)
    if choice.rank is None:
        return having[:1]
    return having if choice.rank == ALL else [rank for rank in having if rank == choice.rank]


def points(run: RunView, tag: str, rank: int, choice: Choice) -> Points:
    """Return a scalar series by step, equal ones in file order; in file order when every attempt is asked for."""
    return run.ordered(tag, rank, choice.attempt, "step")[0]


def payloads(run: RunView, tag: Tag, rank: int, choice: Choice) -> Payloads:
    """Return a series of another plugin, ordered as points are."""
    found = run.payloads(tag, rank, choice.attempt)
    return found if choice.attempt == ALL else found.take(np.argsort(found.step, kind="stable"))
