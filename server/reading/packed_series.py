"""The series of an event file in a pack of the index, read when they are first used."""

import logging
from collections.abc import Callable, Iterator, Mapping

from toposcope.server.places.place import reason_of
from toposcope.server.reading.pack import Pack, PackedFile
from toposcope.server.reading.segment import DamagedSegmentError
from toposcope.server.reading.series import Payloads, Points
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

    def _series(self) -> Series:
        if self._series_read is not None:
            return self._series_read
        try:
            return self._pack.segment(self._file).series
        except (OSError, DamagedSegmentError) as error:
            log.warning("the index in %s cannot be read: %s", self._pack.path, reason_of(error))
            self._series_read = self._read()
            return self._series_read
