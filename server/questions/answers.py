"""The answers to questions, as plain data: json_of() is what `--json` prints."""

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from toposcope.metric_direction import Direction
from toposcope.server.reading.series.series_summary import Statistic
from toposcope.server.runs.parameters.hyper_parameters import Value
from toposcope.server.runs.recordings.run_state import Phase, State
from toposcope.server.tables.dataframe import dataframe_of_rows
from toposcope.server.text.json_values import json_value
from toposcope.server.values.alert import Level

if TYPE_CHECKING:
    import pandas

Number = float
"""A number; in JSON, one that is not finite is a string."""


@dataclass(frozen=True)
class ListedRun:
    """A run and its values of the requested columns."""

    run: str
    values: dict[str, Value | None]
    """The values, by column, in the requested order. Times are seconds since 1970, durations seconds."""


@dataclass(frozen=True)
class RunList:
    """The runs that match a search, or a page of them."""

    runs: list[ListedRun]
    total: int
    """How many match."""
    unknown: list[str]
    """Names in the search that no run has as a field, hyperparameter or metric."""

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with a row for each run: its name, and the columns.

        Raises:
            ImportError: pandas is not installed.
        """
        return dataframe_of_rows([{"run": each.run, **each.values} for each in self.runs])


@dataclass(frozen=True)
class ListedTag:
    """A tag of a run, or of several runs together."""

    plugin: str
    tag: str
    runs: int
    """How many of the runs have it."""
    direction: Direction | None
    """Whether the smallest or the largest value of a scalar is its best, if its name says so."""
    points: int | None
    """The points of the lowest rank that has the tag; None for several runs, as the next two."""
    first_step: int | None
    last_step: int | None


@dataclass(frozen=True)
class TagList:
    """The tags of a run, or of all runs, by plugin and name."""

    run: str | None
    tags: list[ListedTag]
    total: int
    """How many match."""


@dataclass(frozen=True)
class Series:
    """A scalar series, or that of an expression."""

    run: str
    tag: str
    rank: int
    step: list[int]
    value: list[Number]
    smoothed: list[Number] | None
    """None without smoothing."""
    total: int
    """Points in the window before some were chosen."""
    min: Number | None
    """The smallest finite value in the window; None if there is none."""
    min_step: int | None
    max: Number | None
    max_step: int | None


@dataclass(frozen=True)
class SeriesList:
    """The requested series that exist."""

    series: list[Series]
    missing: list[str]
    """Tags and expressions that none of the runs has."""


@dataclass(frozen=True)
class MetricSummary:
    """Statistics of a scalar series, from all of its points."""

    tag: str
    direction: Direction | None
    points: int
    last: Number
    last_step: int
    min: Number | None
    """None if no value is finite, as the next three."""
    min_step: int | None
    max: Number | None
    max_step: int | None
    first_non_finite_step: int | None
    """None if all values are finite."""


@dataclass(frozen=True)
class Failure:
    """What ended a run."""

    type: str
    text: str
    traceback: str


@dataclass(frozen=True)
class RecordedAlert:
    """A message that the training recorded for the people who watch it."""

    rank: int
    step: int
    wall_time: Number
    """Seconds since 1970."""
    level: Level
    title: str
    text: str
    """In Markdown."""


@dataclass(frozen=True)
class RunFacts:
    """What is known of a run."""

    run: str
    state: State
    phase: Phase | None
    started: Number | None
    """Seconds since 1970, as the next two."""
    updated: Number | None
    ended: Number | None
    first_step: int | None
    last_step: int | None
    ranks: list[int]
    attempts: int
    dialect: str
    damaged_records: int
    error: Failure | None
    alias: str | None
    note: str
    labels: list[str]
    hyper_parameters: dict[str, Value]
    environment: dict[str, Value]
    alerts: list[RecordedAlert]
    """Those that the training recorded, newest first; at most 10."""
    metrics: list[MetricSummary]
    problems: list[str]
    """Why something could not be read, one sentence each."""


@dataclass(frozen=True)
class ParameterValues:
    """The values of a hyperparameter, in the order of the runs; None: the run does not have it."""

    name: str
    values: list[Value | None]


@dataclass(frozen=True)
class MetricValues:
    """The values of a metric, in the order of the runs; None: the run has no such value."""

    tag: str
    statistic: Statistic
    """The smallest or the largest value, whichever is the best by the name of the metric; else the last one."""
    values: list[Number | None]
    deltas: list[Number | None]
    """Each value minus that of the first run."""


@dataclass(frozen=True)
class Comparison:
    """What differs between runs."""

    runs: list[str]
    parameters: list[ParameterValues]
    """Those that differ."""
    equal_parameters: int
    """How many hyperparameters all of the runs have with the same value."""
    metrics: list[MetricValues]


@dataclass(frozen=True)
class BestRun:
    """A run and its best value of a metric."""

    run: str
    value: Number
    step: int | None
    """The step of the value; of several, the first."""
    group: str | None
    """None without groups."""


@dataclass(frozen=True)
class BestRuns:
    """The best runs by a metric, the best one first; with groups, the best one of each."""

    metric: str
    statistic: Statistic
    descending: bool
    """Whether larger values are better."""
    runs: list[BestRun]
    total: int
    """How many runs have a value, or how many groups."""

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with the columns run, value, step and group, the best run first.

        Raises:
            ImportError: pandas is not installed.
        """
        return dataframe_of_rows([dataclasses.asdict(each) for each in self.runs])


