"""Values of runs that consist of one file in a pack of the index: the pack contains them as columns."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from toposcope.server.places.place import reason_of
from toposcope.server.reading.index.packs.pack import Pack
from toposcope.server.reading.index.packs.pack_columns import PackColumns
from toposcope.server.reading.index.packs.packed_series import PackedSeries
from toposcope.server.reading.index.segment import DamagedSegmentError
from toposcope.server.reading.series.series import Int64s
from toposcope.server.reading.series.series_summary import STATISTICS
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.overview import SETTINGS_PLUGINS
from toposcope.server.runs.run import RunView

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

log = logging.getLogger(__name__)


class PackedValues(NamedTuple):
    """Values of some files of a pack."""

    values: npt.NDArray[Any]
    """Numbers, NaN where there is none, or objects, None where there is none."""
    present: Mask
    """Which files have a number."""
    known: Mask
    """Which files the pack has a value for, or the information that there is none."""


class Part(NamedTuple):
    """Rows of the runs in one pack."""

    pack: Pack
    rows: Rows
    files: Int64s
    """The number of the file of each run in the pack."""
    ranks: Int64s


class PackedRows:
    """Remembers which rows of a table are runs of one file in a pack. Not thread-safe."""

    def __init__(self) -> None:
        self._packs: list[Pack] = []
        self._where = np.empty((0, 3), np.int64)
        """The place of its pack in the list, the number of its file there, and its rank; -1 for other runs."""

    def move(self, old_rows: Rows) -> None:
        """Reorder the rows; -1 stands for a new one."""
        moved = np.full((len(old_rows), 3), -1, np.int64)
        moved[old_rows >= 0] = self._where[old_rows[old_rows >= 0]]
        self._where = moved

    def update(self, rows: Sequence[int], runs: Sequence[RunView]) -> None:
        """Look at some rows again.

        Args:
            rows: those that changed.
            runs: of all rows.
        """
        if not rows:
            return
        numbers = {pack: number for number, pack in enumerate(self._packs)}
        where = []
        for row in rows:
            file = runs[row].only_file
            if file is None or not isinstance(file.series, PackedSeries):
                where.append((-1, -1, -1))
                continue
            pack, number = file.series.place
            where.append((numbers.setdefault(pack, len(numbers)), number, file.rank or 0))
        self._where[rows] = where
        self._packs = list(numbers)
        self._drop_unused()

    def _drop_unused(self) -> None:
        """Forget packs of which no run is left, so that their files are closed."""
        used = np.unique(self._where[:, 0])
        used = used[used >= 0]
        if len(used) == len(self._packs):
            return
        self._packs = [self._packs[number] for number in used.tolist()]
        is_packed = self._where[:, 0] >= 0
        self._where[is_packed, 0] = np.searchsorted(used, self._where[is_packed, 0])

    def parts(self, rows: Rows) -> Iterator[Part]:
        """Yield those of some rows that are in packs."""
        where = self._where[rows]
        for number, pack in enumerate(self._packs):
            chosen = where[:, 0] == number
            if chosen.any():
                yield Part(pack, rows[chosen], where[chosen, 1], where[chosen, 2])


def packed_values(part: Part, key: Sequence[str]) -> PackedValues | None:
    """Return the values of a column of a RunTable; None if they are not in packs.

    Args:
        part: the files. None of the runs has sessions of hyperparameters if the column is of those.
        key: of the column.
    """
    columns = part.pack.columns
    kind, *names = key
    if kind == "number" and names[0] in STATISTICS:
        return _statistics(part, *names)
    if "param" in (kind, names[0] if names else "") or kind == "settings":
        none: Any = {"text": (), "settings": {}}.get(kind)
        values = np.full(len(part.files), np.nan) if kind == "number" else _repeated(none, len(part.files))
        return PackedValues(
            values, np.zeros(len(values), np.bool_), ~_has_settings(part.pack)[columns.tags[part.files]]
        )
    if kind == "number":
        return _numbers(columns, part.files, names[0])
    return _objects(part, columns, kind, names[0])


def _statistics(part: Part, which: str, tag: str) -> PackedValues | None:
    try:
        column = part.pack.summaries(Tag("scalar", tag))
    except (OSError, DamagedSegmentError) as error:
        log.warning("the index in %s cannot be read: %s", part.pack.path, reason_of(error))
        return None
    known = np.ones(len(part.files), np.bool_)
    if column is None:
        return PackedValues(np.full(len(known), np.nan), ~known, known)
    return PackedValues(*column.statistic(part.files, STATISTICS[which]), known)


def _numbers(columns: PackColumns, files: Int64s, name: str) -> PackedValues | None:
    known = np.ones(len(files), np.bool_)
    match name:
        case "started" | "updated" | "first_step":
            values = getattr(columns, name)[files]
        case "step":
            values = columns.last_step[files]
        case "duration":
            values = (columns.updated - columns.started)[files]
        case "attempts" | "ranks":
            values = np.ones(len(files))
        case "ended":
            values, known = columns.modified[files], ~columns.has_marks[files]
        case "first_bad":
            values, known = np.full(len(files), np.nan), columns.is_finite[files]
        case _:
            return None
    has_value = ~np.isnan(columns.started[files]) if name in ("started", "updated", "duration") else ~np.isnan(values)
    return PackedValues(values, has_value, known)


def _objects(part: Part, columns: PackColumns, kind: str, name: str) -> PackedValues | None:
    """Return the values of a column of texts or facts."""
    files, known = part.files, np.ones(len(part.files), np.bool_)
    constants: Mapping[tuple[str, str], Any] = {
        ("text", "state"): ("unknown",),
        ("fact", "state"): "unknown",
        ("fact", "phase"): None,
        ("fact", "error"): None,
        ("fact", "writers"): 0,
        ("fact", "attempts"): 1,
        ("fact", "plugin_ranks"): (),
    }
    if (kind, name) in constants:
        values = _repeated(constants[kind, name], len(files))
        if name in ("state", "phase", "error"):
            known = ~columns.has_marks[files]
    elif name == "dialect":
        values = columns.dialect[files]
        values = _objects_of([(each,) for each in values.tolist()]) if kind == "text" else values
    elif (kind, name) == ("fact", "ranks"):
        values = _objects_of([(rank,) for rank in part.ranks.tolist()])
    elif (kind, name) == ("fact", "damaged_records"):
        values = columns.damage[files].astype(object)
    elif (kind, name) == ("fact", "plugins"):
        values = _objects_of([tuple(each.items()) for each in part.pack.plugin_counts])[columns.tags[files]]
    else:
        return None
    return PackedValues(values, known, known)


def _has_settings(pack: Pack) -> Mask:
    """Return which lists of tags of a pack contain hyperparameters."""
    return np.array([not SETTINGS_PLUGINS.isdisjoint(plugins) for plugins in pack.plugin_counts], np.bool_)


def _repeated(value: Any, rows: int) -> npt.NDArray[Any]:
    values = np.empty(rows, object)
    values.fill(value)
    return values


def _objects_of(objects: Sequence[Any]) -> npt.NDArray[Any]:
    """Return an array of objects, which may be tuples."""
    return np.fromiter(objects, object, len(objects))
