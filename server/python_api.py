"""What event files hold, for Python: a logdir that was read once, its runs, and their series as arrays."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar, overload

from toposcope.server.dataframe import frame, frame_of_series
from toposcope.server.landscapes.landscape import Landscape, landscape
from toposcope.server.loading.load_once import Loaded, load_file, load_logdir
from toposcope.server.reading.index import Index
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series import NO_PAYLOADS, NO_POINTS, Float64s, Int64s, Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.chosen_series import Choice, payloads, points, ranks
from toposcope.server.runs.hparams_sessions import read_session
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import ALL, RunView
from toposcope.server.runs.run_lineage import Sessions, lineage_of, sessions_by_parent
from toposcope.server.values.histogram import Histogram, read_histogram
from toposcope.server.values.hparams import Session
from toposcope.server.values.image import Image, read_images
from toposcope.server.values.lineage import Lineage
from toposcope.server.values.tensor import Tensor, read_tensor
from toposcope.server.values.text import Text, read_text

if TYPE_CHECKING:
    import pandas

Value = TypeVar("Value")
Attempt = int | Literal["all"] | None
"""None: stitched, what a later attempt repeats is hidden; from 1 on: one attempt; "all": every point in file order."""


class Scalars(NamedTuple):
    """A scalar series: three arrays of equal length, by step; in file order when every attempt was asked for."""

    step: Int64s
    wall_time: Float64s
    """Seconds since 1970."""
    value: Float64s

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a DataFrame of these columns.

        Raises:
            ImportError: pandas is not installed.
        """
        return frame(self._asdict())


class Values(Sequence[Value], Generic[Value]):
    """A series of another plugin, in the order of Scalars: a sequence whose values are read when they are asked for.

    A slice is a shorter series. To read a value raises ValueError when its record is damaged or its file has changed.
    """

    def __init__(self, run: RunView, places: Payloads, decode: Callable[[bytes, str, str], Value]) -> None:
        self._run = run
        self._places = places
        self._decode = decode

    @property
    def step(self) -> Int64s:
        """The step of each value."""
        return self._places.step

    @property
    def wall_time(self) -> Float64s:
        """When each value was recorded, in seconds since 1970."""
        return self._places.wall_time

    def __len__(self) -> int:
        return self._places.total

    @overload
    def __getitem__(self, index: int) -> Value: ...
    @overload
    def __getitem__(self, index: slice) -> "Values[Value]": ...
    def __getitem__(self, index: int | slice) -> "Value | Values[Value]":
        if isinstance(index, slice):
            return Values(self._run, self._places.take(index), self._decode)
        row = range(len(self))[index]
        dialect = self._run.files[int(self._places.file[row])].version.dialect
        return self._decode(read_payload(self._run, self._places, row), KINDS[self._places.kind[row]], dialect)


class Run:
    """A run: the event files of one directory, as they were when the logdir was opened.

    Every method takes a rank (None: the lowest that has the tag) and an attempt (see Attempt), and raises KeyError for
    a tag that the run does not have. A tag that the rank or the attempt has no points of is an empty series.
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
        """Smallest wall_time, in seconds since 1970."""
        return self._view.started

    @property
    def updated(self) -> float | None:
        """Largest wall_time, in seconds since 1970."""
        return self._view.updated

    @property
    def ranks(self) -> list[int]:
        """The writers."""
        return list(self._view.attempts)

    @property
    def attempts(self) -> int:
        """The most attempts of any rank."""
        return max(map(len, self._view.attempts.values()), default=1)

    @property
    def damaged_records(self) -> int:
        """How many places of its files no record could be read at; summary-server inspect lists them."""
        return sum(len(file.damage) for file in self._view.files)

    @property
    def plugins(self) -> dict[str, int]:
        """Number of tags of each plugin."""
        return dict(self._view.plugins)

    def tags(self, plugin: str | None = None) -> list[str]:
        """Return the tags of a plugin, or of all, in the order they were first met."""
        return list(dict.fromkeys(tag.name for tag in self._view.tags if plugin in (None, tag.plugin)))

    def scalars(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Scalars:
        """Return every point of a scalar series."""
        choice = Choice(rank, attempt)
        found = self._ranks(Tag("scalar", tag), choice)
        return Scalars(*(points(self._view, tag, found[0], choice) if found else NO_POINTS))

    def images(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[list[Image]]:
        """Return the pictures of each point, still encoded: one, or several where TensorBoard's writers put a batch."""
        return self._values(Tag("image", tag), rank, attempt, lambda payload, kind, _: read_images(payload, kind))

    def tensors(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Tensor]:
        """Return tensors: dtype, dims, and values as an array that must not be written to."""
        return self._values(
            Tag("tensor", tag), rank, attempt, lambda payload, _, dialect: read_tensor(payload, dialect)
        )

    def histograms(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Histogram]:
        """Return histograms, of whatever encoding, in one form."""
        return self._values(Tag("histogram", tag), rank, attempt, read_histogram)

    def text(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Text]:
        """Return texts: one, or a table of them with its dims."""
        return self._values(Tag("text", tag), rank, attempt, lambda payload, kind, _: read_text(payload, kind))

    def landscapes(self, tag: str, rank: int | None = None, attempt: Attempt = None) -> Values[Landscape]:
        """Return loss landscapes: x, y, z[i][j] at y[i], x[j], and the path of the training."""
        return self._values(Tag("landscape", tag), rank, attempt, lambda payload, *_: landscape(payload))

    def lineage(self) -> Lineage:
        """Return what the run was trained with and how good it became, all that was recorded of it merged."""
        return lineage_of(self._view, self._sessions, self._runs)[0]

    def hparams(self) -> Session | None:
        """Return the hyperparameter session that TensorBoard's writers recorded; None when there is none."""
        return read_session(self._view)[0]

    def _values(
        self, tag: Tag, rank: int | None, attempt: Attempt, decode: Callable[[bytes, str, str], Value]
    ) -> Values[Value]:
        choice = Choice(rank, attempt)
        found = self._ranks(tag, choice)
        return Values(self._view, payloads(self._view, tag, found[0], choice) if found else NO_PAYLOADS, decode)

    def _ranks(self, tag: Tag, choice: Choice) -> list[int]:
        _check(choice)
        found = ranks(self._view, tag, choice)
        if not found and not self._view.ranks_of(tag, ALL):
            known = self.tags(tag.plugin)
            listed = ", ".join(map(repr, known[:10])) + (", ..." if len(known) > 10 else "")
            raise KeyError(f"no {tag.plugin} tag {tag.name!r} in run {self.name!r}; it has {listed or 'none'}")
        return found


