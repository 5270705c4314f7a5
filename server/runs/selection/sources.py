"""Where the points of a requested series come from: a scalar tag, or an expression of tags."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from toposcope.server.expressions.evaluation import RateUnit, evaluate
from toposcope.server.expressions.joining import Join, StepCurve, last_of_each_step
from toposcope.server.expressions.syntax import TagName, Tree, tags_of
from toposcope.server.reading.series.series import Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import Ordering, RunView, sorted_points
from toposcope.server.runs.selection.chosen_series import Choice, ranks


class Source(NamedTuple):
    """A scalar tag, or an expression."""

    text: str
    """The tag or the expression, as it was requested."""
    tree: Tree
    is_expression: bool = False
    join: Join = "equal"
    rate: RateUnit = "step"
    x: str | None = None
    """A tag whose values are the positions, instead of steps or times."""

    @property
    def is_plain(self) -> bool:
        """Whether it is a tag over steps or times, whose points need not be computed."""
        return not self.is_expression and self.x is None

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags that a run must have."""
        return tags_of(self.tree) if self.x is None else (*tags_of(self.tree), self.x)


class FoundSeries(NamedTuple):
    """A series that a run has."""

    source: Source
    run: RunView
    rank: int


def tag_source(tag: str) -> Source:
    """Return a tag as a source."""
    return Source(tag, TagName(tag))


def ranks_having(run: RunView, source: Source, choice: Choice) -> list[int]:
    """Return the requested ranks that have points of every tag of a source."""
    first, *others = source.tags
    if not others:
        return ranks(run, Tag("scalar", first), choice)
    every = choice if choice.rank is not None else choice._replace(rank="all")
    having = [set(ranks(run, Tag("scalar", tag), every)) for tag in others]
    common = [rank for rank in ranks(run, Tag("scalar", first), every) if all(rank in each for each in having)]
    return common if choice.rank is not None else common[:1]


def series_of(sources: Iterable[Source], runs: Collection[RunView], choice: Choice) -> list[FoundSeries]:
    """Return the requested series that runs have, by source, run and rank."""
    return [
        FoundSeries(source, run, rank)
        for source in sources
        for run in runs
        for rank in ranks_having(run, source, choice)
    ]


def curve(run: RunView, source: Source, rank: int, attempt: int | str | None) -> StepCurve:
    """Return the last value of each step. With every attempt, the last is the one that was recorded last."""
    by_tag = {tag: tag_curve(run, tag, rank, attempt) for tag in tags_of(source.tree)}
    return evaluate(source.tree, by_tag, source.join, source.rate)


def tag_curve(run: RunView, tag: str, rank: int, attempt: int | str | None) -> StepCurve:
    """Return the last value of each step of a tag."""
    return last_of_each_step(run.ordered(tag, rank, attempt, "step")[0])


def ordered(run: RunView, source: Source, rank: int, attempt: int | str | None, by: str) -> tuple[Points, Ordering]:
    """Return (a series sorted by "step" or "wall_time", stably; its ordering), as RunView.ordered does for a tag."""
    if not source.is_expression:
        return run.ordered(source.text, rank, attempt, by)
    return sorted_points(Points(*curve(run, source, rank, attempt)), by)


def hidden(run: RunView, source: Source, rank: int) -> int:
    """Return how many points the stitched view hides, at most, of a tag of the source."""
    return max(run.hidden(tag, rank) for tag in source.tags)