@dataclass(frozen=True)
class ConsoleLine:
    """A line that a training wrote."""

    number: int
    """From 1 on."""
    wall_time: Number
    """Seconds since 1970."""
    stream: str
    """stdout, stderr or unknown."""
    text: str


@dataclass(frozen=True)
class ConsoleLines:
    """Lines of the output of a run."""

    run: str
    lines: list[ConsoleLine]
    total: int
    """Lines of the whole output."""
    dropped: int
    """Lines that were not recorded, because there were too many."""
    next: int | None
    """The number of the line after which to continue; None at the end."""


@dataclass(frozen=True)
class RecordedText:
    """The text of a tag at a step; the cells of a table are separated by line breaks."""

    tag: str
    step: int
    wall_time: Number
    text: str


@dataclass(frozen=True)
class Texts:
    """The texts of a run."""

    run: str
    texts: list[RecordedText]
    total: int
    """How many texts there are, read or not."""
    damaged: int
    """Texts that cannot be read."""


@dataclass(frozen=True)
class RecordedImage:
    """An image, as it was recorded."""

    run: str
    tag: str
    step: int
    content: str
    """The bytes of its file, in Base64."""


FindingKind = Literal["state", "non_finite", "divergence", "stall", "spikes", "plateau"]


@dataclass(frozen=True)
class Finding:
    """Something about a run that looks wrong, with the numbers that say so."""

    kind: FindingKind
    tag: str | None
    """None if it is about the run as a whole."""
    step: int | None
    """Where it begins."""
    text: str
    """One sentence."""
    numbers: dict[str, Number]


@dataclass(frozen=True)
class Diagnosis:
    """What looks wrong in a run."""

    run: str
    state: State
    findings: list[Finding]
    """The gravest first."""
    total: int
    """How many findings there are."""
    examined: int
    """How many metrics were examined."""


@dataclass(frozen=True)
class Check:
    """The runs for which a condition holds, so that a check fails."""

    condition: str
    failed: list[ListedRun]
    """With the values that the condition compares."""
    lacking: list[str]
    """Runs that lack such a value, so that nothing is known of them: they fail too."""
    total: int
    """How many runs were checked."""


@dataclass(frozen=True)
class Matches:
    """The runs and the tags that have a text in their names."""

    text: str
    runs: list[str]
    total_runs: int
    tags: list[str]
    total_tags: int


Answer = (
    RunList
    | TagList
    | SeriesList
    | RunFacts
    | Comparison
    | BestRuns
    | ConsoleLines
    | Texts
    | RecordedImage
    | Diagnosis
    | Check
    | Matches
)


def json_of(answer: Answer) -> dict[str, Any]:
    """Return an answer as JSON has it; numbers that are not finite are strings."""
    converted: dict[str, Any] = json_value(dataclasses.asdict(answer))
    return converted