class OpenLogdir:
    """A logdir as it was when it was opened. No thread is left running and no file open; to see more, open it again."""

    def __init__(self, path: str, loaded: Loaded) -> None:
        self.path = path
        self._views = loaded.runs
        self.problems = loaded.problems
        """Files and directories that could not be read, with the reason."""
        sessions = sessions_by_parent(loaded.runs)
        self.runs: Mapping[str, Run] = MappingProxyType(
            {name: Run(view, loaded.runs, sessions) for name, view in loaded.runs.items()}
        )
        """The runs by name, in the order of their names."""

    def __repr__(self) -> str:
        return f"<OpenLogdir {self.path!r}: {len(self.runs)} runs>"

    def __enter__(self) -> "OpenLogdir":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of what was read; arrays and runs that were handed out stay as they are."""
        self.runs, self._views = MappingProxyType({}), {}

    def frame(
        self,
        tags: str | Sequence[str] | None = None,
        runs: str | Sequence[str] | None = None,
        rank: int | Literal["all"] | None = None,
        attempt: Attempt = None,
    ) -> "pandas.DataFrame":
        """Return scalar series as one DataFrame: run, tag, rank, step, wall_time, value, as /api/scalars.csv has them.

        Args:
            tags: which; None: all. Runs that lack one are passed over.
            runs: which; None: all.
            rank: None: the lowest that has the tag; "all": every one.
            attempt: see Attempt.

        Raises:
            ImportError: pandas is not installed.
            KeyError: there is no such run, or no run chosen has one of the tags.
        """
        choice = Choice(rank, attempt)
        _check(choice)
        views = [self._view(name) for name in _names(runs, self._views)]
        wanted = _names(tags, {tag.name: None for view in views for tag in view.tags if tag.plugin == "scalar"})
        for name in wanted:
            if not any(view.ranks_of(Tag("scalar", name), ALL) for view in views):
                raise KeyError(f"no scalar tag {name!r} in any of the runs chosen")
        return frame_of_series(
            [
                (view.name, name, each, points(view, name, each, choice))
                for name in wanted
                for view in views
                for each in ranks(view, Tag("scalar", name), choice)
            ]
        )

    def _view(self, name: str) -> RunView:
        if name not in self._views:
            raise KeyError(f"no run {name!r} in {self.path!r}")
        return self._views[name]


def open_logdir(logdir: str | PathLike[str], *, index_dir: str | PathLike[str] | None = None) -> OpenLogdir:
    """Read a logdir, or one event file, on all cores; return its runs.

    Follows the rules of the HTTP API: attempts are stitched unless one is named, the lowest rank that has a tag stands
    for the run, and what MindSpore writes beside its landscapes is left out.

    Example:
        >>> import toposcope.server
        >>> with toposcope.server.open("runs") as logdir:
        ...     loss = logdir.runs["digits"].scalars("loss")
        ...     table = logdir.frame("loss")
        >>> loss.step[-1], loss.value.min()
        >>> table.groupby("run")["value"].min()

    Args:
        logdir: a directory of runs, searched recursively, or an event file.
        index_dir: folder in which what was read is kept, so that the next time only what was appended is; it may be
            that of summary-server. None: everything is read, and nothing is written.

    Raises:
        FileNotFoundError: there is no such directory or file.
        ValueError: the file is not an event file, or index_dir is inside the logdir, which is never written.
    """
    path = os.fspath(logdir)
    if os.path.isdir(path):
        if index_dir is not None and (Path(index_dir).resolve() / "x").is_relative_to(Path(path).resolve()):
            raise ValueError(f"index_dir {os.fspath(index_dir)!r} is inside the logdir, which is never written")
        return OpenLogdir(path, load_logdir(path, None if index_dir is None else Index(Path(index_dir))))
    if not os.path.exists(path):
        raise FileNotFoundError(f"logdir {path!r} does not exist")
    return OpenLogdir(path, load_file(path))


def _names(asked: str | Sequence[str] | None, every: Iterable[str]) -> list[str]:
    if asked is None:
        return list(every)
    return [asked] if isinstance(asked, str) else list(dict.fromkeys(asked))


def _check(choice: Choice) -> None:
    for name, value, least in (("rank", choice.rank, 0), ("attempt", choice.attempt, 1)):
        if not (value is None or value == ALL or (isinstance(value, int) and value >= least)):
            raise ValueError(f"{name}={value!r}: expected a whole number from {least} on, {ALL!r} or None")
