"""The series of a tag that a request selects by rank and attempt, as in the HTTP API."""

from typing import Literal, NamedTuple

import numpy as np

from toposcope.server.reading.series.series import Payloads, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import ALL, RunView


class Choice(NamedTuple):
    """The requested series of a tag."""

    rank: int | Literal["all"] | None = None
    """None: the lowest rank that has the tag. ALL: every rank, and no point twice."""
    attempt: int | Literal["all"] | None = None
    """None: stitched, without points that a later attempt repeats; ALL: every point in file order."""


def ranks(run: RunView, tag: Tag, choice: Choice) -> list[int]:
    """Return the requested ranks that have points of the tag."""
    available = run.ranks_of(tag, choice.attempt)
    if choice.rank is None:
        return available[:1]
    if choice.rank == ALL:
        return [rank for rank in available if rank in run.separate_ranks or rank not in run.attempts]
    return [rank for rank in available if rank == choice.rank]


def points(run: RunView, tag: str, rank: int, choice: Choice) -> Points:
    """Return a scalar series sorted by step, stably; in file order if every attempt is requested."""
    return run.ordered(tag, rank, choice.attempt, "step")[0]


def payloads(run: RunView, tag: Tag, rank: int, choice: Choice) -> Payloads:
    """Return a series of another plugin, in the same order as points()."""
    series = run.payloads(tag, rank, choice.attempt)
    return series if choice.attempt == ALL else series.take(np.argsort(series.step, kind="stable"))
