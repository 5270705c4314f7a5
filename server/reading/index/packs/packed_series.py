"""The series of an event file in a pack of the index, read when they are first used."""

import logging
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress

from toposcope.server.places.place import reason_of
from toposcope.server.reading.index.packs.pack import Pack, PackedFile
from toposcope.server.reading.index.packs.shared_packs import open_pack
from toposcope.server.reading.index.segment import DamagedSegmentError
from toposcope.server.reading.series.series import Payloads, Points
from toposcope.server.reading.series.series_summary import SeriesSummary, summarise
from toposcope.server.reading.tag_table import Tag

Series = Mapping[Tag, Points | Payloads]

log = logging.getLogger(__name__)


class PackedSeries(Mapping[Tag, Points | Payloads]):
    """The series of one file by tag. Thread-safe.

    Args:
        pack: contains the file.
        file: in the pack.
        read: reads the series from the event file, if the pack was deleted or is damaged; may raise OSError.
    """

    __slots__ = ("_file", "_pack", "_read", "_series_read")

    def __init__(self, pack: Pack, file: PackedFile, read: Callable[[], Series]) -> None:
        self._pack = pack
        self._file = file
        self._read = read
        self._series_read: Series | None = None

    def __reduce__(self) -> tuple[Callable[..., Series], tuple[object, ...]]:
        """Pickle where it is, for a process that reads the pack itself."""
        return _open, (str(self._pack.path), self._pack.path_while_open, self._file.key, self._read)

    def __len__(self) -> int:
        return len(self._pack.tags(self._file))

    def __iter__(self) -> Iterator[Tag]:
        return iter(self._pack.tags(self._file))

    def __contains__(self, tag: object) -> bool:
        return tag in self._pack.tags(self._file)

    def __getitem__(self, tag: Tag) -> Points | Payloads:
        if tag not in self:
            raise KeyError(tag)
        return self._series()[tag]

    @property
    def tags(self) -> Sequence[Tag]:
        """The tags; the same object for all files that have the same."""
        return self._pack.listed_tags(self._file)

    @property
    def plugins(self) -> Mapping[str, int]:
        """Number of tags of each plugin."""
        return self._pack.plugins(self._file)

    @property
    def is_finite(self) -> bool:
        """Whether all values of the scalar series are finite."""
        return self._file.is_finite

    @property
    def place(self) -> tuple[Pack, int]:
        """The pack, and the number of the file in it."""
        return self._pack, self._file.number

    def summary(self, tag: Tag) -> SeriesSummary | None:
        """Return the summary of a scalar series without reading its points; None if it has none."""
        try:
            column = self._pack.summaries(tag)
        except (OSError, DamagedSegmentError) as error:
            log.warning("the index in %s cannot be read: %s", self._pack.path, reason_of(error))
            points = self.get(tag)
            return summarise(points) if isinstance(points, Points) and points.total else None
        return None if column is None else column.summary(self._file.number)

    def _series(self) -> Series:
        if self._series_read is not None:
            return self._series_read
        try:
            return self._pack.segment(self._file).series
        except (OSError, DamagedSegmentError) as error:
            log.warning("the index in %s cannot be read: %s", self._pack.path, reason_of(error))
            self._series_read = self._read()
            return self._series_read


_opened: weakref.WeakValueDictionary[str, Pack] = weakref.WeakValueDictionary()
"""The packs of another process, by path."""


def _open(path: str, path_while_open: str, key: str, read: Callable[[], Series]) -> Series:
    """Return the series of a file in a pack that another process has open; read the event file if there is none."""
    pack = _opened.get(path)
    for name in (path, path_while_open):
        if pack is None:
            with suppress(OSError, DamagedSegmentError):
                pack = open_pack(name)
    file = pack.files.get(key) if pack else None
    if pack is None or file is None:
        return read()
    _opened[path] = pack
    return PackedSeries(pack, file, read)
