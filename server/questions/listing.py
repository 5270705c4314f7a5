"""Which runs match a search, in which order, with which values; and which is the best by a metric."""

from collections.abc import Sequence

from toposcope.metric_direction import metric_direction
from toposcope.server.questions.answers import BestRun, BestRuns, ListedRun, RunList
from toposcope.server.questions.opening.opened import Opened, Runs
from toposcope.server.reading.series.series_summary import STATISTICS, Statistic
from toposcope.server.runs.grouping import Grouping, group_runs, parse_grouping
from toposcope.server.runs.run import RunView
from toposcope.server.search.language.syntax import Field, parse, parse_field

DEFAULT_COLUMNS = ("state", "started", "duration", "step")


def list_runs(
    opened: Opened,
    search: str = "",
    *,
    sort: str = "started",
    descending: bool = False,
    columns: Sequence[str] = DEFAULT_COLUMNS,
    offset: int = 0,
    limit: int | None = None,
) -> RunList:
    """Return the runs that match a search.

    Args:
        opened: the logdir.
        search: in the search syntax; empty: all runs.
        sort: a field, hyperparameter or metric, such as `lr` or `min(loss)`; runs without it are last.
        descending: whether the largest values are first.
        columns: fields, hyperparameters and metrics.
        offset: how many runs to omit from the beginning.
        limit: how many runs to return at most; None: all.

    Raises:
        ValueError: the search, the order or a column is invalid.
    """
    fields = {column: parse_field(column) for column in columns}
    page = slice(offset, None if limit is None else offset + limit)
    runs, notes = opened.runs, opened.notes
    found = opened.search.find(runs, notes, parse(search), parse_field(sort), descending, page=page)
    names = [run.name for run in found.runs]
    values = [opened.search.values(runs, notes, names, field) for field in fields.values()]
    rows = zip(*values, strict=True) if values else [()] * len(names)
    listed = [ListedRun(name, dict(zip(fields, row, strict=True))) for name, row in zip(names, rows, strict=True)]
    return RunList(listed, found.total, found.unknown)


def find_best(
    opened: Opened, metric: str, search: str = "", *, by: str | None = None, offset: int = 0, limit: int | None = None
) -> BestRuns:
    """Return the best runs by a metric.

    Args:
        opened: the logdir.
        metric: `min(TAG)`, `max(TAG)` or `last(TAG)`; or a tag whose name says whether smaller values are better.
        search: which runs, in the search syntax; empty: all.
        by: groups of which the best run is wanted: `label`, `regex:PATTERN` or `param:NAME`; None: no groups.
        offset: how many runs to omit from the beginning.
        limit: how many runs to return at most; None: all.

    Raises:
        ValueError: the metric, the search or the groups are invalid, or it is not known which values are better.
    """
    field, descending = _ranked(metric)
    grouping = None if by is None else parse_grouping(by)
    runs, notes = opened.runs, opened.notes
    found = opened.search.find(runs, notes, parse(search), field, descending).runs
    values = opened.search.values(runs, notes, [run.name for run in found], field)
    ranked = [(run, value) for run, value in zip(found, values, strict=True) if value is not None and value == value]
    groups: dict[str, str] = {}
    if grouping is not None:
        groups = _best_of_groups(opened, runs, [run for run, _ in ranked], grouping)
        ranked = [each for each in ranked if each[0].name in groups]
    end = None if limit is None else offset + limit
    best = [
        BestRun(run.name, float(value), _step(opened, run, field), groups.get(run.name))
        for run, value in ranked[offset:end]
    ]
    return BestRuns(field.name, STATISTICS[field.function], descending, best, len(ranked))


def _ranked(metric: str) -> tuple[Field, bool]:
    """Return (the statistic of a metric by which runs are compared; whether larger values are better)."""
    field = parse_field(metric)
    direction = metric_direction(field.name)
    if field.function == "param":
        raise ValueError(f"{metric!r} is not a metric: expected a tag, or min(TAG), max(TAG) or last(TAG)")
    if field.function in ("min", "max"):
        return field, field.function == "max"
    if direction is None:
        raise ValueError(
            f"whether smaller or larger values of {field.name!r} are better is unknown: expected min({field.name}) "
            f"or max({field.name})"
        )
    return (field if field.function else Field(field.name, direction)), direction == "max"


def _best_of_groups(opened: Opened, runs: Runs, ranked: list[RunView], grouping: Grouping) -> dict[str, str]:
    """Return the group of each run that is the first of one."""
    sessions, notes = opened.overview.sessions(runs), opened.notes
    groups, _ = group_runs(
        ranked,
        grouping,
        lambda run: opened.overview.settings(run, sessions.get(run.name, ())).hyper_parameters,
        lambda run: notes[run.name].labels if run.name in notes else (),
    )
    places = {run.name: place for place, run in enumerate(ranked)}
    firsts = [(min((run.name for run in group.runs), key=places.__getitem__), group.name) for group in groups]
    return dict(firsts)


def _step(opened: Opened, run: RunView, field: Field) -> int | None:
    """Return the step of a statistic of a metric."""
    found = opened.overview.summary(run, field.name)
    if found is None:
        return None
    summary = found[1]
    statistic: Statistic = STATISTICS[field.function]
    if statistic == "last":
        return summary.last_step
    extreme = summary.min if statistic == "min" else summary.max
    return None if extreme is None else extreme.step
