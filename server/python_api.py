"""The Python API: a logdir that is read once, its runs, and their series as arrays."""

import errno
import logging
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar, overload

from toposcope.server.installation import log_installation_warnings
from toposcope.server.landscapes.landscape import Landscape, read_landscape
from toposcope.server.loading.load_once import Loaded, load_file, load_logdir
from toposcope.server.places.addresses import addresses_of, is_remote, text_of
from toposcope.server.questions.answers import BestRuns, Comparison, Diagnosis, RunList
from toposcope.server.questions.comparison import compare_runs
from toposcope.server.questions.diagnosis import diagnose_run
from toposcope.server.questions.listing import DEFAULT_COLUMNS, find_best, list_runs
from toposcope.server.questions.opening.opened import Opened
from toposcope.server.reading.index.index import open_index
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import NO_PAYLOADS, NO_POINTS, Float64s, Int64s, Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.messages.recorded_alerts import recorded_alerts
from toposcope.server.runs.parameters.hparams_sessions import Sessions, only_sessions, parents_of, read_session
from toposcope.server.runs.parameters.run_lineage import lineage_of
from toposcope.server.runs.recordings.run_state import RunState
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.selection.chosen_series import Choice, payloads, points, ranks
from toposcope.server.tables.arrow import arrow_table
from toposcope.server.tables.dataframe import dataframe, dataframe_of_series, polars_dataframe
from toposcope.server.values.alert import Level
from toposcope.server.values.histogram import Histogram, read_histogram
from toposcope.server.values.hparams import Session
from toposcope.server.values.image import Image, read_images
from toposcope.server.values.lineage import Lineage
from toposcope.server.values.tensor import Tensor, read_tensor
from toposcope.server.values.text import Text, read_text

if TYPE_CHECKING:
    import pandas
    import polars

_MAX_LOGGED = 10
log = logging.getLogger(__name__)

Value = TypeVar("Value")
Attempt = int | Literal["all"] | None
"""None: attempts are stitched, without points that a later one repeats; n >= 1: one attempt; "all": in file order."""


class Scalars(NamedTuple):
    """A scalar series: three arrays of equal length, ordered by step; in file order with attempt="all"."""

    step: Int64s
    wall_time: Float64s
    """Seconds since 1970."""
    value: Float64s

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame with these columns.

        Raises:
            ImportError: pandas is not installed.
        """
        return dataframe(self._asdict())

    def to_polars(self) -> "polars.DataFrame":
        """Return a DataFrame of Polars with these columns.

        Raises:
            ImportError: polars is not installed.
        """
        return polars_dataframe(self._asdict())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the columns as a stream of Arrow's PyCapsule interface, which DuckDB and PyArrow read without copying.

        Raises:
            ModuleNotFoundError: pyarrow is not installed.
        """
        stream: object = arrow_table(self._asdict()).__arrow_c_stream__(requested_schema)
        return stream


class Alert(NamedTuple):
    """A message that a training recorded for the people who watch it."""

    rank: int
    step: int
    wall_time: float
    """Seconds since 1970."""
    title: str
    text: str
    """In Markdown."""
    level: Level


class Values(Sequence[Value], Generic[Value]):
    """A series of another plugin, in the order of Scalars: a sequence whose values are read on access.

    A slice is a shorter series. Accessing a value raises ValueError if its record is damaged or its file has changed.
    """

    def __init__(self, run: RunView, payloads: Payloads, decode: Callable[[bytes, str, str], Value]) -> None:
        self._run = run
        self._payloads = payloads
        self._decode = decode

    @property
    def step(self) -> Int64s:
        """The step of each value."""
        return self._payloads.step

    @property
    def wall_time(self) -> Float64s:
        """When each value was recorded, in seconds since 1970."""
        return self._payloads.wall_time

    def __len__(self) -> int:
        return self._payloads.total

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> "Values[Value]": ...
    def __getitem__(self, index: int | slice) -> "Value | Values[Value]":
        if isinstance(index, slice):
            return Values(self._run, self._payloads.take(index), self._decode)
        row = range(len(self))[index]
        dialect = self._run.files[int(self._payloads.file[row])].version.dialect
        return self._decode(read_payload(self._run, self._payloads, row), KINDS[self._payloads.kind[row]], dialect)


