"""What is known of a run, and what differs between runs."""

from collections.abc import Sequence

from toposcope.metric_direction import metric_direction
from toposcope.server.notes.run_notes import NO_NOTES
from toposcope.server.questions.answers import (
    Comparison,
    Failure,
    MetricValues,
    ParameterValues,
    RecordedAlert,
    RunFacts,
)
from toposcope.server.questions.metrics import summarise_metrics
from toposcope.server.questions.opening.opened import Opened, find_run
from toposcope.server.reading.series.series_summary import Statistic
from toposcope.server.runs.messages.recorded_alerts import recorded_alerts
from toposcope.server.runs.parameters.hyper_parameters import RunSettings, Value
from toposcope.server.runs.run import RunView

_MAX_ALERTS = 10


def show_run(opened: Opened, name: str) -> RunFacts:
    """Return what is known of a run.

    Raises:
        UnknownNameError: there is no such run.
    """
    run = find_run(opened.runs, name)
    settings, notes, state = _settings(opened, run), opened.notes.get(name, NO_NOTES), run.state
    first, last = run.steps or (None, None)
    alerts, problems = recorded_alerts(run, _MAX_ALERTS)
    return RunFacts(
        name,
        state.state,
        state.phase,
        run.started,
        run.updated,
        state.ended,
        first,
        last,
        list(run.attempts),
        run.shape[2],
        run.dialect,
        sum(len(file.damage) for file in run.files),
        state.error and Failure(*state.error),
        notes.alias,
        notes.note,
        list(notes.labels),
        settings.hyper_parameters,
        settings.environment,
        [RecordedAlert(each.rank, each.step, each.wall_time, each.message.level, *each.message[:2]) for each in alerts],
        summarise_metrics(opened, run),
        [*map(str, settings.problems), *problems],
    )


def compare_runs(opened: Opened, names: Sequence[str]) -> Comparison:
    """Return the hyperparameters that differ between runs, and their metrics.

    Raises:
        UnknownNameError: a run does not exist.
        ValueError: there are fewer than two runs.
    """
    names = list(dict.fromkeys(names))
    if len(names) < 2:
        raise ValueError("expected two runs or more to compare")
    runs = [find_run(opened.runs, name) for name in names]
    settings = [_settings(opened, run).hyper_parameters for run in runs]
    rows = [ParameterValues(name, [each.get(name) for each in settings]) for name in _union(settings)]
    differing = [row for row in rows if any(not _is_same(row.values[0], value) for value in row.values)]
    tags = _union([dict.fromkeys(run.tags_of("scalar")) for run in runs])
    metrics = [_metric(opened, runs, tag) for tag in tags]
    return Comparison(names, differing, len(rows) - len(differing), metrics)


def _settings(opened: Opened, run: RunView) -> RunSettings:
    return opened.overview.settings(run, opened.overview.sessions(opened.runs).get(run.name, ()))


def _union(names: Sequence[dict[str, Value] | dict[str, None]]) -> list[str]:
    return list(dict.fromkeys(name for each in names for name in each))


def _is_same(one: Value | None, other: Value | None) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _metric(opened: Opened, runs: Sequence[RunView], tag: str) -> MetricValues:
    statistic: Statistic = metric_direction(tag) or "last"
    summaries = [opened.overview.summary(run, tag) for run in runs]
    values = [None if each is None else each[1].statistic(statistic) for each in summaries]
    base = values[0]
    deltas = [None if base is None or value is None else value - base for value in values]
    return MetricValues(tag, statistic, values, deltas)
