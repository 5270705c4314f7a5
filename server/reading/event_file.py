"""One event file that may be growing: what was read of it, and reading on."""

import logging
from dataclasses import replace

from toposcope.proto.file_name import FileName
from toposcope.server.places.local_disk import UNCHECKED
from toposcope.server.places.place import OpenFile, Place, Status
from toposcope.server.places.stores.read_ahead import ReadAhead
from toposcope.server.reading.declared_plugins import DeclaredPlugins
from toposcope.server.reading.file_reading import FileReading
from toposcope.server.reading.file_state import FileState
from toposcope.server.reading.file_view import FileView
from toposcope.server.reading.index.index import CHECKED_BYTES, Index
from toposcope.server.reading.index.indexed_file import IndexedFile
from toposcope.server.reading.index.segment import Segment

_SMALL_BYTES = 64 << 10
"""Files up to this size are read at once."""

log = logging.getLogger(__name__)


def first_offset(indexed_bytes: int, size: int) -> int:
    """Return where a file is read first: from its start, or, if the index contains much of it, where that ends."""
    return 0 if size <= _SMALL_BYTES else max(indexed_bytes - CHECKED_BYTES, 0)


class EventFile:
    """Reads an event file as it grows; the file is not open between two reads. Not thread-safe.

    What was read stays when a read fails: reading goes on where it stopped or, if rows were lost with the failure,
    starts over, and there is no view until it has come as far as before.
    """

    def __init__(
        self,
        path: str,
        name: FileName,
        index: Index | None = None,
        declared: DeclaredPlugins | None = None,
        place: Place = UNCHECKED,
    ) -> None:
        self.path = path
        self.edition = 1
        """Another number after every read that found more than heartbeats."""
        self._name = name
        self._declared = DeclaredPlugins() if declared is None else declared
        self._indexed = IndexedFile(index, path) if index is not None else None
        self._place = place
        self._trusts_index = True
        """Whether what the index contains of the file is what is there, if the first and last bytes are the same."""
        self._reached = 0
        """How far the file must be read before it has a view again."""
        self._state = FileState()
        self._reading = FileReading(name, self._declared, frozenset(), 0)

    @property
    def training_edition(self) -> int:
        """Another number after every read that found values of the training."""
        return self._reading.series.training_edition

    @property
    def phase(self) -> int:
        """What the training does, one of summary_pb2.Phase; 0 if it is unknown."""
        return self._reading.phase

    @property
    def read_bytes(self) -> int:
        """How far the file was read."""
        return self._reading.next.offset

    def _start_over(self, bad_records: frozenset[int], *, is_same: bool = True) -> None:
        """Forget everything but the offsets of damaged records.

        Args:
            bad_records: their offsets.
            is_same: whether the contents that were read are still there, so that a view without them would be wrong.
        """
        self.edition += 1
        self._reached = max(self._reached, self.read_bytes) if is_same else 0
        self._state = FileState()
        self._reading = FileReading(self._name, self._declared, bad_records, self.training_edition)
        if self._indexed is not None:
            self._indexed.forget()

    def start_over(self) -> None:
        """Read the file again from its start, as other files declare the plugins of its tags."""
        self._start_over(self._reading.bad_records)

    def has_news(self, status: Status) -> bool:
        """Return whether read() would make progress, according to the file's status."""
        if status.size >= self._reading.next.min_file_size or self._state.was_replaced(status):
            return True
        return self._state.was_changed(status)

    @property
    def is_unsettled(self) -> bool:
        """Whether has_news() must be asked again: the file grows just now, or it was written again in place."""
        return self._state.is_unsettled

    def read(self, budget: int) -> bool:
        """Read what was appended, up to about `budget` bytes; return whether more can be read immediately.

        A file that was replaced or truncated is read again from its start.

        Raises:
            OSError: the file cannot be opened or read.
        """
        file = self._place.open(self.path)
        try:
            self._start_over_if_changed(file)
            is_small = self._reading.is_new and file.status.size <= _SMALL_BYTES
            return self._read_from(ReadAhead(file, file.status.size) if is_small else file, budget)
        finally:
            file.close()

    def _start_over_if_changed(self, file: OpenFile) -> None:
        """Forget what was read if it is no longer what is in the file."""
        if self._state.was_replaced(file.status):
            self._start_over(frozenset(), is_same=False)
            return
        is_other = self._state.was_overwritten(file, self.read_bytes)
        if is_other or self._state.was_rewritten(file.status):
            log.warning("%s was written again in place: all of it is read again", self.path)
            self._start_over(frozenset(), is_same=not is_other)
            self._trusts_index = False

    def _read_from(self, file: OpenFile, budget: int) -> bool:
        try:
            can_continue = self._read(file, budget)
        except BaseException:  # Rows that are still in the buffers are lost.
            self.start_over()
            raise
        failure, self._reading.failure = self._reading.failure, None
        if failure is not None:
            raise failure
        return can_continue

    def _read(self, file: OpenFile, budget: int) -> bool:
        reading, status = self._reading, file.status
        self._state.status = status
        before, end = reading.counts, reading.next.offset + budget
        if reading.scanner is None and status.size >= reading.next.min_file_size:
            self._open(file)
        if reading.scanner is not None:
            reading.read(file, reading.scanner, end)
        if reading.counts != before:
            self.edition += 1
        try:
            self._state.identify(file, self.read_bytes)
        except OSError as error:
            reading.failure = error
        can_continue = status.size >= reading.next.min_file_size
        if not can_continue and reading.scanner and reading.scanner.partially_read:
            self._start_over(reading.bad_records | reading.scanner.partially_read)
            return True
        if not reading.failure and (not can_continue or self.read_bytes >= self._reached):
            self._reached = 0
        return can_continue

    def _open(self, file: OpenFile) -> None:
        """Take what the index contains, or read the version event, unless it is not complete yet."""
        segments = self._load_segments(file)
        if segments:
            self._reading.restore(segments, file.read)
            self._state.restore(segments[-1].identity, segments[-1].end)
        else:
            self._reading.open(file)

    def _load_segments(self, file: OpenFile) -> list[Segment]:
        """Return what the index contains of the file and can be used."""
        if self._indexed is None or self._reading.bad_records or not self._trusts_index:
            return []
        segments = self._indexed.load(file)
        if (
            segments
            and segments[-1].version.dialect == "tensorboard"
            and self._declared.contradict(segments[-1].entries)
        ):
            self._indexed.forget()
            return []
        return segments

    def declare(self) -> None:
        """Add the plugins of the tags read since the last call to those that the files of the run declare."""
        self._reading.declare(self.path)

    def save(self, is_quiet: bool) -> bool:
        """Write to the index what it lacks, unless that is little and the file still grows.

        Args:
            is_quiet: no growth is expected for now.

        Returns:
            Whether the index lacks nothing of what was read.
        """
        indexed, reading, identity = self._indexed, self._reading, self._state.identity
        scanner, large = reading.scanner, reading.large
        if indexed is None or scanner is None or identity is None or not scanner.is_between_records:
            return True
        if indexed.has_all(*reading.counts, large.verified):
            return True
        if scanner.partially_read or large.damaged:  # The file will be read again, without some records.
            return False
        if not indexed.is_writable or (not is_quiet and not indexed.is_worth_storing(self.read_bytes)):
            return False
        # What is too large for the index is not tried again.
        return indexed.store(reading.segment(scanner, identity)) or indexed.is_writable

    def read_completely(self) -> tuple[Status, Segment] | None:
        """Return (the status of the file when it was read, all that was read); None if that is not all of it."""
        read = self.read_up_to_now()
        return read if read is not None and read[1].end == read[0].size else None

    def read_up_to_now(self) -> tuple[Status, Segment] | None:
        """Return (the status of the file when it was read, all that was read and verified).

        None if that is not all of it, apart from an incomplete record at the end.
        """
        reading, status, identity = self._reading, self._state.status, self._state.identity
        scanner, large = reading.scanner, reading.large
        if scanner is None or status is None or identity is None or not scanner.is_between_records:
            return None
        is_complete = not self.has_news(status) and large.are_verified and not large.damaged
        return (status, reading.segment(scanner, identity)) if is_complete and not scanner.partially_read else None

    def view(self) -> FileView | None:
        """Return a snapshot of what was read; None before the first record is complete, or less is read than before."""
        reading, status = self._reading, self._state.status
        if reading.scanner is None or reading.version is None or status is None or self._reached:
            return None
        return FileView(
            self.path,
            reading.rank,
            reading.scanner.dialect == "lineage",
            reading.version,
            reading.series.publish(is_complete=status.size < reading.next.min_file_size),
            replace(reading.scanner.counters),
            tuple(reading.scanner.damage),
            len(reading.large),
            reading.large.verified,
            reading.large.verified_until(self.read_bytes),
            status.inode,
            status.modified,
            self.read_bytes,
            status.size,
            self.phase,
            place=self._place,
        )

    def verify(self, budget: int) -> bool:
        """Verify large records in file order, up to about `budget` bytes; return whether some are left.

        When all are verified and some are damaged, the file will be read again without those.

        Raises:
            OSError: the file cannot be opened or read.
        """
        large = self._reading.large
        if large.are_verified:
            return False
        file = self._place.open(self.path)
        try:
            if self._state.was_replaced(file.status):
                return False  # The next read starts over.
            large.verify(file.read, budget)
        finally:
            file.close()
        if large.are_verified and large.damaged:
            self._start_over(self._reading.bad_records | large.damaged)
            return True  # The others are verified again after the next read.
        return not large.are_verified