class Run:
    """A run: the event files of one directory, as they were when the logdir was opened.

    The methods that return a series take a rank (None: the lowest that has the tag) and an attempt (see Attempt). They
    raise KeyError if the run does not have the tag, and return an empty series if the rank or attempt has no points.
    """

    def __init__(self, view: RunView, runs: Mapping[str, RunView], sessions: Sessions) -> None:
        self._view = view
        self._runs = runs
        self._sessions = sessions

    def __repr__(self) -> str:
        return f"<Run {self.name!r}: {', '.join(f'{count} {name}' for name, count in self.plugins.items())}>"

    @property
    def name(self) -> str:
        """Its directory relative to the logdir; "." for the logdir itself."""
        return self._view.name

    @property
    def started(self) -> float | None:
        """When the first recording began, in seconds since 1970: the wall_time of its first event."""
        return self._view.started

    @property
    def updated(self) -> float | None:
        """Largest wall_time, in seconds since 1970."""
        return self._view.updated

    @property
    def state(self) -> RunState:
        """Its state, and those of its recordings, when the logdir was opened."""
        return self._view.state

    @property
    def ranks(self) -> list[int]:
        """The ranks that recorded the run."""
        return list(self._view.attempts)

    @property
    def attempts(self) -> int:
        """The number of attempts; the maximum over the ranks."""
        return max(map(len, self._view.attempts.values()), default=1)

    @property
    def damaged_records(self) -> int:
        """The number of damaged records; summary-server inspect lists them."""
        return sum(len(file.damage) for file in self._view.files)

    @property
    def plugins(self) -> dict[str, int]:
        """Number of tags of each plugin."""
        return dict(self._view.plugins)

    def tags(self, plugin: str | None = None) -> list[str]:
        """Return the tags of a plugin, or of all plugins, in the order in which they first occur."""
        return list(dict.fromkeys(tag.name for tag in self._view.tags if plugin in (None, tag.plugin)))

    def scalars(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Scalars:
        """Return all points of a scalar series."""
        choice = Choice(rank, attempt)
        having_tag = self._ranks(Tag("scalar", tag), choice)
        return Scalars(*(points(self._view, tag, having_tag[0], choice) if having_tag else NO_POINTS))

    def images(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[list[Image]]:
        """Return the encoded images of each point: one, or several if a TensorBoard writer recorded a batch."""
        return self._values(Tag("image", tag), rank, attempt, lambda payload, kind, _: read_images(payload, kind))

    def tensors(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Tensor]:
        """Return tensors: dtype, dims, and values as a read-only array."""
        return self._values(
            Tag("tensor", tag), rank, attempt, lambda payload, _, dialect: read_tensor(payload, dialect)
        )

    def histograms(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Histogram]:
        """Return histograms of all encodings in one form."""
        return self._values(Tag("histogram", tag), rank, attempt, read_histogram)

    def text(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Text]:
        """Return texts: a single one, or a table with its dims."""
        return self._values(Tag("text", tag), rank, attempt, lambda payload, kind, _: read_text(payload, kind))

    @property
    def alerts(self) -> list[Alert]:
        """The newest 100 messages that the training recorded for the people who watch it, newest first."""
        return [Alert(each.rank, each.step, each.wall_time, *each.message) for each in recorded_alerts(self._view)[0]]

    def landscapes(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Landscape]:
        """Return loss landscapes: x, y, z with z[i, j] at (x[j], y[i]), and the path of the training."""
        return self._values(Tag("landscape", tag), rank, attempt, lambda payload, *_: read_landscape(payload))

    def lineage(self) -> Lineage:
        """Return the lineage of the run: hyperparameters, datasets, model and metrics, merged from all its records."""
        return lineage_of(self._view, self._sessions, self._runs)[0]

    def hparams(self) -> Session | None:
        """Return the hyperparameter session recorded by a TensorBoard writer; None if there is none."""
        return read_session(self._view)[0]

    def _values(
        self, tag: Tag, rank: int | None, attempt: Attempt, decode: Callable[[bytes, str, str], Value]
    ) -> Values[Value]:
        choice = Choice(rank, attempt)
        having_tag = self._ranks(tag, choice)
        series = payloads(self._view, tag, having_tag[0], choice) if having_tag else NO_PAYLOADS
        return Values(self._view, series, decode)

    def _ranks(self, tag: Tag, choice: Choice) -> list[int]:
        _check(choice)
        having_tag = ranks(self._view, tag, choice)
        if not having_tag and not self._view.ranks_of(tag, ALL):
            tags = self.tags(tag.plugin)
            listed = ", ".join(map(repr, tags[:10])) + (", ..." if len(tags) > 10 else "")
            expected = f"expected one of {listed}" if tags else f"the run has no {tag.plugin} tags"
            raise KeyError(f"no {tag.plugin} tag {tag.name!r} in run {self.name!r}: {expected}")
        return having_tag


class OpenLogdir:
    """A logdir as it was when it was opened. It has no threads or open files; open the logdir again for new data."""

    def __init__(self, path: str, loaded: Loaded) -> None:
        self.path = path
        self._views = loaded.runs
        self._opened = Opened(lambda: self._views, dict)
        self.problems = loaded.problems
        """Files and directories that could not be read, with the reason."""
        sessions = only_sessions(loaded.runs, parents_of(loaded.runs))
        self.runs: Mapping[str, Run] = MappingProxyType(
            {name: Run(view, loaded.runs, sessions) for name, view in loaded.runs.items()}
        )
        """The runs by name, ordered by name."""

    def __repr__(self) -> str:
        return f"<OpenLogdir {self.path!r}: {len(self.runs)} runs>"

    def __enter__(self) -> "OpenLogdir":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the data; runs and arrays returned before stay valid."""
        self.runs, self._views = MappingProxyType({}), {}

    def frame(
        self,
        tags: str | Sequence[str] | None = None,
        runs: str | Sequence[str] | None = None,
        rank: int | Literal["all"] | None = None,
        attempt: Attempt = None,
    ) -> "pandas.DataFrame":
        """Return scalar series as a DataFrame with the columns run, tag, rank, step, wall_time and value.

        Args:
            tags: names of tags; None for all. Runs without a tag are skipped.
            runs: names of runs; None for all.
            rank: None for the lowest rank that has the tag, "all" for every rank.
            attempt: see Attempt.

        Raises:
            ImportError: pandas is not installed.
            KeyError: a run does not exist, or none of the runs has one of the tags.
        """
        choice = Choice(rank, attempt)
        _check(choice)
        views = [self._view(name) for name in _names(runs, self._views)]
        names = _names(tags, {tag.name: None for view in views for tag in view.tags if tag.plugin == "scalar"})
        for name in names:
            if not any(view.ranks_of(Tag("scalar", name), ALL) for view in views):
                raise KeyError(f"no scalar tag {name!r} in any of the selected runs")
        return dataframe_of_series(
            [
                (view.name, name, each, points(view, name, each, choice))
                for name in names
                for view in views
                for each in ranks(view, Tag("scalar", name), choice)
            ]
        )

    def find(
        self,
        search: str = "",
        *,
        sort: str = "started",
        descending: bool = False,
        columns: Sequence[str] = DEFAULT_COLUMNS,
    ) -> RunList:
        """Return the runs that match a search, with values of some columns; `to_pandas()` makes a table of them.

        Args:
            search: in the search syntax of the page, as "state:failed lr<0.1"; empty: all runs.
            sort: a field, hyperparameter or metric, such as "lr" or "min(loss)"; runs without it are last.
            descending: whether the largest values are first.
            columns: fields, hyperparameters and metrics.

        Raises:
            ValueError: the search, the order or a column is invalid.
        """
        return list_runs(self._opened, search, sort=sort, descending=descending, columns=columns)

    def best(self, metric: str, search: str = "", *, by: str | None = None) -> BestRuns:
        """Return the runs ordered by a metric, the best one first; with groups, the best one of each.

        Args:
            metric: "min(TAG)", "max(TAG)" or "last(TAG)"; or a tag whose name says whether smaller values are better.
            search: which runs, in the search syntax; empty: all.
            by: "label", "regex:PATTERN" or "param:NAME"; None: no groups.

        Raises:
            ValueError: an argument is invalid, or it is not known which values are better.
        """
        return find_best(self._opened, metric, search, by=by)

    def compare(self, *runs: str) -> Comparison:
        """Return the hyperparameters that differ between runs, and their metrics beside those of the first run.

        Raises:
            LookupError: a run does not exist.
            ValueError: there are fewer than two runs.
        """
        return compare_runs(self._opened, runs)

    def diagnose(self, run: str) -> Diagnosis:
        """Return what looks wrong in a run, with the numbers that say so.

        Raises:
            LookupError: there is no such run.
        """
        return diagnose_run(self._opened, run)

    def _view(self, name: str) -> RunView:
        if name not in self._views:
            raise KeyError(f"no run {name!r} in {self.path!r}")
        return self._views[name]


def open_logdir(
    logdir: str | PathLike[str] | Mapping[str, str | PathLike[str]],
    *,
    index_dir: str | PathLike[str] | None = None,
    follow_links: bool = False,
) -> OpenLogdir:
    """Read a logdir, or one event file, on all cores.

    Follows the rules of the HTTP API: attempts are stitched by default, a tag is read from the lowest rank that has it,
    and by-products of MindSpore's landscapes are left out.

    Example:
        >>> import toposcope.server
        >>> with toposcope.server.open("runs") as logdir:
        ...     loss = logdir.runs["digits"].scalars("loss")
        ...     table = logdir.frame("loss")
        >>> loss.step[-1], loss.value.min()
        >>> table.groupby("run")["value"].min()
        >>> logdir.best("validation/accuracy").runs[0].run

    Args:
        logdir: a directory of runs or the address of an object store ("s3://bucket/runs"; also gs:// and az://),
            searched recursively, or an event file; or several directories and addresses by name: the names of their
            runs begin with it.
        index_dir: directory of an index of the data read, so that the next call reads only what was appended; may be
            that of summary-server. None: everything is read, and nothing is written.
        follow_links: whether to follow symbolic links of other users that lead out of the logdir; those of this user
            and of root are followed in any case.

    Raises:
        FileNotFoundError: the logdir does not exist.
        OSError: it cannot be listed. What else cannot be read is logged, and is in `problems`.
        ModuleNotFoundError: an object store needs a package that is not installed.
        ValueError: the name of the file is not that of an event file, an address is not valid, one of several places
            contains another one, or index_dir is inside the logdir, which is read-only.
    """
    log_installation_warnings()
    places = {name: os.fspath(path) for name, path in logdir.items()} if isinstance(logdir, Mapping) else None
    path = os.fspath(logdir) if not isinstance(logdir, Mapping) else ""
    for address in addresses_of(places or path):
        if not is_remote(address) and not os.path.exists(address):
            raise FileNotFoundError(f"logdir {address!r} does not exist")
        if index_dir is not None and (Path(index_dir).resolve() / "x").is_relative_to(Path(address).resolve()):
            raise ValueError(f"index_dir {os.fspath(index_dir)!r} is inside the logdir, which is read-only")
    if places is None and not is_remote(path) and not os.path.isdir(path):
        return OpenLogdir(path, load_file(path))
    index = None if index_dir is None else open_index(os.fspath(index_dir))
    loaded = load_logdir(places or path, index, follow_links=follow_links)
    for problem, reason in islice(loaded.problems.items(), _MAX_LOGGED):
        log.warning("cannot read %s: %s", problem, reason)
    if not loaded.runs and path in loaded.problems:
        raise OSError(errno.EIO, loaded.problems[path], path)
    return OpenLogdir(text_of(places or path), loaded)


def _names(names: str | Sequence[str] | None, all_names: Iterable[str]) -> list[str]:
    if names is None:
        return list(all_names)
    return [names] if isinstance(names, str) else list(dict.fromkeys(names))


def _check(choice: Choice) -> None:
    for name, value, least in (("rank", choice.rank, 0), ("attempt", choice.attempt, 1)):
        if not (value is None or value == ALL or (isinstance(value, int) and value >= least)):
            raise ValueError(f"{name}={value!r}: expected an integer, {least} or greater, {ALL!r} or None")
