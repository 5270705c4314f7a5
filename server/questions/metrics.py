"""The tags of runs, their scalar series and their statistics."""

from collections.abc import Sequence

import numpy as np

from toposcope.metric_direction import Direction, metric_direction
from toposcope.server.budget.cancellation import check
from toposcope.server.expressions.syntax import parse
from toposcope.server.questions.answers import ListedTag, MetricSummary, Series, SeriesList, TagList
from toposcope.server.questions.opening.opened import Opened, UnknownNameError, find_run
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.chosen_series import Choice
from toposcope.server.runs.selection.selection import Window, select
from toposcope.server.runs.selection.sources import FoundSeries, Source, series_of, tag_source
from toposcope.server.runs.statistics.smoothing import parse_smoothing
from toposcope.server.search.language.literals import Pattern


def list_tags(
    opened: Opened,
    run: str | None = None,
    *,
    plugin: str | None = None,
    search: str = "",
    offset: int = 0,
    limit: int | None = None,
) -> TagList:
    """Return the tags of a run, or of all runs together.

    Args:
        opened: the logdir.
        run: the name of a run; None: all runs.
        plugin: None: all.
        search: a part of the name, ignoring case; "*" stands for any text; empty: all.
        offset: how many tags to omit from the beginning.
        limit: how many tags to return at most; None: all.

    Raises:
        UnknownNameError: there is no such run.
    """
    pattern = Pattern(search)
    view = None if run is None else find_run(opened.runs, run)
    all_tags, counts = opened.tag_counts.of(opened.runs)
    tags = [
        tag
        for tag in (all_tags if view is None else sorted(view.tags))
        if plugin in (None, tag.plugin) and pattern.is_in(tag.name.casefold())
    ]
    page = tags[offset : None if limit is None else offset + limit]
    if view is None:
        listed = [ListedTag(tag.plugin, tag.name, counts[tag], _direction(tag), None, None, None) for tag in page]
    else:
        listed = [_tag_of_run(view, tag) for tag in page]
    return TagList(run, listed, len(tags))


def _tag_of_run(run: RunView, tag: Tag) -> ListedTag:
    step = run.series(tag, run.ranks_of(tag)[0]).step
    return ListedTag(tag.plugin, tag.name, 1, _direction(tag), len(step), int(step.min()), int(step.max()))


def _direction(tag: Tag) -> Direction | None:
    return metric_direction(tag.name) if tag.plugin == "scalar" else None


def read_series(
    opened: Opened,
    runs: Sequence[str],
    tags: Sequence[str] = (),
    expressions: Sequence[str] = (),
    *,
    first_step: float = -np.inf,
    last_step: float = np.inf,
    points: int = 0,
    smooth: str | None = None,
) -> SeriesList:
    """Return scalar series over steps.

    Args:
        opened: the logdir.
        runs: their names; none: all runs.
        tags: names of scalar tags.
        expressions: of tags, as in charts.
        first_step: of the window.
        last_step: of the window, included.
        points: about how many points to choose of each series; 0: all.
        smooth: how to smooth them, as in the API: "ema:0.9", "auto" and others.

    Raises:
        UnknownNameError: a run does not exist, or no run has any of the tags.
        ValueError: an expression or the smoothing is invalid.
    """
    requested = None if smooth is None else parse_smoothing(smooth)
    window = Window(lo=first_step, hi=last_step, points=points)
    found, missing = find_series(opened, runs, tags, expressions)
    series = []
    for source, view, rank in found:
        check()
        selected = select(view, source, rank, None, window, requested)
        smoothed = None if selected.smoothed is None else selected.smoothed.tolist()
        steps, values = selected.points.step.tolist(), selected.points.value.tolist()
        series.append(Series(view.name, source.text, rank, steps, values, smoothed, selected.total, *selected.best))
    return SeriesList(series, missing)


def find_series(
    opened: Opened, runs: Sequence[str], tags: Sequence[str], expressions: Sequence[str]
) -> tuple[list[FoundSeries], list[str]]:
    """Return (the series that read_series() reads; the tags and expressions that none of the runs has).

    Raises:
        UnknownNameError: a run does not exist, or no run has any of the tags.
        ValueError: an expression is invalid.
    """
    sources = [tag_source(tag) for tag in dict.fromkeys(tags)]
    sources += [Source(text, parse(text), is_expression=True) for text in dict.fromkeys(expressions)]
    views = [find_run(opened.runs, name) for name in dict.fromkeys(runs)] or list(opened.runs.values())
    series = series_of(sources, views, Choice())
    found = {each.source.text for each in series}
    missing = [source.text for source in sources if source.text not in found]
    if not series:
        raise UnknownNameError(f"no run has {' or '.join(map(repr, missing))} as a scalar" if missing else "no tags")
    return series, missing


def summarise_metrics(opened: Opened, run: RunView, tags: Sequence[str] | None = None) -> list[MetricSummary]:
    """Return the statistics of scalar tags of a run that it has; None: of all."""
    names = run.tags_of("scalar") if tags is None else tags
    summaries = ((name, opened.overview.summary(run, name)) for name in names)
    listed = []
    for name, found in summaries:
        if found is None:
            continue
        each = found[1]
        low, high, bad = each.min, each.max, each.first_non_finite
        listed.append(
            MetricSummary(
                name,
                metric_direction(name),
                each.points,
                each.last,
                each.last_step,
                low and low.value,
                low and low.step,
                high and high.value,
                high and high.step,
                bad and bad.step,
            )
        )
    return listed
