"""Answers in words: aligned lines for people and agents."""

from collections.abc import Iterator, Mapping
from functools import singledispatch

from toposcope.server.questions.answers import (
    BestRuns,
    Check,
    Comparison,
    ConsoleLines,
    Diagnosis,
    Matches,
    RecordedImage,
    RunFacts,
    RunList,
    SeriesList,
    TagList,
    Texts,
)
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.search.fields import TIMES
from toposcope.server.text.text_table import count_text, table_lines, text_or_blank, time_text

_MINUTE, _HOUR, _DAY = 60, 3600, 86400


@singledispatch
def lines_of(answer: object) -> Iterator[str]:
    """Yield the lines of an answer; names and texts in them are those of the event files, and not escaped."""
    raise TypeError(f"no words for {type(answer).__name__}")


@lines_of.register
def _(answer: RunList) -> Iterator[str]:
    columns = list(answer.runs[0].values) if answer.runs else []
    rows = [[run.run, *(value_text(column, run.values[column]) for column in columns)] for run in answer.runs]
    sides = "".join("r" if _is_numeric(answer, column) else "l" for column in columns)
    yield from table_lines(["run", *columns], rows, f"l{sides}", "")
    yield total_text(len(rows), answer.total, "run")
    if answer.unknown:
        yield f"no run has {', '.join(answer.unknown)}"


def _is_numeric(answer: RunList, column: str) -> bool:
    return all(not isinstance(run.values[column], str) for run in answer.runs) and column not in TIMES


@lines_of.register
def _(answer: TagList) -> Iterator[str]:
    if answer.run is None:
        rows = [[tag.plugin, tag.tag, f"{tag.runs:,}"] for tag in answer.tags]
        yield from table_lines(("plugin", "tag", "runs"), rows, "llr", "")
    else:
        rows = [
            [tag.plugin, tag.tag, f"{tag.points or 0:,}", text_or_blank(tag.first_step), text_or_blank(tag.last_step)]
            for tag in answer.tags
        ]
        yield from table_lines(("plugin", "tag", "points", "first step", "last step"), rows, "llrrr", "")
    yield total_text(len(rows), answer.total, "tag")


@lines_of.register
def _(answer: SeriesList) -> Iterator[str]:
    for series in answer.series:
        yield f"{series.tag} of {series.run}: {count_text(series.total, 'point')}{_extremes(series.min, series.max)}"
        columns = [series.value] if series.smoothed is None else [series.value, series.smoothed]
        rows = [[str(step), *map(number_text, values)] for step, *values in zip(series.step, *columns, strict=True)]
        yield from table_lines(("step", "value", "smoothed")[: 1 + len(columns)], rows, "r" * (1 + len(columns)))
    for tag in answer.missing:
        yield f"no run has {tag}"


