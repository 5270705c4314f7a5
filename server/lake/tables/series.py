"""The scalar series of runs as they are in a lake: what the API shows by default, of every rank."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.proto.wire import text_bytes
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.series.series_summary import SeriesSummary, summarise
from toposcope.server.runs.run import RunView, ordering_of

Attempts = npt.NDArray[np.int32]


class Series(NamedTuple):
    """One scalar series of a run."""

    tag: str
    run: str
    rank: int
    is_of_lowest_rank: bool
    """Whether no lower rank of the run has the tag."""
    points: Points
    """One or more, by step, without those that a later attempt repeats; of equal steps, in the order of recording."""
    attempt: int | Attempts
    """The attempt of each point, from 1; one number if it is the same."""
    summary: SeriesSummary


def series_of(runs: Iterable[RunView], tags: frozenset[str] = frozenset()) -> list[Series]:
    """Return the scalar series of runs, sorted by the bytes of the tag and of the run, and by rank.

    Points of writers without ranks that wrote one directory at the same time are together in rank 0.

    Args:
        runs: the runs.
        tags: names of tags; none: all.
    """
    series = [each for run in runs for each in _series_of(run, tags)]
    return sorted(series, key=lambda each: (each.tag.encode(), each.run.encode(), each.rank))


def count_points(run: RunView) -> int:
    """Return how many points the scalar series of a run have, with those that a later attempt repeats."""
    totals = (series.total for file in run.files for tag, series in file.series.items() if tag.plugin == "scalar")
    return sum(totals)


def plain_text(text: str) -> str:
    """Return text as UTF-8 can encode it: bytes that are not UTF-8 in a file name are escaped, as in the API."""
    return text_bytes(text).decode()


def _series_of(run: RunView, tags: frozenset[str]) -> Iterator[Series]:
    name = plain_text(run.name)
    for tag in run.tags_of("scalar"):
        if tags and tag not in tags:
            continue
        ranks = [rank for rank in run.covering_ranks if run.points(tag, rank).total]
        for rank in ranks:
            yield _read(run, name, tag, rank, rank == ranks[0])


def _read(run: RunView, name: str, tag: str, rank: int, is_of_lowest_rank: bool) -> Series:
    recorded = run.points(tag, rank)
    summary = summarise(recorded)
    attempt = run.attempts_of(tag, rank) if len(run.attempts[rank]) > 1 else 1
    points = recorded
    if ordering_of(recorded, "step") == "none":
        order = np.argsort(recorded.step, kind="stable")
        points = recorded.take(order)
        attempt = attempt if isinstance(attempt, int) else attempt[order]
    return Series(plain_text(tag), name, rank, is_of_lowest_rank, points, attempt, summary)