def _extremes(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f", {number_text(low)} to {number_text(high)}"


@lines_of.register
def _(answer: RunFacts) -> Iterator[str]:
    yield f"{answer.run}: {', '.join(_facts(answer))}"
    if answer.error is not None:
        yield f"error: {': '.join(filter(None, (answer.error.type, answer.error.text)))}"
        yield from (f"  {line}" for line in answer.error.traceback.splitlines())
    for name, text in (("alias", answer.alias), ("labels", ", ".join(answer.labels)), ("note", answer.note)):
        if text:
            yield f"{name}: {text}"
    for alert in answer.alerts:
        yield f"alert ({alert.level}, step {alert.step}, {time_text(alert.wall_time)}): {alert.title}"
        yield from (f"  {line}" for line in alert.text.splitlines())
    yield from _section("hyperparameter", answer.hyper_parameters)
    yield from _section("environment", answer.environment)
    rows = [
        [
            metric.tag,
            f"{metric.points:,}",
            *_at(metric.last, metric.last_step),
            *_at(metric.min, metric.min_step),
            *_at(metric.max, metric.max_step),
            text_or_blank(metric.first_non_finite_step),
        ]
        for metric in answer.metrics
    ]
    head = ("metric", "points", "last", "at", "min", "at", "max", "at", "not finite at")
    yield from table_lines(head, rows, "lrrrrrrrr", "")
    yield from (f"problem: {problem}" for problem in answer.problems)


def _facts(answer: RunFacts) -> Iterator[str]:
    yield answer.state
    yield answer.dialect
    yield count_text(answer.attempts, "attempt")
    if len(answer.ranks) > 1:
        yield f"ranks {' '.join(map(str, answer.ranks))}"
    if answer.first_step is not None:
        yield f"steps {answer.first_step} to {answer.last_step}"
    if answer.started is not None and answer.updated is not None:
        yield f"{time_text(answer.started)} to {time_text(answer.updated)}"
    if answer.damaged_records:
        yield count_text(answer.damaged_records, "damaged record")


def _section(title: str, values: Mapping[str, Value]) -> Iterator[str]:
    yield from table_lines((title, "value"), [[name, _plain(value)] for name, value in values.items()], "ll", "")


def _at(value: float | None, step: int | None) -> tuple[str, str]:
    return "" if value is None else number_text(value), text_or_blank(step)


@lines_of.register
def _(answer: Comparison) -> Iterator[str]:
    names = [f"[{place}]" for place in range(1, len(answer.runs) + 1)]
    yield from (f"{name} {run}" for name, run in zip(names, answer.runs, strict=True))
    parameters = [[row.name, *map(_plain, row.values)] for row in answer.parameters]
    yield from table_lines(("hyperparameter", *names), parameters, "l" + "r" * len(names), "")
    yield f"{count_text(answer.equal_parameters, 'hyperparameter')} equal"
    metrics = [
        [row.statistic, row.tag, *(_with_delta(*each) for each in zip(row.values, row.deltas, strict=True))]
        for row in answer.metrics
    ]
    yield from table_lines(("", "metric", *names), metrics, "ll" + "r" * len(names), "")


def _with_delta(value: float | None, delta: float | None) -> str:
    if value is None:
        return ""
    return number_text(value) + (f" ({delta:+.4g})" if delta else "")


@lines_of.register
def _(answer: BestRuns) -> Iterator[str]:
    name = f"{answer.statistic}({answer.metric})"
    grouped = any(run.group is not None for run in answer.runs)
    rows = [
        [*([run.group or ""] if grouped else []), run.run, number_text(run.value), text_or_blank(run.step)]
        for run in answer.runs
    ]
    head = [*(["group"] if grouped else []), "run", name, "step"]
    yield from table_lines(head, rows, "l" * (len(head) - 2) + "rr", "")
    yield total_text(len(rows), answer.total, "group" if grouped else "run")


@lines_of.register
def _(answer: ConsoleLines) -> Iterator[str]:
    yield from (line.text for line in answer.lines)
    if not answer.lines:
        yield "no line matches" if answer.total else "no output was recorded"
    if answer.dropped:
        yield f"({count_text(answer.dropped, 'line')} not recorded)"


@lines_of.register
def _(answer: Texts) -> Iterator[str]:
    for each in answer.texts:
        yield f"{each.tag}, step {each.step}:"
        yield from (f"  {line}" for line in each.text.splitlines())
    yield total_text(len(answer.texts), answer.total, "text")
    if answer.damaged:
        yield f"{count_text(answer.damaged, 'text')} cannot be read"


@lines_of.register
def _(answer: RecordedImage) -> Iterator[str]:
    yield f"{answer.tag} at step {answer.step} of {answer.run}"


@lines_of.register
def _(answer: Diagnosis) -> Iterator[str]:
    examined = count_text(answer.examined, "metric")
    yield f"{answer.run}: {answer.state}, {total_text(len(answer.findings), answer.total, 'finding')} in {examined}"
    for finding in answer.findings:
        yield f"{finding.kind}: {finding.text}"


@lines_of.register
def _(answer: Check) -> Iterator[str]:
    for run in answer.failed:
        values = ", ".join(f"{name} is {value_text(name, value)}" for name, value in run.values.items())
        yield f"{run.run}: {answer.condition}{': ' if values else ''}{values}"
    for name in answer.lacking:
        yield f"{name}: lacks a value that {answer.condition} compares"
    failures = len(answer.failed) + len(answer.lacking)
    yield f"{failures:,} of {count_text(answer.total, 'run')} failed"


@lines_of.register
def _(answer: Matches) -> Iterator[str]:
    yield f"{total_text(len(answer.runs), answer.total_runs, 'run')}{':' if answer.runs else ''}"
    yield from (f"  {run}" for run in answer.runs)
    yield f"{total_text(len(answer.tags), answer.total_tags, 'tag')}{':' if answer.tags else ''}"
    yield from (f"  {tag}" for tag in answer.tags)


def total_text(shown: int, total: int, noun: str) -> str:
    """Return how many there are, and how many of them are shown if others are not."""
    return count_text(total, noun) if shown == total else f"{shown:,} of {count_text(total, noun)}"


def value_text(column: str, value: Value | None) -> str:
    """Return the value of a field, hyperparameter or metric as a cell of a table; None is blank."""
    if value is None or isinstance(value, (bool, str)):
        return _plain(value)
    if column in TIMES:
        return time_text(value)
    return _duration(value) if column == "duration" else number_text(value)


def _plain(value: Value | None) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else value if isinstance(value, str) else number_text(value)


def number_text(value: float) -> str:
    """Return an integer as it is, and another number with six digits."""
    return str(value) if isinstance(value, int) else f"{value:.6g}"


def _duration(seconds: float) -> str:
    if seconds < _MINUTE:
        return f"{seconds:.3g} s"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    if seconds < _DAY:
        return f"{seconds // _HOUR:.0f} h {seconds % _HOUR // _MINUTE:.0f} min"
    return f"{seconds // _DAY:.0f} d {seconds % _DAY // _HOUR:.0f} h"
